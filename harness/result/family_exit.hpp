// What a family process's exit code says beyond its sample file.
#pragma once

namespace gpugauge::result {

/// Exit code of a family process that could not write its sample file. Its measurements are lost; this is no
/// evidence against the device.
inline constexpr int exit_samples_not_kept = 4;

/// Exit code of a family process that an error outside its benchmarks ended: before, between or after them. Its
/// last line of output says which. It is no error of usage.
inline constexpr int exit_family_failed = 5;

}  // namespace gpugauge::result

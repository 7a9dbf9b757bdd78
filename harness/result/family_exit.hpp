// What a family process says with its exit code beyond its sample file.
#pragma once

namespace gpugauge::result {

/// A family process ends with it where its sample file could not be written: what it measured is lost, and
/// nothing of it speaks against the device.
inline constexpr int exit_samples_not_kept = 4;

}  // namespace gpugauge::result

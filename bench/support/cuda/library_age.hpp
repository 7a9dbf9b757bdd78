// Libraries that know nothing of a GPU because they are older: what they answer then is no fault of the GPU.
#pragma once

#include <optional>
#include <string>

namespace gpugauge::bench::cuda {

/// One sentence on a library that is older than the first version that knows this GPU.
/// @param library what a user calls it: "cuDNN"
/// @param version of it that was loaded, and `first`: the first one that knows this GPU, both as text
/// @param compute_capability of the GPU, 100 for 10.0
std::string older_than_gpu(const std::string& library, const std::string& version, const std::string& first,
                           int compute_capability);

/// The same where the library is older than the first version that knows GPUs of compute capability 10.0 and
/// later (Blackwell), on such a GPU; nullopt elsewhere. `knows`: whether `version` is `first` or later.
std::optional<std::string> older_than_blackwell(const std::string& library, const std::string& version,
                                                bool knows, const std::string& first, int compute_capability);

/// "10.3" for 103.
std::string capability_text(int compute_capability);

}  // namespace gpugauge::bench::cuda

// Libraries that are too old to know a GPU. Their failure is not the GPU's fault.
#pragma once

#include <optional>
#include <string>

namespace gpugauge::bench::cuda {

/// Returns one sentence on a library that is older than the first version that knows this GPU.
/// @param library its usual name: "cuDNN"
/// @param version the loaded version, and `first` the first one that knows this GPU, as text
/// @param compute_capability of the GPU, 100 for 10.0
std::string older_than_gpu(const std::string& library, const std::string& version, const std::string& first,
                           int compute_capability);

/// Returns that sentence on GPUs of compute capability 10.0 and later (Blackwell), where the library is older
/// than the first version that knows them; otherwise nullopt. `knows`: whether `version` is `first` or later.
std::optional<std::string> older_than_blackwell(const std::string& library, const std::string& version,
                                                bool knows, const std::string& first, int compute_capability);

/// "10.3" for 103.
std::string capability_text(int compute_capability);

}  // namespace gpugauge::bench::cuda

// What a GPU's name tells where its compute capability does not.
#pragma once

#include <algorithm>
#include <string_view>

namespace gpugauge::result {

/// Whether a GPU's name holds this whole word: an A10 is not an A10G, and an H200 not an H20.
constexpr bool has_word(std::string_view gpu_name, std::string_view word) {
  while (!gpu_name.empty()) {
    const std::size_t end = std::min(gpu_name.find_first_of(" -"), gpu_name.size());
    if (gpu_name.substr(0, end) == word) return true;
    gpu_name.remove_prefix(std::min(end + 1, gpu_name.size()));
  }
  return false;
}

/// Whether the model has a small part of the fp64 of its compute capability: H800 and H20 do about 1 TFLOP/s by
/// NVIDIA's data sheets, an H100 34 or 67. The figure is too coarse for a peak.
constexpr bool has_cut_fp64(std::string_view gpu_name) {
  return has_word(gpu_name, "H800") || has_word(gpu_name, "H20");
}

}  // namespace gpugauge::result

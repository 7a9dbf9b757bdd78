// Single instructions of an SM's units that a benchmark can declare. The judge knows their peaks.
#pragma once

#include <string_view>

namespace gpugauge::result {

/// Key of the note of a benchmark that measures one instruction alone. Without the note, a product is
/// compared with the fastest unit of its class.
inline constexpr std::string_view instruction_note = "instruction";

// Values of that note: instructions of the CUDA cores, and the smallest of the Tensor Cores' fp64 products.
inline constexpr std::string_view fp64_fma = "fp64_fma";
inline constexpr std::string_view fp32_fma = "fp32_fma";
inline constexpr std::string_view fp16x2_fma = "fp16x2_fma";
inline constexpr std::string_view int32_mad = "int32_mad";
inline constexpr std::string_view fp64_mma_m8n8k4 = "fp64_mma_m8n8k4";

}  // namespace gpugauge::result

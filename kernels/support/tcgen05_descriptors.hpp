// The descriptors that the tcgen05 products take: of an operand in shared memory, and of the instruction (PTX
// ISA, "Shared memory descriptor" and "Instruction descriptor" of tcgen05).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels::sm100 {

/// The compute capabilities with the instructions: 100 for 10.0.
inline constexpr std::array gpus{100, 103, 110};

/// Kinds of products. i8 exists on 10.0 and 11.0, not on 10.3.
enum class Kind { f16, tf32, f8f6f4, i8 };

/// Whether a GPU of this compute capability has products of the kind.
GPUGAUGE_HOST_DEVICE constexpr bool exists(Kind kind, int compute_capability) {
  return compute_capability == 100 || compute_capability == 110 ||
         (compute_capability == 103 && kind != Kind::i8);
}
static_assert(std::all_of(gpus.begin(), gpus.end(), [](int one) { return exists(Kind::f16, one); }));

/// Element types as the instruction descriptor counts them, per kind.
constexpr std::uint32_t fp16_of_f16 = 0;
constexpr std::uint32_t bf16_of_f16 = 1;
constexpr std::uint32_t tf32_of_tf32 = 2;
constexpr std::uint32_t e4m3_of_f8f6f4 = 0;
constexpr std::uint32_t signed_of_i8 = 1;

/// How an operand's rows of 128 bytes are permuted in shared memory (gemm/layout.hpp), or that it has none.
enum class Swizzle : std::uint64_t { none = 0, bytes_128 = 2 };

/// An operand in shared memory. `start` is a 32-bit address; it and the distances are in bytes, multiples of
/// 16.
/// - Without swizzle, along k: core matrices of 8 rows x 16 bytes, each 128 consecutive bytes; the one next
///   along k is `leading` further, the next 8 rows `stride`.
/// - With swizzle, along k: rows of 128 bytes; the next 8 rows are `stride` further, `leading` is not used.
/// - With swizzle, along the other dimension: 64 two-byte columns in a row of 128 bytes, a row each k; the
///   next 64 columns are `leading` further, the next 8 k `stride`.
GPUGAUGE_HOST_DEVICE constexpr std::uint64_t operand_descriptor(Swizzle swizzle, std::uint32_t start,
                                                                std::uint32_t leading, std::uint32_t stride) {
  constexpr std::uint64_t version = 1;
  const auto in_16_bytes = [](std::uint64_t bytes) { return (bytes & 0x3ffffU) >> 4; };
  return in_16_bytes(start) | in_16_bytes(leading) << 16 | in_16_bytes(stride) << 32 | version << 46 |
         static_cast<std::uint64_t>(swizzle) << 61;
}

/// A dense product of `rows` x `columns` sums (64 or 128, and a multiple of 16 up to 256), A along k and B along
/// k unless `b_by_columns`: in fp32, or for Kind::i8 in int32 without saturation.
GPUGAUGE_HOST_DEVICE constexpr std::uint32_t instruction_descriptor(Kind kind, std::uint32_t elements,
                                                                    std::uint32_t rows, std::uint32_t columns,
                                                                    bool b_by_columns = false) {
  const std::uint32_t sums = kind == Kind::i8 ? 2 : 1;
  return sums << 4 | elements << 7 | elements << 10 | (b_by_columns ? 1U : 0U) << 16 | columns / 8 << 17 |
         rows / 16 << 24;
}

}  // namespace gpugauge::kernels::sm100

// The descriptors that the tcgen05 products take: of an operand in shared memory, and of the instruction (PTX
// ISA, "Shared memory descriptor" and "Instruction descriptor" of tcgen05).
#pragma once

#include <cstdint>

#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels::sm100 {

/// Kinds of products. i8 exists on 10.0 and 11.0, not on 10.3.
enum class Kind { f16, tf32, f8f6f4, i8 };

/// Element types as the instruction descriptor counts them, per kind.
constexpr std::uint32_t fp16_of_f16 = 0;
constexpr std::uint32_t bf16_of_f16 = 1;
constexpr std::uint32_t tf32_of_tf32 = 2;
constexpr std::uint32_t e4m3_of_f8f6f4 = 0;
constexpr std::uint32_t signed_of_i8 = 1;

/// An operand whose rows lie along k in 32 bytes, without swizzle: core matrices of 8 rows x 16 bytes, each
/// 128 consecutive bytes; the one next along k is `along_k` bytes further, the next 8 rows `along_rows`.
/// `start` is a 32-bit shared-memory address, a multiple of 16.
GPUGAUGE_HOST_DEVICE constexpr std::uint64_t operand_descriptor(std::uint32_t start, std::uint32_t along_k,
                                                                std::uint32_t along_rows) {
  constexpr std::uint64_t version = 1;
  const auto in_16_bytes = [](std::uint64_t bytes) { return (bytes & 0x3ffffU) >> 4; };
  return in_16_bytes(start) | in_16_bytes(along_k) << 16 | in_16_bytes(along_rows) << 32 | version << 46;
}

/// A dense product of `rows` x `columns` sums (64 or 128, and a multiple of 16 up to 256), both operands along
/// k: in fp32, or for Kind::i8 in int32 without saturation.
GPUGAUGE_HOST_DEVICE constexpr std::uint32_t instruction_descriptor(Kind kind, std::uint32_t elements,
                                                                    std::uint32_t rows,
                                                                    std::uint32_t columns) {
  const std::uint32_t sums = kind == Kind::i8 ? 2 : 1;
  return sums << 4 | elements << 7 | elements << 10 | columns / 8 << 17 | rows / 16 << 24;
}

}  // namespace gpugauge::kernels::sm100

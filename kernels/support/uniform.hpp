// Input data: element i of stream `seed` is a hash of both. So any element can be computed alone, on host or
// device, and is the same bit for bit. Also the order-independent checksum of a buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/support/bf16.hpp"
#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels {

/// A bijection of 64 bits that spreads every input bit over all output bits (the finaliser of SplitMix64,
/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
GPUGAUGE_HOST_DEVICE inline std::uint64_t mix64(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

/// Element `index` of the SplitMix64 sequence that starts at `seed`.
GPUGAUGE_HOST_DEVICE inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  return mix64(seed + (index + 1) * 0x9e3779b97f4a7c15ULL);
}

/// Uniform in [-1, 1), a multiple of 2^-23. Every step is exact in fp32, so that no compiler option changes a
/// bit.
GPUGAUGE_HOST_DEVICE inline float uniform(std::uint64_t seed, std::uint64_t index) {
  const auto upper = static_cast<std::int32_t>(random_bits(seed, index) >> 40);  // upper 24 bits
  return static_cast<float>(upper - (1 << 23)) * 0x1p-23F;
}

/// uniform() rounded to bfloat16; 1 can then occur.
GPUGAUGE_HOST_DEVICE inline Bf16 uniform_bf16(std::uint64_t seed, std::uint64_t index) {
  return to_bf16(uniform(seed, index));
}

/// The term that word `index` of a buffer adds to its checksum. The checksum is the sum modulo 2^64 of all
/// terms. The order of addition does not matter, but the index of every word does.
GPUGAUGE_HOST_DEVICE inline std::uint64_t checksum_term(std::uint64_t index, std::uint32_t word) {
  return mix64((index << 32 | index >> 32) ^ (word * 0x9e3779b97f4a7c15ULL + 1));
}

/// The checksum of `bytes` bytes, read as little-endian 32-bit words, the last one padded with zero bytes.
inline std::uint64_t checksum_on_host(const void* data, std::size_t bytes) {
  const auto* const from = static_cast<const unsigned char*>(data);
  std::uint64_t sum = 0;
  for (std::size_t word = 0; word * 4 < bytes; ++word) {
    std::uint32_t value = 0;
    std::memcpy(&value, from + word * 4, bytes - word * 4 < 4 ? bytes - word * 4 : 4);
    sum += checksum_term(word, value);
  }
  return sum;
}

}  // namespace gpugauge::kernels

// The computation of a process's first kernel: enough code that loading and compiling it takes measurable
// time.
#pragma once

#include <cstdint>
#include <utility>

#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels::launch {

inline constexpr int first_threads = 64;
inline constexpr std::size_t first_steps = 512;

/// One step. Each has its own constants, so that the compiler cannot fold the steps into a loop.
template <std::size_t Step>
GPUGAUGE_HOST_DEVICE constexpr std::uint64_t mix_step(std::uint64_t value) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U + 2 * Step * 0x5851f42dU;
  return (value ^ (value >> (Step % 31 + 1))) * odd + Step;
}

/// All steps one after another.
template <std::size_t... Steps>
GPUGAUGE_HOST_DEVICE constexpr std::uint64_t mix_all(std::uint64_t value, std::index_sequence<Steps...>) {
  ((value = mix_step<Steps>(value)), ...);
  return value;
}

/// What thread `index` writes.
GPUGAUGE_HOST_DEVICE constexpr std::uint64_t first_value(std::uint64_t index) {
  return mix_all(index + 1, std::make_index_sequence<first_steps>());
}

}  // namespace gpugauge::kernels::launch

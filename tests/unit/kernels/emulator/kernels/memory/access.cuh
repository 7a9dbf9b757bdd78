// The functions of kernels/memory/access.cuh on the host.
#pragma once

#include <atomic>
#include <cstdint>

#include "emulator.hpp"

namespace gpugauge::kernels::access {

using SharedAddress = std::uintptr_t;

inline SharedAddress shared_address(const void* pointer) {
  return reinterpret_cast<SharedAddress>(pointer);
}

// NOLINTBEGIN(performance-no-int-to-ptr): addresses are numbers in the device code.
inline uint4 load_shared(SharedAddress address) {
  return *reinterpret_cast<const uint4*>(address);
}

inline std::uint64_t load_through_l1(std::uint64_t from) {
  return *reinterpret_cast<const std::uint64_t*>(from);
}

inline std::uint64_t load_past_l1(std::uint64_t from) {
  return *reinterpret_cast<const std::uint64_t*>(from);
}
// NOLINTEND(performance-no-int-to-ptr)

inline void add_without_answer(std::uint32_t* to, std::uint32_t value) {
  std::atomic_ref<std::uint32_t>(*to).fetch_add(value);
}

}  // namespace gpugauge::kernels::access

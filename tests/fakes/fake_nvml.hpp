// The GPUs of the fake NVML, for its files.
#pragma once

#include <array>
#include <cstdio>
#include <string>

#include "scenario.hpp"

namespace fake::nvml {

constexpr int invalid_argument = 2;
constexpr int not_supported = 3;
constexpr int not_found = 6;
constexpr int insufficient_size = 7;
constexpr int gpu_is_lost = 15;
constexpr int gpus_most = 64;

using Device = void*;

inline std::array<char, gpus_most> handles;

inline int index_of(Device device) {
  return static_cast<int>(static_cast<char*>(device) - handles.data());
}

inline int devices() {
  return fake::number("nvml_devices", fake::number("devices", 1));
}

inline std::string uuid_of(int gpu) {
  char otherwise[64];
  std::snprintf(otherwise, sizeof otherwise, "GPU-aa010203-0405-0607-0809-0a0b0c0d0e%02x",
                static_cast<unsigned>(gpu) & 0xffU);
  return fake::text_of(gpu, "uuid", fake::text("nvml_uuid", otherwise));
}

/// Code that a call is told to answer whatever it is asked; 0 for none.
inline int refusal(Device device, const std::string& call) {
  const int gpu = index_of(device);
  if (fake::number_of(gpu, "lost", 0) == 1) return gpu_is_lost;
  return fake::number_of(gpu, "code." + call, 0);
}

}  // namespace fake::nvml

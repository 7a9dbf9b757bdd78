// What the fake driver libraries answer: lines "key=value" of the file that GPUGAUGE_FAKE_SCENARIO names.
// Read at every question, so that a test may change it under a running process. Lines that begin with # are
// remarks. A key of a GPU holds for all of them, "gpu.1.<key>" for the second one only (in both libraries,
// which count alike).
//
//   both         devices (1), name, mig
//                hang, crash, exit, noise=<call>: what a broken driver does in that call (cuInit, nvmlInit,
//                cuDriverGetVersion, nvmlDeviceGetPowerUsage, nvmlDeviceGetName,
//                nvmlDeviceGetRemappedRows)
//                calls=<file>: receives the names of those calls, a line each, as they are made
//   libcuda      driver_version (13000), version_result, init_result, count_result, device_result,
//                capability (90), pci.N, sm_count (132), l2_persisting (0), memory_mib
//   the runtime  l2_set_aside (0): of the l2_persisting that can be, in bytes; memory_held_mib (0): by
//                others; runtime_devices (1); runtime_uuid_end (0): the last byte of its
//                UUID, of the first device
//   NVML         nvml_result (18: version mismatch), nvml_driver, nvml_devices (devices), handle_result,
//                cc_feature, cc_devtools (confidential computing)
//   NVML, a GPU  uuid, pci, brand, architecture, vbios, serial, board_part, gsp, memory_mib, compute_mode,
//                persistence, ecc, ecc_pending, mig_pending, power_limit_mw, power_limit_default_mw,
//                power_limit_min_mw, power_limit_max_mw, sm_clock_max_mhz, memory_clock_max_mhz,
//                sm_clock_application_mhz, sm_clock_application_default_mhz, memory_clock_application_mhz,
//                memory_clock_application_default_mhz, sm_clock_mhz, memory_clock_mhz, power_mw, temperature,
//                memory_temperature (and its type, memory_temperature_type (1)), utilization,
//                throttle_reasons (bits), performance_state, pcie_generation, pcie_generation_max,
//                pcie_width, pcie_width_max, nvlinks, nvlinks_active (all), nvlinks_to_gpu (0: all
//                lead to a switch), nvlink_megabytes (a second), remapped
//                ("correctable uncorrectable pending failed"), retired_pages_pending, ecc_uncorrected,
//                fabric_state, fabric_status, fabric_health (mask), processes ("pid:name:mib pid:name:mib"), memory_used_mib,
//                virtualization (2: a guest, 3: a host), licence (1: licensed, 0: not),
//                vgpus ("id:guest_driver id:guest_driver"),
//                xids ("48 94"): errors that are reported; whoever listens is told of those that are added
//                listened=<file>: appears when somebody asks for them, which telemetry does after its first line
//                lost=1: every call answers that the GPU is lost
//                code.<call>=4: that call answers this code
// What NVML is asked and the scenario does not hold is "not supported", as on cards without it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <unistd.h>

namespace fake {

inline std::string text(const std::string& key, const std::string& otherwise) {
  const char* const file = std::getenv("GPUGAUGE_FAKE_SCENARIO");
  if (file == nullptr) return otherwise;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(key + "=", 0) == 0) return line.substr(key.size() + 1);
  }
  return otherwise;
}

inline int number(const std::string& key, int otherwise) {
  return std::atoi(text(key, std::to_string(otherwise)).c_str());  // NOLINT(cert-err34-c): our own test files
}

/// A key of one GPU: its own, else that of all.
inline std::string text_of(int gpu, const std::string& key, const std::string& otherwise) {
  return text("gpu." + std::to_string(gpu) + "." + key, text(key, otherwise));
}

inline int number_of(int gpu, const std::string& key, int otherwise) {
  // NOLINTNEXTLINE(cert-err34-c): our own test files
  return std::atoi(text_of(gpu, key, std::to_string(otherwise)).c_str());
}

/// Copies like the real libraries do: cut to the buffer, always ended.
inline void copy(const std::string& from, char* to, std::size_t size) {
  if (size == 0) return;
  std::strncpy(to, from.c_str(), size - 1);
  to[size - 1] = '\0';
}

inline std::string pci_of(int gpu) {
  char otherwise[16];
  std::snprintf(otherwise, sizeof otherwise, "0000:%02x:00.0", static_cast<unsigned>(gpu + 1) & 0xffU);
  return text_of(gpu, "pci", text("pci." + std::to_string(gpu), otherwise));
}

inline std::string name_of(int gpu) {
  const std::string index = std::to_string(gpu);
  return text("gpu." + index + ".name", text("name." + index, text("name", "NVIDIA Fake 1000")));
}

/// "hang=cuInit", "crash=cuInit", "exit=cuInit", "noise=cuInit": what a broken driver does in that call.
inline void misbehave(const char* call) {
  if (const std::string file = text("calls", ""); !file.empty())
    std::ofstream(file, std::ios::app) << call << "\n";
  if (text("noise", "") == call) {
    std::puts("a driver that prints to standard output");
    std::fflush(stdout);
  }
  if (text("exit", "") == call) std::_Exit(7);
  if (text("crash", "") == call) {
    std::fputs("fatal: the fake driver was told to crash\n", stderr);
    std::abort();
  }
  while (text("hang", "") == call) ::sleep(1);
}

}  // namespace fake

#include "support/environment.hpp"

#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <unistd.h>

#include "result/occupied.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/environment.hpp"
#include "support/cuda/error.hpp"
#include "support/cuda/mapped.hpp"
#include "support/cuda/persisting_l2.hpp"
#include "support/placement.hpp"

namespace gpugauge::bench::cuda {

namespace {

// Adds only variables that change what CUDA does; the harness records the rest of the environment.
void add_environment(result::Facts& facts) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    if (name.size() == text.size() || name == "CUDA_HOME" || name == "CUDA_PATH") continue;
    if (name.substr(0, 5) == "CUDA_" || name == "NVIDIA_TF32_OVERRIDE")
      facts[fmt::format("environment.{}", name)] = text.substr(name.size() + 1);
  }
}

// Whether the GPU uses the host's memory. The memory clock that CUDA reports is then not the memory's.
void add_integrated(result::Facts& facts) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, cudaDevAttrIntegrated, 0) == cudaSuccess)
    facts["gpu.integrated"] = value != 0 ? "true" : "false";
  cudaGetLastError();
}

void add_attribute(result::Facts& facts, const char* name, cudaDeviceAttr attribute, double factor) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, attribute, 0) != cudaSuccess) {
    cudaGetLastError();
    return;
  }
  if (value > 0) facts[name] = fmt::format("{:.0f}", value * factor);
}

std::vector<Library>& libraries() {
  static std::vector<Library> registered;
  return registered;
}

std::optional<std::string> why_nothing_runs() {
  if (auto reason = why_unavailable(start_up())) return reason;
  for (const Library& library : libraries())
    if (auto reason = library.unavailable()) return reason;
  return std::nullopt;
}

// A sticky error shows twice. An error left in a queue by the failed benchmark shows only the first time, and
// belongs to it.
std::optional<std::string> why_lost() {
  cudaDeviceSynchronize();
  cudaGetLastError();
  const cudaError_t code = cudaDeviceSynchronize();
  if (code == cudaSuccess) return std::nullopt;
  return fmt::format("every CUDA call of the process is answered with {}", name_of(code));
}

std::optional<GpuMemory> memory_if_known() {
  try {
    return memory_now();
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void describe(result::Facts& facts) {
  const StartUp& start = start_up();
  facts["cuda.runtime_version"] = cuda_version_text(start.runtime_version);
  facts["cuda.driver_version"] = cuda_version_text(start.driver_version);
  add_environment(facts);
  std::ifstream maps("/proc/self/maps");
  for (const auto& [name, path] : mapped_libraries(maps)) facts["library." + name] = path;
  if (is_occupied(start)) facts[result::occupied_note] = "true";
  if (why_unavailable(start)) return;
  const Device& gpu = device();
  facts["gpu.name"] = gpu.name;
  facts["gpu.uuid"] = gpu.uuid;
  facts["gpu.pci_bus_id"] = gpu.pci_bus_id;
  facts["gpu.compute_capability"] =
      fmt::format("{}.{}", gpu.compute_capability / 10, gpu.compute_capability % 10);
  facts["gpu.sm_count"] = fmt::format("{}", gpu.sm_count);
  facts["gpu.memory_bytes"] = fmt::format("{}", gpu.memory_bytes);
  facts["gpu.l2_bytes"] = fmt::format("{}", gpu.l2_bytes);
  facts["gpu.visible_count"] = fmt::format("{}", start.devices);
  add_attribute(facts, "gpu.sm_clock_max_hz", cudaDevAttrClockRate, 1e3);
  add_attribute(facts, "gpu.memory_clock_max_hz", cudaDevAttrMemoryClockRate, 1e3);
  add_attribute(facts, "gpu.memory_bus_bits", cudaDevAttrGlobalMemoryBusWidth, 1);
  add_integrated(facts);
  add_persisting_l2(facts);
  for (const Library& library : libraries()) library.describe(facts);
}

}  // namespace

bool register_library(Library library) {
  libraries().push_back(std::move(library));
  return true;
}

bool register_environment() {
  set_environment({.unavailable = why_nothing_runs,
                   .compute_capability = [] { return device().compute_capability; },
                   .devices = [] { return start_up().devices; },
                   .lost = why_lost,
                   .notes = [] { return placement_notes(); },
                   .gpu_memory = memory_if_known,
                   .describe = describe});
  return true;
}

}  // namespace gpugauge::bench::cuda

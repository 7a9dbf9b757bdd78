// Finds the GPU under test, describes it, and explains why none can be used.
#include "support/cuda/device.hpp"

#include <algorithm>
#include <array>

#include <dlfcn.h>
#include <fmt/format.h>

#include "kernels/launch/trivial.hpp"
#include "result/build.hpp"
#include "result/number.hpp"
#include "result/text.hpp"
#include "support/cuda/error.hpp"
#include "support/placement.hpp"

namespace gpugauge::bench::cuda {

namespace {

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

// In the kernel's format; needs no context.
cudaError_t read_pci_address(std::string& address) {
  std::array<char, 32> text{};
  const cudaError_t code = cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), 0);
  address = result::lower(text.data());
  return code;
}

Device read_device() {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "reading the GPU's properties");
  Device found;
  found.name = properties.name;
  found.uuid = uuid_text(properties.uuid);
  check(read_pci_address(found.pci_bus_id), "reading the GPU's PCI address");
  found.compute_capability = properties.major * 10 + properties.minor;
  found.sm_count = properties.multiProcessorCount;
  found.memory_bytes = properties.totalGlobalMem;
  found.l2_bytes = static_cast<std::size_t>(std::max(properties.l2CacheSize, 0));
  int kilohertz = 0;
  if (cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0) == cudaSuccess)
    found.sm_clock_max_hz = kilohertz * 1e3;
  cudaGetLastError();
  return found;
}

StartUp try_to_start() {
  StartUp start;
  cudaRuntimeGetVersion(&start.runtime_version);
  // Left open: the runtime opens it again, and could get a different library after a close.
  start.driver_library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr;
  if (!start.driver_library) {
    const char* const message = dlerror();
    start.loader_message = message != nullptr ? message : "no reason given";
    return start;
  }
  cudaDriverGetVersion(&start.driver_version);
  const auto step = [&](cudaError_t code, const char* doing) {
    if (code == cudaSuccess) return true;
    start.code = code;
    start.doing = doing;
    cudaGetLastError();
    return false;
  };
  if (!step(cudaGetDeviceCount(&start.devices), "counting the GPUs") || start.devices == 0) return start;
  // Before the context is made, so that its threads and memory are near the GPU.
  std::string address;
  if (!step(read_pci_address(address), "reading the GPU's PCI address")) return start;
  place_near(address);
  // Spinning, because waiting for an interrupt would add the host's wake-up time to every synchronisation.
  if (!step(cudaInitDevice(0, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid), "making a context") ||
      !step(cudaSetDevice(0), "choosing the GPU"))
    return start;
  int major = 0;
  int minor = 0;
  if (!step(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0),
            "reading the compute capability") ||
      !step(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0),
            "reading the compute capability"))
    return start;
  start.compute_capability = fmt::format("{}.{}", major, minor);
  if (!step(kernels::launch::launch_empty(nullptr), "launching a first kernel")) return start;
  step(cudaDeviceSynchronize(), "waiting for a first kernel");
  return start;
}

}  // namespace

const Device& device() {
  static const Device found = read_device();
  return found;
}

std::string uuid_of(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "reading the GPU's properties");
  return uuid_text(properties.uuid);
}

GpuMemory memory_now() {
  GpuMemory memory;
  check(cudaMemGetInfo(&memory.free, &memory.total), "reading the free GPU memory");
  int device = 0;
  int shared_with_host = 0;
  check(cudaGetDevice(&device), "reading which GPU is in use");
  check(cudaDeviceGetAttribute(&shared_with_host, cudaDevAttrIntegrated, device),
        "reading whether the GPU is integrated");
  memory.shared_with_host = shared_with_host != 0;
  return memory;
}

std::size_t free_memory_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "reading the free GPU memory");
  return free;
}

std::optional<std::string> why_too_large(std::size_t bytes) {
  constexpr double gibibyte = 1 << 30;
  const std::size_t free = free_memory_bytes();
  const std::size_t reserve = device().memory_bytes / 10;
  if (bytes + reserve <= free) return std::nullopt;
  return fmt::format("needs {:.1f} GiB of GPU memory beside a reserve of {:.1f} GiB, {:.1f} GiB are free",
                     static_cast<double>(bytes) / gibibyte, static_cast<double>(reserve) / gibibyte,
                     static_cast<double>(free) / gibibyte);
}

std::optional<std::string> why_exclusive() {
  int mode = cudaComputeModeDefault;
  int current = 0;
  check(cudaGetDevice(&current), "reading which GPU is in use");
  check(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, current), "reading the compute mode");
  if (mode != cudaComputeModeExclusiveProcess) return std::nullopt;
  return "the GPU's compute mode is EXCLUSIVE_PROCESS, and this benchmark needs a second process on it";
}

std::string cuda_version_text(int version) {
  return version == 0 ? "unknown" : fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::optional<std::string> why_unavailable(const StartUp& start) {
  if (!start.driver_library)
    return fmt::format(
        "No NVIDIA driver library: libcuda.so.1 cannot be opened ({}). Install the NVIDIA driver; in a "
        "container, start "
        "it with the NVIDIA Container Toolkit.",
        start.loader_message);
  if (start.code == cudaSuccess) {
    if (start.devices > 0) return std::nullopt;
    return explain(cudaErrorNoDevice);
  }
  std::string sentence = fmt::format("{} failed: {}", start.doing, explain(start.code));
  sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
  if (start.code == cudaErrorInsufficientDriver || start.code == cudaErrorUnsupportedPtxVersion ||
      start.code == cudaErrorCallRequiresNewerDriver)
    sentence +=
        fmt::format(" The driver supports CUDA {}, this build has runtime {}{}.",
                    cuda_version_text(start.driver_version), cuda_version_text(start.runtime_version),
                    result::build().minimum_driver.empty()
                        ? ""
                        : fmt::format(" and needs driver {} or newer", result::build().minimum_driver));
  if (start.code == cudaErrorNoKernelImageForDevice || start.code == cudaErrorInvalidDeviceFunction ||
      start.code == cudaErrorUnsupportedPtxVersion)
    sentence += fmt::format(" The GPU has compute capability {}, this build holds {}.",
                            start.compute_capability, result::build().architectures);
  constexpr double oldest = 7.5;  // scripts/cmake/Architectures.cmake
  if (result::number_in<double>(start.compute_capability).value_or(oldest) < oldest)
    sentence += fmt::format(" GPUGauge does not gauge GPUs before {}; --device names another.", oldest);
  return sentence;
}

bool is_occupied(const StartUp& start) {
  return start.driver_library && means_in_use(start.code);
}

const StartUp& start_up() {
  static const StartUp start = try_to_start();
  return start;
}

}  // namespace gpugauge::bench::cuda

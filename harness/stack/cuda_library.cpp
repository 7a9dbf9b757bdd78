// Opens libcuda and asks it about the devices.
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "result/stopwatch.hpp"
#include "stack/driver_library.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/shared_object.hpp"

namespace gpugauge::stack {
namespace {

// The documented ABI of the CUDA driver API: results and devices are int.
constexpr int attribute_capability_major = 75;
constexpr int attribute_capability_minor = 76;
constexpr int attribute_multiprocessors = 16;
constexpr int attribute_l2_persisting = 108;

struct Uuid {
  std::array<std::uint8_t, 16> bytes;
};

struct Api {
  int (*init)(unsigned) = nullptr;
  int (*driver_version)(int*) = nullptr;
  int (*device_count)(int*) = nullptr;
  int (*device_get)(int*, int) = nullptr;
  int (*device_name)(char*, int, int) = nullptr;
  int (*device_uuid)(Uuid*, int) = nullptr;
  int (*device_uuid_v2)(Uuid*, int) = nullptr;  // since CUDA 11.4; gives a MIG instance its own UUID
  int (*device_attribute)(int*, int, int) = nullptr;
  int (*device_pci)(char*, int, int) = nullptr;
  int (*device_memory)(std::size_t*, int) = nullptr;
  int (*error_name)(int, const char**) = nullptr;
};

Api load(const SharedObject& library) {
  Api api;
  api.init = library.find<int(unsigned)>("cuInit");
  api.driver_version = library.find<int(int*)>("cuDriverGetVersion");
  api.device_count = library.find<int(int*)>("cuDeviceGetCount");
  api.device_get = library.find<int(int*, int)>("cuDeviceGet");
  api.device_name = library.find<int(char*, int, int)>("cuDeviceGetName");
  api.device_uuid = library.find<int(Uuid*, int)>("cuDeviceGetUuid");
  api.device_uuid_v2 = library.find<int(Uuid*, int)>("cuDeviceGetUuid_v2");
  api.device_attribute = library.find<int(int*, int, int)>("cuDeviceGetAttribute");
  api.device_pci = library.find<int(char*, int, int)>("cuDeviceGetPCIBusId");
  api.device_memory = library.find<int(std::size_t*, int)>("cuDeviceTotalMem_v2");
  api.error_name = library.find<int(int, const char**)>("cuGetErrorName");
  return api;
}

std::string text(const Uuid& uuid) {
  const auto& b = uuid.bytes;
  return fmt::format(
      "{:02x}{:02x}{:02x}{:02x}-{:02x}{:02x}-{:02x}{:02x}-{:02x}{:02x}-{:02x}{:02x}{:02x}{:02x}{:02x}{:02x}",
      b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

/// Fills the UUID of a device, and of an instance that of its card.
void add_uuid(const Api& api, int device, Gpu& gpu) {
  Uuid own{};
  Uuid parent{};
  const bool has_parent = api.device_uuid != nullptr && api.device_uuid(&parent, device) == 0;
  const bool has_own = api.device_uuid_v2 != nullptr && api.device_uuid_v2(&own, device) == 0;
  if (has_own && has_parent && own.bytes != parent.bytes) {
    gpu.uuid = "MIG-" + text(own);
    gpu.card = "GPU-" + text(parent);
  } else if (has_own || has_parent) {
    gpu.uuid = "GPU-" + text(has_own ? own : parent);
  }
}

CudaFigures figures_of(const Api& api, int device) {
  CudaFigures figures;
  std::size_t bytes = 0;
  if (api.device_memory != nullptr && api.device_memory(&bytes, device) == 0) figures.memory_bytes = bytes;
  const auto attribute = [&](int which) {
    int value = 0;
    return api.device_attribute != nullptr && api.device_attribute(&value, which, device) == 0 ? value : 0;
  };
  figures.multiprocessors = attribute(attribute_multiprocessors);
  figures.l2_persisting_bytes = attribute(attribute_l2_persisting);
  return figures;
}

/// Adds one device. On an error, `answer` receives its code and call.
void add_device(const Api& api, int index, CudaAnswer& answer) {
  Gpu gpu;
  gpu.index = index;
  int device = index;
  if (api.device_get != nullptr) answer.code = api.device_get(&device, index);
  if (answer.code != 0) {
    answer.call = fmt::format("cuDeviceGet({})", index);
    return;
  }
  std::array<char, 256> buffer{};
  if (api.device_name != nullptr && api.device_name(buffer.data(), int{buffer.size()} - 1, device) == 0) {
    gpu.name = buffer.data();
  }
  add_uuid(api, device, gpu);
  buffer.fill('\0');
  if (api.device_pci != nullptr && api.device_pci(buffer.data(), int{buffer.size()} - 1, device) == 0) {
    gpu.pci_bus_id = lower(buffer.data());
  }
  int major = 0;
  int minor = 0;
  if (api.device_attribute != nullptr &&
      api.device_attribute(&major, attribute_capability_major, device) == 0 &&
      api.device_attribute(&minor, attribute_capability_minor, device) == 0) {
    gpu.compute_capability = fmt::format("{}.{}", major, minor);
  }
  answer.gpus.push_back(std::move(gpu));
  answer.figures.push_back(figures_of(api, device));
}

/// Asks until the first error.
void ask(const Api& api, CudaAnswer& answer) {
  // Works before cuInit, even on a driver that is too old for everything else.
  if (api.driver_version != nullptr && api.driver_version(&answer.version) != 0) answer.version = 0;
  const result::Stopwatch initialising;
  answer.code = api.init(0);
  answer.init_seconds = initialising.seconds();
  answer.call = "cuInit";
  if (answer.code != 0) return;
  int count = 0;
  answer.code = api.device_count(&count);
  answer.call = "cuDeviceGetCount";
  for (int index = 0; index < count && answer.code == 0; ++index) add_device(api, index, answer);
  if (answer.code == 0) answer.call.clear();
}

}  // namespace

CudaAnswer ask_cuda(const std::string& soname) {
  CudaAnswer answer;
  const SharedObject library(soname);
  answer.library = library.opened();
  if (!answer.library.opened) return answer;
  const Api api = load(library);
  if (api.init == nullptr || api.device_count == nullptr) {
    answer.library.opened = false;
    answer.library.error = answer.library.path + " has no cuInit: it is not NVIDIA's driver library";
    return answer;
  }
  ask(api, answer);
  const char* name = nullptr;
  if (answer.code != 0 && api.error_name != nullptr && api.error_name(answer.code, &name) == 0 &&
      name != nullptr) {
    answer.error_name = name;
  }
  return answer;
}

}  // namespace gpugauge::stack

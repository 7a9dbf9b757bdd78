// The child's side: asks NVIDIA's libraries, which may hang or crash.
#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>

#include "result/number.hpp"
#include "stack/child_output.hpp"
#include "stack/driver_library.hpp"
#include "stack/host.hpp"
#include "stack/inventory/driver.hpp"
#include "stack/inventory/gpus.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/nvml.hpp"

namespace gpugauge::stack {
namespace {

constexpr unsigned gpus_most = 64;

/// Writes one line at once. A failure means that nobody reads the rest, so it is ignored.
void print(int output, const Inventory& inventory) {
  write_line(output, to_json_line(inventory));
}

std::string describe(int code) {
  const std::string_view name = nvml_error_name(code);
  return name.empty() ? fmt::format("code {}", code) : fmt::format("code {} ({})", code, name);
}

void add_fact(Inventory& inventory, const std::string& key, const NvmlFact& fact) {
  if (fact.code == 0) {
    inventory.present(key, fact.value, "nvml", fact.call);
  } else if (fact.code == nvml::no_permission) {
    inventory.unreadable(key, "nvml", "root", fact.call);
  } else if (fact.code == nvml::not_supported) {
    inventory.absent(key, "nvml", fact.call + ": not supported");
  } else if (fact.code == nvml::function_not_found) {
    inventory.absent(key, "nvml", fact.call + ": not in this library");
  } else {
    inventory.absent(key, "nvml", fmt::format("{}: {}", fact.call, describe(fact.code)));
  }
}

/// Adds where the loader really found the library, which may differ from our prediction.
void add_opened(Inventory& inventory, const std::string& name, const OpenedLibrary& library) {
  const std::string prefix = "driver." + name + "_";
  inventory.present(prefix + "path", library.path, library.path, "opened");
  const std::string version = driver_version_in(library.path);
  if (version.empty()) {
    inventory.absent(prefix + "version", library.path, "its file name tells no driver version");
  } else {
    inventory.present(prefix + "version", version, library.path, "file name");
  }
}

Inventory nvml_itself(const Nvml& nvml) {
  Inventory found;
  const OpenedLibrary& library = nvml.library().opened();
  if (!library.opened) {
    for (const char* const key : {"nvml.init.code", "nvml.init.name", "nvml.devices"})
      found.absent(key, "libnvidia-ml.so.1", library.error);
    return found;
  }
  add_opened(found, "libnvml", library);
  found.present("nvml.init.code", std::to_string(nvml.code()), "nvml", "nvmlInit_v2");
  found.present("nvml.init.name", std::string(nvml_error_name(nvml.code())), "nvml", "nvmlInit_v2");
  if (nvml.ready()) {
    add_fact(found, "nvml.devices", nvml.device_count());
    if (const std::string version = nvml.driver_version(); !version.empty())
      found.present("driver.version", version, "nvml", "nvmlSystemGetDriverVersion");
    add_fact(found, "driver.confidential_computing", nvml.confidential_computing());
  } else {
    found.absent("nvml.devices", "nvml", fmt::format("nvmlInit_v2: {}", describe(nvml.code())));
  }
  return found;
}

bool is_for_fingerprints(std::string_view fact) {
  return fact == "compute_mode_number";
}

/// Adds what the GPU was doing while its link was read, as far as NVML tells. NVML may not list another
/// container's process, so an empty list does not prove that it is idle.
void add_sampled(Inventory& found, const std::string& prefix) {
  const std::string processes = found.value(prefix + "processes");
  const bool resting = mentions(found.value(prefix + "throttle_reasons"), "idle");
  const char* const word = processes.empty() || (processes == "0" && !resting) ? "unknown"
                           : processes == "0"                                  ? "idle"
                                                                               : "in use";
  found.present(prefix + "pcie_sampled", word, "nvml", "processes and throttle_reasons");
}

/// One GPU of NVML; `address` receives its PCI address.
Inventory gpu_of_nvml(const Nvml& nvml, unsigned index, std::string& address) {
  Inventory found;
  const std::string prefix = fmt::format("gpu.{}.", index);
  int code = 0;
  const nvml::Device device = nvml.by_index(index, code);
  if (device == nullptr) {
    add_fact(found, prefix + "uuid", {"uuid", "nvmlDeviceGetHandleByIndex_v2", code, ""});
    if (code == nvml::gpu_is_lost)
      found.present(prefix + "lost", "yes", "nvml", "nvmlDeviceGetHandleByIndex_v2");
    return found;
  }
  bool lost = false;
  const auto add = [&](const NvmlFact& fact) {
    add_fact(found, prefix + fact.fact, fact);
    lost |= fact.code == nvml::gpu_is_lost;
    if (fact.fact == "pci") address = fact.value;
  };
  for (const std::string_view fact : nvml_facts()) {
    if (!is_for_fingerprints(fact)) add(ask_nvml_fact(nvml.library(), device, fact));
  }
  for (const NvmlFact& fact : ask_nvml_structures(nvml.library(), device)) add(fact);
  add_sampled(found, prefix);
  if (lost) found.present(prefix + "lost", "yes", "nvml", describe(nvml::gpu_is_lost));
  for (const VgpuInstance& instance : ask_vgpu_instances(nvml.library(), device)) {
    const std::string key = fmt::format("vgpu.instance.{}.", instance.id);
    found.present(key + "gpu", std::to_string(index), "nvml", "nvmlDeviceGetActiveVgpus");
    if (instance.guest_driver.value.empty())
      found.absent(key + "guest_driver", "nvml",
                   instance.guest_driver.call + ": no driver runs in the guest yet");
    else
      add_fact(found, key + "guest_driver", instance.guest_driver);
  }
  if (index == 0) {
    add_fact(found, "vgpu.host", ask_vgpu_host(nvml.library(), device));
    const NvmlFact guest = ask_vgpu_guest(nvml.library(), device);
    add_fact(found, "vgpu.guest", guest);
    if (guest.value == "yes") add_fact(found, "vgpu.licence", ask_vgpu_licence(nvml.library(), device));
  }
  return found;
}

void add_cuda_device(Inventory& found, const std::string& prefix, const Gpu& gpu, const CudaFigures& figures,
                     bool alone) {
  const auto add = [&](const char* name, const std::string& value, const char* call) {
    if (value.empty() || value == "0") {
      found.absent(prefix + name, "libcuda", fmt::format("{}: no answer", call));
    } else {
      found.present(prefix + name, value, "libcuda", call);
    }
  };
  if (alone) {
    add("uuid", gpu.uuid, "cuDeviceGetUuid");
    add("name", gpu.name, "cuDeviceGetName");
    add("pci", gpu.pci_bus_id, "cuDeviceGetPCIBusId");
    add("compute_capability", gpu.compute_capability, "cuDeviceGetAttribute");
    add("memory_mib", std::to_string(figures.memory_bytes >> 20U), "cuDeviceTotalMem_v2");
  }
  if (gpu.uuid.starts_with("MIG-") && !alone) return;  // an instance is only a part of the GPU
  add("sm_count", std::to_string(figures.multiprocessors), "cuDeviceGetAttribute");
  add("l2_persisting_max", std::to_string(figures.l2_persisting_bytes), "cuDeviceGetAttribute");
}

/// CUDA's answers. Devices use the index that NVML gives to the same PCI address.
Inventory cuda_itself(const std::map<std::string, unsigned>& index_of) {
  Inventory found;
  const CudaAnswer answer = ask_cuda();
  if (!answer.library.opened) {
    for (const char* const key : {"cuda.init.code", "cuda.init.name", "cuda.init.call", "cuda.devices"})
      found.absent(key, "libcuda.so.1", answer.library.error);
    return found;
  }
  add_opened(found, "libcuda", answer.library);
  std::error_code error;
  const auto bytes = std::filesystem::file_size(answer.library.path, error);
  constexpr int stub_library = 34;
  std::string kind = libcuda_kind(
      answer.library.path, error ? 0 : static_cast<double>(bytes) / (1024.0 * 1024.0), in_wsl(Tree("/")));
  const bool by_size = kind == "stub" && answer.library.path.find("/stubs/") == std::string::npos;
  if (by_size && answer.code != stub_library) kind = "driver";  // a stub answers nothing else
  found.present("driver.libcuda_kind", kind, answer.library.path,
                by_size ? "its size, and what cuInit answers" : "its folder and size");
  if (answer.version > 0) {
    found.present("driver.cuda_max", fmt::format("{}.{}", answer.version / 1000, answer.version % 1000 / 10),
                  "libcuda", "cuDriverGetVersion");
  } else {
    found.absent("driver.cuda_max", "libcuda", "cuDriverGetVersion: no answer");
  }
  constexpr int no_device = 100;
  found.present("cuda.init.code", std::to_string(answer.code), "libcuda", answer.call);
  found.present("cuda.init.name", answer.code == 0 ? "CUDA_SUCCESS" : answer.error_name, "libcuda",
                "cuGetErrorName");
  found.present("cuda.init.call", answer.code == 0 ? "cuInit" : answer.call, "libcuda");
  found.present("cuda.init.seconds", fmt::format("{:.3f}", answer.init_seconds), "libcuda", "cuInit");
  if (answer.code == 0 || answer.code == no_device) {
    found.present("cuda.devices", std::to_string(answer.gpus.size()), "libcuda", "cuDeviceGetCount");
  } else {
    found.absent("cuda.devices", "libcuda", fmt::format("{}: code {}", answer.call, answer.code));
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(answer.gpus.size(), gpus_most); ++i) {
    const Gpu& gpu = answer.gpus[i];
    const auto same = index_of.find(gpu.pci_bus_id);
    if (same != index_of.end()) {
      add_cuda_device(found, fmt::format("gpu.{}.", same->second), gpu, answer.figures[i], false);
    } else if (index_of.empty()) {
      add_cuda_device(found, fmt::format("gpu.{}.", i), gpu, answer.figures[i], true);
    }
  }
  return found;
}

}  // namespace

int inventory_child_main() {
  ::signal(SIGPIPE, SIG_IGN);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);  // a hanging child must not outlive the command
  const int output = take_standard_output();
  std::map<std::string, unsigned> index_of;
  // Stays open until CUDA has answered: without persistence mode the GPUs would be taken down in between, and
  // every one of them would be started twice.
  const Nvml nvml;
  const Inventory itself = nvml_itself(nvml);
  print(output, itself);
  const unsigned count =
      nvml.ready() ? result::number_in<unsigned>(itself.value("nvml.devices")).value_or(0) : 0;
  for (unsigned index = 0; index < std::min(count, gpus_most); ++index) {
    std::string address;
    print(output, gpu_of_nvml(nvml, index, address));
    if (!address.empty()) index_of.emplace(address, index);
  }
  print(output, cuda_itself(index_of));
  Inventory end;
  end.present("driver_child.outcome", "answered", "a child process");
  print(output, end);
  return 0;
}

}  // namespace gpugauge::stack

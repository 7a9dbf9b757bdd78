#include <fmt/format.h>

#include "result/build.hpp"
#include "stack/gpu_report.hpp"

namespace gpugauge::stack {
namespace {

std::string fact(const result::Facts& facts, const std::string& name) {
  const auto found = facts.find(name);
  return found == facts.end() ? "unknown" : found->second;
}

/// "16" -> "16 GiB"; words ("none", "absent") stay alone.
std::string with_unit(const std::string& value, const std::string& unit) {
  const bool number = !value.empty() && value.front() >= '0' && value.front() <= '9';
  return number ? value + " " + unit : value;
}

Layer gpu_layer(const GpuReport& gpus) {
  if (gpus.gpus.empty()) {
    if (!gpus.nvidia_hardware) return {"GPU", "absent", "no NVIDIA GPU found"};
    return {"GPU", "unknown",
            "NVIDIA hardware is there and cannot be used: " + std::string(to_string(gpus.state))};
  }
  const Gpu& first = gpus.gpus.front();
  std::size_t same = 0;
  for (const Gpu& gpu : gpus.gpus) same += gpu.name == first.name ? 1 : 0;
  const std::size_t others = gpus.gpus.size() - same;
  return {"GPU", fmt::format("{} x {}", same, first.name),
          fmt::format("compute capability {}{}", first.compute_capability,
                      others == 0 ? "" : fmt::format(", and {} of another model", others))};
}

Layer library_layer(const result::Facts& stack, const std::string& name, const std::string& prefix) {
  const std::string path = fact(stack, prefix + ".path");
  return {name, fact(stack, prefix + ".version"), path == "absent" ? "" : path};
}

Layer virtualisation_layer(const result::Facts& settings) {
  const std::string machine = fact(settings, "host.virtualization");
  const std::string container = fact(settings, "host.container");
  return {"virtualisation", machine == "none" ? "bare metal" : machine,
          container == "none" ? "no container" : "container: " + container};
}

}  // namespace

std::vector<Layer> layers(const result::Fingerprint& fingerprint, const GpuReport& gpus) {
  const result::Facts& device = fingerprint.device;
  const result::Facts& stack = fingerprint.stack;
  const result::Facts& settings = fingerprint.settings;
  const result::Facts& topology = fingerprint.topology;

  const std::string kind = gpus.kernel_module_kind;
  const std::string cuda_max = fact(stack, "driver.cuda_max");
  const std::string libcuda = fact(stack, "driver.libcuda_path");
  std::string libcuda_detail = libcuda == "absent" ? "no libcuda.so.1 was opened" : libcuda;
  if (libcuda != "absent" && cuda_max != "absent")
    libcuda_detail = fmt::format("up to CUDA {}, {}", cuda_max, libcuda);
  const std::string toolkit = fact(stack, "cuda.toolkit");
  const std::string limit = fact(settings, "host.cgroup_cpu_limit");

  return {
      gpu_layer(gpus),
      {"kernel driver", fact(stack, "driver.kernel_module_version"), kind.empty() ? "" : kind + " module"},
      {"user-mode driver", fact(stack, "driver.libcuda_version"), libcuda_detail},
      {"CUDA of this build", toolkit,
       toolkit == "absent"
           ? "built without CUDA"
           : fmt::format("linked in; needs driver {} or newer", result::build().minimum_driver)},
      library_layer(stack, "cuBLAS", "cublas"),
      library_layer(stack, "cuDNN", "cudnn"),
      library_layer(stack, "NCCL", "nccl"),
      {"system", fact(stack, "host.distribution"), fact(stack, "host.os")},
      {"kernel", fact(stack, "kernel.version"), ""},
      {"C library", fact(stack, "host.libc"), ""},
      {"processor", fact(device, "host.cpu_model"),
       fmt::format("{} processors, {} sockets, {} NUMA nodes, governor {}", fact(device, "host.cpus"),
                   fact(device, "host.sockets"), fact(topology, "host.numa_nodes"),
                   fact(settings, "host.governor"))},
      {"memory", with_unit(fact(device, "host.memory_gib"), "GiB"),
       "transparent huge pages: " + fact(settings, "host.transparent_hugepage")},
      virtualisation_layer(settings),
      {"processor limit", with_unit(limit, "processors"),
       "control group; allowed on processors " + fact(settings, "host.cpus_allowed")}};
}

}  // namespace gpugauge::stack

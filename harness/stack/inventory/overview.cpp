// Builds the layers of the overview from an inventory.
#include "stack/inventory/overview.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/inventory/image.hpp"
#include "stack/inventory/rdma_ports.hpp"

namespace gpugauge::stack {
namespace {

/// The value, or the answer in its place; "unknown" if nobody looked.
std::string answer(const Inventory& inventory, const std::string& key) {
  const Item* item = inventory.find(key);
  if (item == nullptr) return "unknown";
  switch (item->presence) {
    case Presence::present:
      return item->value.empty() ? "empty" : item->value;
    case Presence::absent:
      return "absent";
    case Presence::unreadable:
      break;
  }
  return item->needs.empty() ? "unreadable" : fmt::format("unreadable (it takes {})", item->needs);
}

/// The non-empty parts, joined by commas.
std::string joined(const std::vector<std::string>& parts) {
  std::vector<std::string> said;
  for (const std::string& part : parts)
    if (!part.empty()) said.push_back(part);
  return fmt::format("{}", fmt::join(said, ", "));
}

/// "prefix value suffix"; "" if there is no value.
std::string with(const std::string& prefix, const std::string& value, const std::string& suffix = "") {
  return value.empty() ? "" : prefix + value + suffix;
}

constexpr const char* not_told = "not told";

void add_gpus(const Inventory& inventory, std::vector<Layer>& out) {
  if (is_image(inventory)) return out.push_back({"GPU", not_told, "only a running machine has one"});
  std::map<std::string, std::vector<std::string>> by_model;
  for (const std::string& index : inventory.children("gpu")) {
    const std::string prefix = "gpu." + index + ".";
    by_model[answer(inventory, prefix + "name")].push_back(prefix);
  }
  for (const auto& [name, prefixes] : by_model) {
    const std::string& first = prefixes.front();
    const std::string memory = inventory.value(first + "memory_mib");
    out.push_back({"GPU", fmt::format("{} x {}", prefixes.size(), name),
                   joined({inventory.value(first + "architecture"),
                           with("compute capability ", inventory.value(first + "compute_capability")),
                           with("", memory, " MiB"), with("MIG ", inventory.value(first + "mig")),
                           with("ECC ", inventory.value(first + "ecc"))})});
  }
  if (!by_model.empty()) return;
  std::vector<std::string> functions;
  for (const std::string& index : inventory.children("pci")) {
    const std::string driver = inventory.value("pci." + index + ".driver");
    functions.push_back(inventory.value("pci." + index + ".address") +
                        (driver.empty() ? " (no driver)" : " (" + driver + ")"));
  }
  if (functions.empty())
    out.push_back(inventory.unreadable("pci") ? Layer{"GPU", answer(inventory, "pci"), "none was seen"}
                                              : Layer{"GPU", "absent", "no NVIDIA device on the PCI bus"});
  else
    out.push_back({"GPU", "unknown", fmt::format("on the PCI bus: {}", fmt::join(functions, ", "))});
}

/// The kernel side of an image: its module files, not what will be loaded.
Layer module_files(const Inventory& inventory) {
  const std::string kernel = inventory.value("driver.newest_kernel");
  const std::string there = inventory.value("driver.module_for_newest_kernel");
  return {"kernel driver", not_told,
          kernel.empty()
              ? "only a running machine has it loaded; no kernel is installed here"
              : fmt::format("only a running machine has it loaded; {} for the newest kernel here, {}",
                            there == "yes" ? "a module file is there" : "no module file is there", kernel)};
}

void add_driver(const Inventory& inventory, std::vector<Layer>& out) {
  if (is_image(inventory))
    out.push_back(module_files(inventory));
  else
    out.push_back({"kernel driver", answer(inventory, "driver.kernel_module_version"),
                   joined({with("", inventory.value("driver.kernel_module_kind"), " module"),
                           with("GSP firmware ", inventory.value("driver.gsp")),
                           with("nouveau ", inventory.value("driver.nouveau"))})});
  const std::string end = inventory.value("driver_branch.end_of_life");
  out.push_back({"user-mode driver", answer(inventory, "driver.libcuda_version"),
                 joined({with("up to CUDA ", inventory.value("driver.cuda_max")),
                         with("", inventory.value("driver_branch.kind")),
                         end == "ended" ? "no more fixes" : with("end of life ", end),
                         inventory.value("driver.libcuda_path")})});
  out.push_back(
      {"NVML", answer(inventory, "driver.libnvml_version"), inventory.value("driver.libnvml_path")});
  if (inventory.value("topology.nvswitch") == "yes" || inventory.has("fabric_manager.state"))
    out.push_back({"fabric manager", answer(inventory, "fabric_manager.version"),
                   answer(inventory, "fabric_manager.state")});
}

void add_toolkits(const Inventory& inventory, std::vector<Layer>& out) {
  const std::string selected = inventory.value("toolkit.selected");
  bool any = false;
  for (const std::string& index : inventory.children("toolkit")) {
    const std::string prefix = "toolkit." + index + ".";
    if (!inventory.has(prefix + "path")) continue;
    any = true;
    const std::string path = inventory.value(prefix + "path");
    out.push_back({"CUDA toolkit", answer(inventory, prefix + "version"),
                   joined({path, path == selected && !path.empty()
                                     ? "selected by " + inventory.value("toolkit.selected_by")
                                     : ""})});
  }
  if (!any) out.push_back({"CUDA toolkit", "absent", ""});
}

struct Shown {
  const char* key;
  const char* name;
  bool always;  ///< also shown if absent
};
constexpr std::array libraries{Shown{"cudart", "CUDA runtime", true},
                               Shown{"cublas", "cuBLAS", true},
                               Shown{"cublasLt", "cuBLASLt", false},
                               Shown{"cudnn", "cuDNN", true},
                               Shown{"nccl", "NCCL", true},
                               Shown{"cufft", "cuFFT", false},
                               Shown{"cusparse", "cuSPARSE", false},
                               Shown{"cusolver", "cuSOLVER", false},
                               Shown{"curand", "cuRAND", false},
                               Shown{"nvrtc", "NVRTC", false},
                               Shown{"nvjitlink", "nvJitLink", false},
                               Shown{"cupti", "CUPTI", false},
                               Shown{"nvinfer", "TensorRT", false}};

void add_libraries(const Inventory& inventory, std::vector<Layer>& out) {
  for (const Shown& library : libraries) {
    const std::string prefix = std::string("library.") + library.key + ".";
    std::size_t copies = 0;
    for (const std::string& index : inventory.children(prefix.substr(0, prefix.size() - 1)))
      copies += inventory.has(prefix + index + ".path") ? 1 : 0;
    if (copies == 0) {
      const bool refused = inventory.unreadable(prefix + "picked");
      if (library.always)
        out.push_back({library.name, refused ? answer(inventory, prefix + "picked") : "absent", ""});
      continue;
    }
    const bool picked = !inventory.value(prefix + "picked").empty();
    out.push_back({library.name, answer(inventory, prefix + "0.version"),
                   joined({inventory.value(prefix + "0.path"), picked ? "" : "not on the loader's path",
                           copies > 1 ? fmt::format("{} more", copies - 1) : ""})});
  }
}

void add_frameworks(const Inventory& inventory, std::vector<Layer>& out) {
  if (inventory.has("python.path"))
    out.push_back({"Python", answer(inventory, "python.version"),
                   joined({inventory.value("python.path"), inventory.value("python.kind")})});
  for (const std::string& name : inventory.children("framework")) {
    const std::string prefix = "framework." + name + ".";
    if (!inventory.has(prefix + "version")) continue;
    out.push_back({name, inventory.value(prefix + "version"),
                   joined({with("", inventory.value(prefix + "build"), " build"),
                           with("CUDA ", inventory.value(prefix + "cuda")),
                           with("cuDNN ", inventory.value(prefix + "cudnn")),
                           with("NCCL ", inventory.value(prefix + "nccl"))})});
  }
}

void add_host(const Inventory& inventory, std::vector<Layer>& out) {
  out.push_back({"system", answer(inventory, "host.distribution"), with("", inventory.value("host.libc"))});
  if (is_image(inventory)) {
    out.push_back({"kernel", not_told, with("newest installed: ", inventory.value("driver.newest_kernel"))});
    out.push_back({"machine", not_told, "files below " + inventory.value("collected.root")});
    out.push_back({"container", answer(inventory, "container.kind"),
                   with("NVIDIA Container Toolkit ", inventory.value("container.toolkit_version"))});
    return;
  }
  out.push_back({"kernel", answer(inventory, "kernel.version"), inventory.value("host.os")});
  const std::string machine = inventory.value("host.virtualization");
  out.push_back(
      {"machine", machine == "none" ? "bare metal" : answer(inventory, "host.virtualization"),
       joined({inventory.value("host.cpu_model"), with("", inventory.value("host.cpus"), " processors"),
               with("", inventory.value("host.memory_gib"), " GiB"),
               with("governor ", inventory.value("host.governor"))})});
  const std::string limit = inventory.value("host.cgroup_cpu_limit");
  const std::string allowed = inventory.value("host.cpus_allowed");
  if (!limit.empty() || !allowed.empty())
    out.push_back({"processor limit", limit.empty() || limit == "none" ? "none" : limit + " processors",
                   joined({"control group", with("allowed on processors ", allowed)})});
  const std::string toolkit = inventory.value("container.toolkit_version");
  out.push_back({"container", answer(inventory, "container.kind"),
                 joined({with("NVIDIA Container Toolkit ", toolkit),
                         with("image of CUDA ", inventory.value("container.image_cuda"))})});
}

/// "8 of 9 ports active", and at which rates.
void add_network(const Inventory& inventory, std::vector<Layer>& out) {
  const RdmaPorts all = rdma_ports(inventory);
  const RdmaPorts ports = certain_rdma_ports(inventory);
  const auto active =
      std::count_if(ports.begin(), ports.end(), [](const auto& port) { return port.active(); });
  std::map<std::string, int> rates;
  for (const RdmaPort& port : ports)
    if (port.active()) ++rates[fmt::format("{} {}", port.link_layer, port.rate)];
  std::vector<std::string> said;
  said.reserve(rates.size() + 1);
  for (const auto& [rate, count] : rates) said.push_back(fmt::format("{} x {}", count, rate));
  if (all.size() > ports.size())
    said.push_back(
        fmt::format("{} more that may only manage NVSwitches (root is told)", all.size() - ports.size()));
  if (!all.empty())
    out.push_back({"RDMA network", fmt::format("{} of {} ports active", active, ports.size()), joined(said)});
}

}  // namespace

std::vector<Layer> overview(const Inventory& inventory) {
  std::vector<Layer> out;
  add_gpus(inventory, out);
  add_driver(inventory, out);
  add_toolkits(inventory, out);
  add_libraries(inventory, out);
  add_frameworks(inventory, out);
  add_host(inventory, out);
  add_network(inventory, out);
  return out;
}

}  // namespace gpugauge::stack

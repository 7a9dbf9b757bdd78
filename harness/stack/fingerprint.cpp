#include <array>
#include <filesystem>
#include <map>
#include <system_error>

#include <fmt/format.h>

#include "result/build.hpp"
#include "result/facts.hpp"
#include "stack/gpu_report.hpp"
#include "stack/host.hpp"
#include "stack/inventory/libraries.hpp"
#include "stack/loader.hpp"
#include "stack/own_folders.hpp"
#include "stack/pci_way.hpp"

namespace gpugauge::stack {
namespace {

std::string said_or_unknown(const std::string& text) {
  return text.empty() ? "unknown" : text;
}

/// The sonames that programs for this build's CUDA major version load.
struct Library {
  const char* fact;
  std::string soname;
};
std::vector<Library> libraries() {
  const std::string cuda = result::build().cuda;
  const std::string major = cuda.empty() ? "13" : cuda.substr(0, cuda.find('.'));
  // cuFFT has its own numbers: 11 with CUDA 12, 12 with CUDA 13.
  return {{"cublas", "libcublas.so." + major},
          {"cudnn", "libcudnn.so.9"},
          {"cufft", major == "12" ? "libcufft.so.11" : "libcufft.so.12"},
          {"nccl", "libnccl.so.2"}};
}

result::Facts device_facts(const GpuReport& gpus, const Tree& tree) {
  result::Facts facts = device_of_host(tree);
  facts["gpu.count"] = std::to_string(gpus.gpus.size());
  for (const Gpu& gpu : gpus.gpus) {
    const std::string prefix = fmt::format("gpu.{}.", gpu.index);
    facts[prefix + "name"] = said_or_unknown(gpu.name);
    facts[prefix + "uuid"] = said_or_unknown(gpu.uuid);
    facts[prefix + "compute_capability"] = said_or_unknown(gpu.compute_capability);
  }
  return facts;
}

result::Facts stack_facts(const GpuReport& gpus, const Tree& tree, const Environment& environment,
                          const std::map<std::string, std::string>& programs) {
  result::Facts facts = stack_of_host(tree);
  facts["driver.version"] = result::or_absent(gpus.driver_version);
  facts["driver.kernel_module_version"] = result::or_absent(gpus.kernel_module_version);
  facts["driver.open_module"] = gpus.kernel_module_kind.empty()     ? "unknown"
                                : gpus.kernel_module_kind == "open" ? "yes"
                                                                    : "no";
  if (gpus.kernel_module_version.empty() && gpus.driver_version.empty())
    facts["driver.open_module"] = "absent";
  facts["driver.libcuda_path"] = result::or_absent(gpus.libcuda_path);
  facts["driver.libcuda_version"] =
      gpus.libcuda_path.empty() ? "absent" : said_or_unknown(gpus.libcuda_version);
  facts["driver.cuda_max"] = result::or_absent(gpus.driver_cuda_version);
  facts["cuda.toolkit"] = result::or_absent(result::build().cuda);
  const Loader loader(tree, environment);
  for (const Library& library : libraries()) {
    const auto program = programs.find(library.fact);
    const std::string path = loader.pick(
        library.soname, program == programs.end() ? OwnFolders{} : own_folders(tree, program->second));
    std::error_code error;
    const auto real = std::filesystem::canonical(tree.at(path), error);
    const std::string name = error ? path : real.string();
    facts[fmt::format("{}.path", library.fact)] = result::or_absent(path);
    facts[fmt::format("{}.version", library.fact)] = path.empty() ? "absent" : library_version(name);
  }
  return facts;
}

result::Facts settings_facts(const GpuReport& gpus, const Tree& tree, const Environment& environment) {
  result::Facts facts = settings_of_machine(tree, environment);
  for (const Gpu& gpu : gpus.gpus) {
    for (const auto& [name, value] : gpu.settings) facts[fmt::format("gpu.{}.{}", gpu.index, name)] = value;
  }
  return facts;
}

result::Facts topology_facts(const GpuReport& gpus, const Tree& tree) {
  result::Facts facts = topology_of_host(tree);
  for (const Gpu& gpu : gpus.gpus) {
    const std::string prefix = fmt::format("gpu.{}.", gpu.index);
    facts[prefix + "pci"] = said_or_unknown(gpu.pci_bus_id);
    if (!gpu.card.empty()) facts[prefix + "card"] = gpu.card;
    if (gpu.pci_bus_id.empty()) continue;
    const std::string folder = fmt::format("{}/{}", pci_devices, gpu.pci_bus_id);
    // The maximum, not the current value: an idle link drops to its lowest speed.
    facts[prefix + "pcie_max_speed"] = tree.read(folder + "/max_link_speed").fact();
    facts[prefix + "pcie_max_width"] = tree.read(folder + "/max_link_width").fact();
    facts[prefix + "numa_node"] = tree.read(folder + "/numa_node").fact();
    for (const auto& [name, value] : pci_way(tree, gpu.pci_bus_id)) facts[prefix + name] = value;
  }
  return facts;
}

}  // namespace

result::Fingerprint fingerprint(const GpuReport& gpus, const std::string& root,
                                const std::map<std::string, std::string>& programs) {
  const Tree tree(root);
  const Environment environment = current_environment();
  result::Fingerprint found;
  found.device = device_facts(gpus, tree);
  found.stack = stack_facts(gpus, tree, environment, programs);
  found.settings = settings_facts(gpus, tree, environment);
  found.topology = topology_facts(gpus, tree);
  return found;
}

}  // namespace gpugauge::stack

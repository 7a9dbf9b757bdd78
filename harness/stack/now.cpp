#include "stack/now.hpp"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "stack/environment.hpp"
#include "stack/hardware.hpp"
#include "stack/inventory/driver.hpp"
#include "stack/inventory/libraries.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {
namespace {

std::string fact(const result::Facts& facts, const std::string& name) {
  const auto found = facts.find(name);
  return found == facts.end() || found->second == "absent" || found->second == "unknown" ? "" : found->second;
}

/// The version of the driver's library in the folder it was loaded from; "gone" if there is none any more.
/// The file has the version in its name, so an upgrade removes it or changes the link.
std::string libcuda_now(const Tree& tree, const std::string& path) {
  const std::string link = tree.resolve(path.substr(0, path.rfind('/')) + "/libcuda.so.1");
  const std::string real = link.empty() ? tree.resolve(path) : link;
  return real.empty() ? "gone" : driver_version_in(real);
}

/// Compute instances by the module's access files, one folder each. Without MIG's own folder the module tells
/// of none. The folders have the number of the card's device node.
std::optional<std::size_t> instances_of(const Tree& tree, const ModuleGpu& gpu) {
  const std::string capabilities = "/proc/driver/nvidia/capabilities";
  if (gpu.minor.empty() || tree.list(capabilities + "/mig").empty()) return std::nullopt;
  const std::string card = fmt::format("{}/gpu{}/mig", capabilities, gpu.minor);
  std::size_t count = 0;
  for (const std::string& slice : tree.list(card)) {
    if (!slice.starts_with("gi")) continue;
    for (const std::string& instance : tree.list(fmt::format("{}/{}", card, slice)))
      count += instance.starts_with("ci") ? 1 : 0;
  }
  return count;
}

}  // namespace

MachineNow machine_now(const std::string& root) {
  const Tree tree(root);
  const Hardware hardware = find_hardware(tree);
  MachineNow out;
  out.nvidia = hardware.any();
  out.gpus_listed = !hardware.wsl;
  out.driver_version = hardware.module_version;
  out.container =
      container_kind(tree, value_of(current_environment(), "KUBERNETES_SERVICE_HOST").has_value());
  for (const ModuleGpu& gpu : gpus_of_module(tree))
    out.gpus.push_back(
        {gpu.address, gpu.uuid, gpu.name, out.container.empty() ? instances_of(tree, gpu) : std::nullopt});
  // A card passed to a virtual machine does not belong to this machine.
  if (out.gpus.empty() && !hardware.module_loaded)
    for (const PciGpu& gpu : hardware.pci)
      if (!is_reserving_driver(gpu.driver)) out.gpus.push_back({gpu.address, "", ""});
  return out;
}

bool on_pci_bus(const std::string& address, const std::string& root) {
  const std::string bus = "/sys/bus/pci/devices";
  const Tree tree(root);
  std::error_code unknown;
  if (address.find_first_not_of("0123456789abcdef:.") != std::string::npos || address.size() < 8 ||
      !std::filesystem::is_directory(tree.at(bus), unknown))
    return true;
  return std::filesystem::exists(tree.at(bus + "/" + address), unknown) || unknown;
}

std::vector<FileChange> changed_files(const result::Facts& stack, const std::string& root) {
  const Tree tree(root);
  std::vector<FileChange> out;
  const std::string libcuda = fact(stack, "driver.libcuda_path");
  const std::string version = fact(stack, "driver.libcuda_version");
  if (!libcuda.empty() && !version.empty()) {
    if (std::string now = libcuda_now(tree, libcuda); now != version)
      out.push_back({"libcuda", version, std::move(now)});
  }
  for (const std::string name : {"cublas", "cudnn", "cufft", "nccl"}) {
    const std::string path = fact(stack, name + ".path");
    const std::string then = fact(stack, name + ".version");
    if (path.empty() || then.empty()) continue;
    const std::string real = tree.resolve(path);
    std::string now = real.empty() ? "gone" : library_version(tree.at(real).string());
    if (now != then) out.push_back({name, then, std::move(now)});
  }
  return out;
}

}  // namespace gpugauge::stack

#include "stack/hardware.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace gpugauge::stack {
namespace {

/// True if the path resolves. A path in a folder that may not be entered is no evidence of anything.
bool is_there(const Tree& tree, const char* path) {
  return !tree.resolve(path).empty();
}

void find_pci(const Tree& tree, Hardware& found) {
  const std::string devices = "/sys/bus/pci/devices";
  found.pci_listed = tree.folder(devices) == Presence::present;
  for (const std::string& address : tree.list(devices)) {
    const std::string folder = fmt::format("{}/{}", devices, address);
    if (tree.read(folder + "/vendor").text != "0x10de") continue;
    if (is_virtual_function(tree, folder)) continue;
    const Reading pci_class = tree.read(folder + "/class");
    if (pci_class.text.rfind("0x03", 0) == 0) {
      found.pci.push_back({address, tree.read(folder + "/device").text, tree.link_name(folder + "/driver")});
    } else if (pci_class.text.rfind("0x0680", 0) == 0) {
      found.nvswitch = true;  // an NVSwitch appears as "bridge, other"
    }
  }
}

void find_module(const Tree& tree, Hardware& found) {
  const Reading version = tree.read("/proc/driver/nvidia/version");
  found.module_loaded = version.present() || tree.folder("/sys/module/nvidia") == Presence::present;
  if (version.present()) {
    const std::string line = version.text.substr(0, version.text.find('\n'));
    found.module_version = first_version(line);
    found.module_kind = line.find("Open Kernel Module") != std::string::npos ? "open" : "proprietary";
  }
  if (found.module_version.empty())
    found.module_version = first_version(tree.read("/sys/module/nvidia/version").text);
  found.uvm_loaded = tree.folder("/sys/module/nvidia_uvm") == Presence::present;
}

void find_nodes(const Tree& tree, Hardware& found) {
  for (const std::string& name : tree.list("/dev")) {
    if (!name.starts_with("nvidia")) continue;
    const std::string rest = name.substr(6);
    if (!rest.empty() &&
        std::all_of(rest.begin(), rest.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) {
      found.nodes.push_back("/dev/" + name);
    }
    if (rest == "ctl") found.control_node = true;
    if (rest == "-uvm") found.uvm_node = true;
    if (rest.starts_with("-nvswitch")) found.nvswitch = true;
  }
  // /dev/dxg alone is no evidence: WSL shows it for GPUs of every maker.
  found.wsl = is_there(tree, "/dev/dxg") && is_there(tree, "/usr/lib/wsl/lib/libcuda.so.1");
}

void find_module_files(const Tree& tree, Hardware& found) {
  constexpr std::size_t limit = std::size_t{16} << 20;
  found.kernel = tree.read("/proc/sys/kernel/osrelease").text;
  for (const std::string& kernel : tree.list("/lib/modules")) {
    const Reading list = tree.read(fmt::format("/lib/modules/{}/modules.dep", kernel), limit);
    const bool has_module = !nvidia_module_file(list.text).empty();
    if (kernel == found.kernel) {
      found.module_files_readable = list.present();
      found.module_for_running_kernel = has_module;
    } else if (has_module) {
      found.kernels_with_module.push_back(kernel);
    }
  }
}

}  // namespace

bool is_reserving_driver(std::string_view driver) {
  return driver.ends_with("vfio-pci") || driver == "pci-stub" || driver == "pciback" ||
         driver == "xen-pciback";
}

bool is_virtual_function(const Tree& tree, const std::string& folder) {
  return !tree.link_name(folder + "/physfn").empty();
}

std::string first_version(std::string_view text) {
  for (std::size_t start = 0; start < text.size();) {
    const auto is_part = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.'; };
    if (!is_part(text[start])) {
      ++start;
      continue;
    }
    std::size_t end = start;
    while (end < text.size() && is_part(text[end])) ++end;
    const std::string_view candidate = text.substr(start, end - start);
    const bool in_word = start > 0 && (std::isalnum(static_cast<unsigned char>(text[start - 1])) != 0 ||
                                       text[start - 1] == '_');
    if (!in_word && candidate.find('.') != std::string_view::npos && candidate.front() != '.')
      return std::string(candidate);
    start = end;
  }
  return "";
}

// "/nvidia" alone would also match the kernel's nvidia-wmi-ec-backlight and nvidiafb. Debian renames NVIDIA's
// module.
std::string nvidia_module_file(std::string_view modules_dep) {
  for (const std::string_view name : {"/nvidia.ko", "/nvidia-current", "/nvidia-tesla", "/nvidia-legacy"}) {
    for (auto at = modules_dep.find(name); at != std::string_view::npos;
         at = modules_dep.find(name, at + 1)) {
      const auto line = modules_dep.rfind('\n', at) + 1;  // npos + 1 is 0
      const auto colon = modules_dep.find(':', line);
      if (colon < at) continue;  // this line belongs to a module that needs it
      const std::string_view path = modules_dep.substr(line, colon - line);
      const std::string_view rest = path.substr(at - line);
      const auto is_part = [&](std::string_view part) { return rest.find(part) != std::string_view::npos; };
      if (!is_part("-uvm") && !is_part("-drm") && !is_part("-modeset") && !is_part("-peermem"))
        return std::string(path.substr(0, path.find('\n')));
    }
  }
  return "";
}

bool Hardware::any() const {
  return !pci.empty() || module_loaded || !nodes.empty() || control_node || wsl;
}

Hardware find_hardware(const Tree& tree) {
  Hardware found;
  find_pci(tree, found);
  find_module(tree, found);
  find_nodes(tree, found);
  if (!found.pci.empty() && !found.module_loaded) find_module_files(tree, found);
  if (found.kernel.empty()) found.kernel = tree.read("/proc/sys/kernel/osrelease").text;
  return found;
}

}  // namespace gpugauge::stack

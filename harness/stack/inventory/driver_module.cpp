// The kernel module: whether it is loaded, its options, and whether each kernel has one.
#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "stack/inventory/driver.hpp"
#include "stack/inventory/lines.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t list_limit = std::size_t{16} << 20;

struct ModuleOption {
  std::string_view name;
  std::string_view usual;
};
// Defaults in the open kernel module's nv-reg.h. Options whose default changed between releases are missing
// here and always reported.
constexpr std::array usual_options{
    ModuleOption{"ResmanDebugLevel", "4294967295"},
    ModuleOption{"RmLogonRC", "1"},
    ModuleOption{"ModifyDeviceFiles", "1"},
    ModuleOption{"DeviceFileUID", "0"},
    ModuleOption{"DeviceFileGID", "0"},
    ModuleOption{"DeviceFileMode", "438"},
    ModuleOption{"InitializeSystemMemoryAllocations", "1"},
    ModuleOption{"UsePageAttributeTable", "4294967295"},
    ModuleOption{"EnableMSI", "1"},
    ModuleOption{"RegisterForACPIEvents", "1"},
    ModuleOption{"EnablePCIeGen3", "0"},
    ModuleOption{"MemoryPoolSize", "0"},
    ModuleOption{"KMallocHeapMaxSize", "0"},
    ModuleOption{"VMallocHeapMaxSize", "0"},
    ModuleOption{"IgnoreMMIOCheck", "0"},
    ModuleOption{"TCEBypassMode", "0"},
    ModuleOption{"EnableStreamMemOPs", "0"},
    ModuleOption{"EnableUserNUMAManagement", "1"},
    ModuleOption{"NvLinkDisable", "0"},
    ModuleOption{"RmProfilingAdminOnly", "1"},
    ModuleOption{"EnableS0ixPowerManagement", "0"},
    ModuleOption{"S0ixPowerManagementVideoMemoryThreshold", "256"},
    ModuleOption{"DynamicPowerManagement", "3"},
    ModuleOption{"DynamicPowerManagementVideoMemoryThreshold", "200"},
    ModuleOption{"RegisterPCIDriver", "1"},
    ModuleOption{"EnablePCIERelaxedOrderingMode", "0"},
    ModuleOption{"EnableResizableBar", "0"},
    ModuleOption{"EnableGpuFirmware", "18"},
    ModuleOption{"EnableGpuFirmwareLogs", "2"},
    ModuleOption{"EnableDbgBreakpoint", "0"},
    ModuleOption{"ImexChannelCount", "2048"},
};
// For these neither value is unusual: the default changed between releases, and they concern suspending.
constexpr std::array moved_options{"PreserveVideoMemoryAllocations", "OpenRmEnableUnsupportedGpus",
                                   "UseKernelSuspendNotifiers", "DmaRemapPeerMmio",
                                   "RmNvlinkBandwidthLinkCount"};

bool is_usual(std::string_view name, std::string_view value) {
  if (value.empty() || value == "\"\"") return true;
  if (std::find(moved_options.begin(), moved_options.end(), name) != moved_options.end()) return true;
  const auto option = std::find_if(usual_options.begin(), usual_options.end(),
                                   [&](const ModuleOption& one) { return one.name == name; });
  return option == usual_options.end() ? value == "0" : value == option->usual;
}

void add_options(const Tree& tree, Inventory& inventory) {
  const char* const file = "/proc/driver/nvidia/params";
  for_each_line(tree.read(file).text, [&](std::string_view line) {
    const auto colon = line.find(": ");
    if (colon == std::string_view::npos) return;
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = stripped(line.substr(colon + 2));
    const bool word = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_';
    });
    if (word && !is_usual(name, value))
      inventory.present(fmt::format("driver.module_parameters.{}", name), std::string(value), file);
  });
}

void add_loaded(const DriverFiles& files, Inventory& inventory) {
  const char* const source = "/proc/driver/nvidia/version";
  const Hardware& hardware = files.hardware;
  const bool told = files.tree.read(source).presence != Presence::unreadable &&
                    files.tree.folder("/sys/module") != Presence::unreadable;
  if (!hardware.module_loaded && !told) {
    inventory.unreadable("driver.kernel_module_version", source, "root");
    inventory.unreadable("driver.kernel_module_kind", source, "root");
    return;
  }
  if (!hardware.module_loaded) {
    inventory.absent("driver.kernel_module_version", source, "no nvidia module is loaded");
    inventory.absent("driver.kernel_module_kind", source, "no nvidia module is loaded");
    return;
  }
  if (hardware.module_version.empty()) {
    inventory.absent("driver.kernel_module_version", source, "loaded, and does not tell its version");
  } else {
    inventory.present("driver.kernel_module_version", hardware.module_version,
                      files.tree.read(source).present() ? source : "/sys/module/nvidia/version");
  }
  if (hardware.module_kind.empty()) {
    inventory.absent("driver.kernel_module_kind", source, "loaded, and does not tell its kind");
  } else {
    inventory.present("driver.kernel_module_kind", hardware.module_kind, source);
  }
}

/// The kernel's flavour: "generic" in "6.8.0-60-generic", "rt-amd64" in "6.1.0-25-rt-amd64", "64k-debug" in
/// "5.14.0-570.el9.aarch64+64k-debug"; "" if the release has none.
std::string flavour(const std::string& release) {
  constexpr std::array<std::string_view, 5> red_hats{"debug", "rt", "rt-debug", "64k", "64k-debug"};
  const auto plus = release.rfind('+');
  const std::string_view end = plus == std::string::npos ? "" : std::string_view(release).substr(plus + 1);
  if (std::find(red_hats.begin(), red_hats.end(), end) != red_hats.end()) return std::string(end);
  std::size_t start = release.size();
  while (true) {
    const auto dash = start == 0 ? std::string::npos : release.rfind('-', start - 1);
    if (dash == std::string::npos || dash + 1 == start) break;
    const std::string_view word =
        std::string_view(release).substr(dash + 1, release.find('-', dash + 1) - dash - 1);
    const bool letters = !word.empty() && std::isalpha(static_cast<unsigned char>(word.front())) != 0;
    if (!letters && word != "64k") break;  // "arch1-1" has none
    start = dash;
  }
  return start == release.size() ? "" : release.substr(start + 1);
}

/// The next run of digits, without leading zeros, or of letters; "" at the end.
std::string_view take_run(std::string_view& text) {
  const auto digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  const auto start =
      std::find_if(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
  text.remove_prefix(static_cast<std::size_t>(start - text.begin()));
  if (text.empty()) return "";
  const bool number = digit(static_cast<unsigned char>(text.front()));
  const auto end = std::find_if(text.begin(), text.end(),
                                [&](unsigned char c) { return std::isalnum(c) == 0 || digit(c) != number; });
  std::string_view run = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(run.size());
  if (number) run.remove_prefix(std::min(run.find_first_not_of('0'), run.size() - 1));
  return run;
}

/// Compares run by run as rpm does; a number is newer than letters ("553.16.1.el8" than "553.el8").
bool is_older(std::string_view a, std::string_view b) {
  while (true) {
    const std::string_view left = take_run(a);
    const std::string_view right = take_run(b);
    if (left.empty() || right.empty()) return left.empty() && !right.empty();
    const bool left_number = std::isdigit(static_cast<unsigned char>(left.front())) != 0;
    const bool right_number = std::isdigit(static_cast<unsigned char>(right.front())) != 0;
    if (left_number != right_number) return right_number;
    if (left_number && left.size() != right.size()) return left.size() < right.size();
    if (left != right) return left < right;
  }
}

struct Kernels {
  std::string running;
  std::string newest;  ///< newest installed kernel, of the running one's flavour if there is one
  std::string newest_source;
};

Kernels find_kernels(const Tree& tree, const std::string& running) {
  std::vector<std::string> releases;
  std::string source = "/boot";
  for (const std::string& name : tree.list("/boot")) {
    const auto release = after(name, "vmlinuz-");
    // Arch's vmlinuz-linux and vmlinuz-linux-lts name no release.
    if (release && !release->empty() && std::isdigit(static_cast<unsigned char>(release->front())) != 0 &&
        release->find("rescue") == std::string::npos)
      releases.emplace_back(*release);
  }
  if (releases.empty()) {
    source = "/lib/modules";
    for (const std::string& name : tree.list(source)) {
      if (tree.exists(fmt::format("{}/{}/modules.dep", source, name))) releases.push_back(name);
    }
  }
  std::vector<std::string> alike;
  std::copy_if(releases.begin(), releases.end(), std::back_inserter(alike),
               [&](const std::string& release) { return flavour(release) == flavour(running); });
  if (alike.empty() || running.empty()) alike = releases;
  const auto newest = std::max_element(alike.begin(), alike.end(), is_older);
  return {running, newest == alike.end() ? "" : *newest, source};
}

/// Adds yes or no. Returns the module's path; "" if there is none or it is unknown.
std::string add_for_kernel(const Tree& tree, const std::string& key, const std::string& release,
                           Inventory& inventory) {
  const std::string folder = "/lib/modules/" + release;
  const std::string list = folder + "/modules.dep";
  const Reading text = release.empty() ? Reading{} : tree.read(list, list_limit);
  if (text.presence == Presence::unreadable) {
    inventory.unreadable(key, list, "root");
  } else if (!text.present() && tree.list("/lib/modules").empty()) {
    inventory.absent(key, "/lib/modules", "no kernel's modules are visible here");
  } else {
    const std::string module = nvidia_module_file(text.text);
    inventory.present(key, module.empty() ? "no" : "yes", list, module);
    return module.empty() ? "" : folder + "/" + module;
  }
  return "";
}

/// Ignores GPUDirect's modules (nvidia-fs, nvidia-peermem, nvidia-peer-memory), built beside any driver.
bool has_dkms_source(const Tree& tree) {
  const auto names = tree.list("/var/lib/dkms");
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.starts_with("nvidia") && !name.starts_with("nvidia-fs") && !name.starts_with("nvidia-peer");
  });
}

/// If neither the running nor the newest kernel has a module, an older kernel's shows how modules are
/// installed.
std::string module_of_any_kernel(const Tree& tree) {
  for (const std::string& release : tree.list("/lib/modules")) {
    const std::string module =
        nvidia_module_file(tree.read(fmt::format("/lib/modules/{}/modules.dep", release), list_limit).text);
    if (!module.empty()) return fmt::format("/lib/modules/{}/{}", release, module);
  }
  return "";
}

void add_builder(const Tree& tree, std::string module, Inventory& inventory) {
  const char* const key = "driver.dkms";
  const bool dkms = has_dkms_source(tree);
  if (module.empty() && !dkms) module = module_of_any_kernel(tree);
  const bool precompiled = module.find("/kernel/nvidia-") != std::string::npos;
  if (module.empty() && !dkms) {
    inventory.absent(key, "/lib/modules /var/lib/dkms", "no nvidia module");
  } else if (!precompiled && (module.find("/updates/dkms/") != std::string::npos || dkms)) {
    inventory.present(key, "yes", module.empty() ? "/var/lib/dkms" : module,
                      dkms ? "nvidia in /var/lib/dkms" : "its folder");
  } else if (precompiled || module.find("/extra/") != std::string::npos ||  // DKMS' folder, too
             module.find("/weak-updates/") != std::string::npos) {
    inventory.present(key, "precompiled", module, "its folder");
  } else if (!tree.resolve("/usr/bin/nvidia-uninstall").empty()) {
    inventory.present(key, "installer", module, "/usr/bin/nvidia-uninstall is there");
  } else {
    inventory.present(key, "unknown", module, "its folder");
  }
}

void add_signature(const DriverFiles& files, const std::string& module, Inventory& inventory) {
  const char* const key = "driver.module_signed";
  constexpr std::string_view mark = "~Module signature appended~\n";
  if (module.ends_with(".ko")) {
    const Reading end = files.tree.read_end(module, mark.size());
    if (end.present()) {
      inventory.present(key, end.text == mark ? "yes" : "no", module, "end of the file");
    } else {
      inventory.unreadable(key, module, "root");
    }
    return;
  }
  const Reading taint = files.tree.read("/sys/module/nvidia/taint");
  if (taint.text.find('E') != std::string::npos) {
    inventory.present(key, "no", "/sys/module/nvidia/taint", "the kernel's mark E is for unsigned");
  } else if (module.empty()) {
    inventory.absent(key, "/lib/modules", "no nvidia module");
  } else {
    inventory.unreadable(key, module,
                         fmt::format("the command `modinfo {}`: the file is compressed", module));
  }
}

void add_kernels(const DriverFiles& files, Inventory& inventory) {
  const Kernels kernels = find_kernels(files.tree, files.hardware.kernel);
  const std::string running =
      add_for_kernel(files.tree, "driver.module_for_running_kernel", kernels.running, inventory);
  std::string newest;
  if (kernels.newest.empty()) {
    inventory.absent("driver.newest_kernel", "/boot /lib/modules", "no kernel is visible here");
    inventory.absent("driver.module_for_newest_kernel", "/boot /lib/modules", "no kernel is visible here");
  } else {
    inventory.present("driver.newest_kernel", kernels.newest, kernels.newest_source);
    newest = add_for_kernel(files.tree, "driver.module_for_newest_kernel", kernels.newest, inventory);
  }
  const std::string module = running.empty() ? newest : running;
  add_builder(files.tree, module, inventory);
  add_signature(files, running, inventory);
}

bool is_blacklisted(std::string_view text) {
  for (const std::string_view line : settings_in(text)) {
    const auto words = words_of(line);
    if (words.size() >= 2 && words[0] == "blacklist" && words[1] == "nouveau") return true;
    if (words.size() >= 3 && words[0] == "install" && words[1] == "nouveau" &&
        (words[2] == "/bin/false" || words[2] == "/bin/true"))
      return true;
  }
  return false;
}

void add_nouveau(const Tree& tree, Inventory& inventory) {
  const char* const key = "driver.nouveau";
  if (tree.folder("/sys/module/nouveau") == Presence::present) {
    inventory.present(key, "loaded", "/sys/module/nouveau");
    return;
  }
  for (const char* const folder :
       {"/etc/modprobe.d", "/run/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d"}) {
    for (const std::string& name : tree.list(folder)) {
      const std::string file = fmt::format("{}/{}", folder, name);
      if (!name.ends_with(".conf") || !is_blacklisted(tree.read(file).text)) continue;
      inventory.present(key, "blacklisted", file);
      return;
    }
  }
  const Reading command_line = tree.read("/proc/cmdline");
  for (const std::string_view word : words_of(command_line.text)) {
    if (word == "nouveau.blacklist=1" || word == "rd.driver.blacklist=nouveau" ||
        word == "modprobe.blacklist=nouveau") {
      inventory.present(key, "blacklisted", "/proc/cmdline");
      return;
    }
  }
  if (tree.folder("/sys/module") == Presence::unreadable)
    inventory.unreadable(key, "/sys/module", "root");
  else
    inventory.absent(key, "/sys/module/nouveau", "not loaded");
}

void add_module_state(const Tree& tree, const std::string& key, const std::vector<std::string>& names,
                      Inventory& inventory) {
  for (const std::string& name : names) {
    const std::string folder = "/sys/module/" + name;
    if (tree.folder(folder) != Presence::present) continue;
    inventory.present(key, names.size() > 1 ? "loaded " + name : "loaded", folder);
    return;
  }
  if (tree.folder("/sys/module") == Presence::unreadable)
    inventory.unreadable(key, "/sys/module", "root");
  else
    inventory.absent(key, "/sys/module", "no module " + names.front());
}

void add_secure_boot(const Tree& tree, Inventory& inventory) {
  const char* const key = "driver.secure_boot";
  const std::string variable = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
  if (!tree.exists("/sys/firmware/efi")) {
    inventory.absent(key, "/sys/firmware/efi", "not started by EFI, or not visible here");
    return;
  }
  constexpr std::size_t attributes = 4;  // bytes before the variable's single byte
  const Reading reading = tree.read_raw(variable, attributes + 1);
  if (reading.text.size() == attributes + 1) {
    inventory.present(key, reading.text[attributes] == 1 ? "on" : "off", variable);
  } else if (tree.list("/sys/firmware/efi/efivars").empty()) {
    inventory.unreadable(key, variable, "efivarfs mounted at /sys/firmware/efi/efivars");
  } else if (reading.presence == Presence::absent) {
    inventory.present(key, "off", variable, "the firmware has no such variable");
  } else {
    inventory.unreadable(key, variable, "root");
  }
}

void add_address_randomisation(const Tree& tree, Inventory& inventory) {
  const char* const key = "driver.kernel_aslr";
  const Reading command_line = tree.read("/proc/cmdline");
  if (command_line.presence == Presence::absent) {
    inventory.absent(key, "/proc/cmdline");
  } else if (command_line.presence == Presence::unreadable) {
    inventory.unreadable(key, "/proc/cmdline", "root");
  } else {
    const auto words = words_of(command_line.text);
    const bool off = std::find(words.begin(), words.end(), "nokaslr") != words.end();
    inventory.present(key, off ? "off" : "on", "/proc/cmdline", "the word nokaslr");
  }
}

}  // namespace

void collect_kernel_module(const DriverFiles& files, Inventory& inventory) {
  add_loaded(files, inventory);
  add_options(files.tree, inventory);
  add_kernels(files, inventory);
  add_nouveau(files.tree, inventory);
  add_module_state(files.tree, "driver.uvm", {"nvidia_uvm"}, inventory);
  add_module_state(files.tree, "driver.peermem", {"nvidia_peermem", "nv_peer_mem"}, inventory);
  add_module_state(files.tree, "driver.gdrcopy", {"gdrdrv"}, inventory);
  add_secure_boot(files.tree, inventory);
  add_address_randomisation(files.tree, inventory);
}

}  // namespace gpugauge::stack

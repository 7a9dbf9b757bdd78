// Services and settings beside the driver: fabric manager, persistence daemon, vGPU; also GSP firmware.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "result/number.hpp"
#include "stack/inventory/driver.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/inventory/words.hpp"

namespace gpugauge::stack {
namespace {

constexpr const char* gpus_folder = "/proc/driver/nvidia/gpus";

/// A daemon: its name in /proc, cut there at 15 characters, and the files that start it.
struct Daemon {
  const char* key;
  std::string_view name;
  std::vector<std::string> programs;
};

void add_daemon(const DriverFiles& files, const std::optional<std::vector<std::string>>& running,
                const Daemon& daemon, Inventory& inventory) {
  const std::string cut(daemon.name.substr(0, 15));
  if (running && std::find(running->begin(), running->end(), cut) != running->end()) {
    inventory.present(daemon.key, "running", "/proc/*/comm", cut);
    return;
  }
  if (files.in_container) {
    inventory.unreadable(daemon.key, "/proc/*/comm",
                         fmt::format("{}: a container sees its own processes", look_from_the_host));
    return;
  }
  const auto program =
      std::find_if(daemon.programs.begin(), daemon.programs.end(),
                   [&](const std::string& path) { return !files.tree.resolve(path).empty(); });
  if (program != daemon.programs.end()) {
    inventory.present(daemon.key, "installed", *program, running ? "not running" : "no process is visible");
  } else {
    inventory.absent(daemon.key, daemon.programs.front(), running ? "and no such process" : "");
  }
}

/// Adds the version of its package, else of the last start in its log.
void add_fabric_manager_version(const DriverFiles& files, Inventory& inventory) {
  const char* const key = "fabric_manager.version";
  for (const Package& package : files.packages.packages) {
    const bool is_it = package.name.starts_with("nvidia-fabricmanager") ||
                       package.name.starts_with("nvidia-fabric-manager") ||
                       package.name.starts_with("cuda-drivers-fabricmanager");
    if (!is_it || package.name.find("-dev") != std::string::npos) continue;
    inventory.present(key, upstream_version(package.version), files.packages.source, package.name);
    return;
  }
  const char* const log = "/var/log/fabricmanager.log";
  const Reading text = files.tree.read_end(log, std::size_t{1} << 20);
  std::string version;
  for_each_line(text.text, [&](std::string_view line) {
    const auto found = line.find("Fabric Manager version is");
    if (found != std::string_view::npos) version = first_version(line.substr(found));
  });
  if (!version.empty()) {
    inventory.present(key, version, log, "the last start that it tells");
  } else if (text.presence == Presence::unreadable) {
    inventory.unreadable(key, log, "root");
  } else {
    inventory.absent(key, files.packages.source, "no package, and no version in its log");
  }
}

void add_gsp(const std::vector<ModuleGpu>& gpus, Inventory& inventory) {
  if (gpus.empty() || gpus.front().firmware.empty()) {
    inventory.absent("driver.gsp", gpus_folder, gpus.empty() ? "" : "the module does not say");
  } else {
    inventory.present("driver.gsp", gpus.front().firmware,
                      fmt::format("{}/{}/information", gpus_folder, gpus.front().address));
  }
}

void add_vgpu(const DriverFiles& files, const std::vector<ModuleGpu>& gpus, Inventory& inventory) {
  const auto guest =
      std::find_if(gpus.begin(), gpus.end(), [](const ModuleGpu& gpu) { return is_virtual_gpu(gpu.name); });
  if (gpus.empty()) {
    inventory.absent("vgpu.guest", gpus_folder);
  } else {
    inventory.present("vgpu.guest", guest == gpus.end() ? "no" : "yes", gpus_folder,
                      "a vGPU profile at the end of the model's name");
  }
  if (guest == gpus.end()) return;
  // Only the driver knows the licence itself; other code asks it.
  const bool token = !files.tree.list("/etc/nvidia/ClientConfigToken").empty();
  const Reading configuration = files.tree.read("/etc/nvidia/gridd.conf");
  const auto settings = settings_in(configuration.text);
  const bool server = std::any_of(settings.begin(), settings.end(), [](std::string_view line) {
    return !stripped(after(line, "ServerAddress=").value_or("")).empty();
  });
  inventory.present("vgpu.licence", "unknown", "/etc/nvidia",
                    token || server ? "a licence server is configured" : "no licence server is configured");
}

}  // namespace

bool is_virtual_gpu(std::string_view model) {
  const auto dash = model.rfind('-');
  if (dash == std::string_view::npos || model.size() < dash + 3) return false;
  const std::string_view profile = model.substr(dash + 1);
  constexpr std::string_view kinds = "QBCAV";  // workstation, PC, compute, applications
  return kinds.find(profile.back()) != std::string_view::npos &&
         std::all_of(profile.begin(), profile.end() - 1,
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

ModuleGpu parse_module_gpu(const std::string& address, std::string_view information) {
  ModuleGpu gpu;
  gpu.address = lower(address);
  for_each_line(information, [&](std::string_view line) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view name = stripped(line.substr(0, colon));
    const std::string_view value = stripped(line.substr(colon + 1));
    const bool told = value.find('?') == std::string_view::npos;  // unknown until somebody has used the GPU
    if (name == "Model" && value != "Unknown") gpu.name = value;
    if (name == "GPU UUID" && told) gpu.uuid = value;
    if (name == "Video BIOS" && told) gpu.vbios = value;
    if (name == "Device Minor" && result::number_in<unsigned>(value)) gpu.minor = value;
    if (name == "GPU Firmware" && !value.empty()) gpu.firmware = value == "N/A" ? "off" : value;
  });
  return gpu;
}

std::vector<ModuleGpu> gpus_of_module(const Tree& tree) {
  std::vector<ModuleGpu> gpus;
  for (const std::string& address : tree.list(gpus_folder)) {
    const Reading information = tree.read(fmt::format("{}/{}/information", gpus_folder, address));
    if (information.present()) gpus.push_back(parse_module_gpu(address, information.text));
  }
  return gpus;
}

std::optional<std::vector<std::string>> running_processes(const Tree& tree) {
  std::vector<std::string> names;
  for (const std::string& entry : tree.list("/proc")) {
    if (!result::number_in<int>(entry)) continue;
    const Reading name = tree.read("/proc/" + entry + "/comm", 64);
    if (name.present()) names.push_back(name.text);
  }
  if (names.empty()) return std::nullopt;
  return names;
}

void collect_driver_services(const DriverFiles& files, Inventory& inventory) {
  const auto running = running_processes(files.tree);
  const std::vector<ModuleGpu> gpus = gpus_of_module(files.tree);
  add_gsp(gpus, inventory);
  add_daemon(files, running, {"driver.persistenced", "nvidia-persistenced", {"/usr/bin/nvidia-persistenced"}},
             inventory);
  add_daemon(files, running,
             {"fabric_manager.state",
              "nv-fabricmanager",
              {"/usr/bin/nv-fabricmanager", "/usr/lib/systemd/system/nvidia-fabricmanager.service",
               "/lib/systemd/system/nvidia-fabricmanager.service"}},
             inventory);
  add_fabric_manager_version(files, inventory);
  add_vgpu(files, gpus, inventory);
}

}  // namespace gpugauge::stack

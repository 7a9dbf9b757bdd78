// driver.*, fabric_manager.*, topology.*, vgpu.* from files; other code asks the driver itself.
#include "stack/inventory/driver.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/number.hpp"
#include "stack/host.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/loader.hpp"
#include "stack/shared_object.hpp"

namespace gpugauge::stack {
namespace {

struct FoundLibrary {
  std::string path;  ///< real path, below the root
  std::string version;
  std::string kind;
};

double megabytes(const Tree& tree, const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(tree.at(path), error);
  return error ? 0 : static_cast<double>(bytes) / (1024.0 * 1024.0);
}

constexpr std::string_view operators_root = "/run/nvidia/driver";  // the root of the driver's container
constexpr std::string_view google_folder =
    "/home"
    "/kubernetes/bin/nvidia";  // no user's home
constexpr std::string_view google_other = "/var/lib/nvidia";
constexpr std::array container_roots{operators_root, google_folder, google_other};

/// Folders that may hold a libcuda unknown to the loader.
std::vector<std::string> other_folders(const Tree& tree) {
  std::vector<std::string> folders{"/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/run/opengl-driver/lib"};
  for (const char* const inside :
       {"lib64", "usr/lib64", "usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu"})
    folders.push_back(fmt::format("{}/{}", operators_root, inside));
  for (const std::string_view folder : {google_folder, google_other})
    folders.push_back(fmt::format("{}/lib64", folder));
  for (const std::string& name : tree.list("/usr/local")) {
    if (name.starts_with("cuda")) folders.push_back(fmt::format("/usr/local/{}/compat", name));
  }
  return folders;
}

/// Every copy, each real file once; the loader's pick comes first.
std::vector<FoundLibrary> find_all(const Tree& tree, const Loader& loader, const std::string& soname,
                                   bool elsewhere) {
  std::vector<FoundLibrary> found;
  std::vector<std::string> paths = loader.all(soname);
  if (elsewhere) {
    for (const std::string& folder : other_folders(tree))
      paths.push_back(fmt::format("{}/{}", folder, soname));
  }
  for (const std::string& path : paths) {
    const std::string real = tree.resolve(path);
    const auto same = [&](const FoundLibrary& library) { return library.path == real; };
    std::error_code error;
    if (real.empty() || std::any_of(found.begin(), found.end(), same)) continue;
    if (!std::filesystem::is_regular_file(tree.at(real), error)) continue;  // a FIFO or folder of that name
    found.push_back({real, driver_version_in(real), libcuda_kind(real, megabytes(tree, real), in_wsl(tree))});
  }
  return found;
}

void add_version(Inventory& inventory, const std::string& key, const FoundLibrary& library) {
  if (library.version.empty()) {
    inventory.absent(key, library.path, "its file name tells no driver version");
  } else {
    inventory.present(key, library.version, library.path, "file name");
  }
}

/// Adds an item for a library that the loader does not find. On this machine, folders closed to this user are
/// closed to the user's programs, too. Below another root it is unknown whose programs will search.
void add_not_found(Inventory& inventory, std::initializer_list<const char*> keys, const char* soname,
                   const Tree& tree, const std::vector<std::string>& refused) {
  const std::string folders = fmt::format("{}", fmt::join(refused, " "));
  for (const char* const key : keys) {
    if (refused.empty())
      inventory.absent(key, soname, "the loader's search");
    else if (tree.live())
      inventory.absent(key, soname, "the loader's search; it may not enter " + folders);
    else
      inventory.unreadable(key, folders, "root", "the loader's search");
  }
}

void add_libcuda(Inventory& inventory, const Tree& tree, const std::vector<FoundLibrary>& found, bool picked,
                 const std::vector<std::string>& refused) {
  if (!picked) {
    add_not_found(inventory, {"driver.libcuda_path", "driver.libcuda_version", "driver.libcuda_kind"},
                  "libcuda.so.1", tree, refused);
  } else {
    const FoundLibrary& first = found.front();
    inventory.present("driver.libcuda_path", first.path, first.path, "the loader's search");
    add_version(inventory, "driver.libcuda_version", first);
    inventory.present("driver.libcuda_kind", first.kind, first.path, "its folder and size");
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string prefix = fmt::format("driver.libcuda.{}.", i);
    inventory.present(prefix + "path", found[i].path, found[i].path);
    add_version(inventory, prefix + "version", found[i]);
    inventory.present(prefix + "kind", found[i].kind, found[i].path, "its folder and size");
  }
}

void add_driver_version(Inventory& inventory, const Hardware& hardware) {
  // A forward-compatibility package or a stub is not the installed driver.
  if (inventory.value("driver.libcuda_kind") == "driver" && inventory.has("driver.libcuda_version")) {
    const Item& item = *inventory.find("driver.libcuda_version");
    inventory.present("driver.version", item.value, item.source, item.how);
  } else if (inventory.has("driver.libnvml_version")) {
    const Item& item = *inventory.find("driver.libnvml_version");
    inventory.present("driver.version", item.value, item.source, item.how);
  } else if (!hardware.module_version.empty()) {
    inventory.present("driver.version", hardware.module_version, "/proc/driver/nvidia/version",
                      "kernel module: no user-mode library tells one");
  } else {
    inventory.absent("driver.version", "libcuda.so.1 libnvidia-ml.so.1 /proc/driver/nvidia/version");
  }
}

void add_nodes(Inventory& inventory, const Tree& tree, const Hardware& hardware) {
  std::vector<std::string> nodes;
  if (hardware.control_node) nodes.emplace_back("/dev/nvidiactl");
  if (hardware.uvm_node) nodes.emplace_back("/dev/nvidia-uvm");
  nodes.insert(nodes.end(), hardware.nodes.begin(), hardware.nodes.end());
  if (nodes.empty() && tree.folder("/dev") == Presence::unreadable) {
    inventory.unreadable("driver.device_nodes", "/dev", "root", "names in the folder");
  } else if (nodes.empty()) {
    inventory.absent("driver.device_nodes", "/dev", "names in the folder");
  } else {
    inventory.present("driver.device_nodes", fmt::format("{}", fmt::join(nodes, " ")), "/dev",
                      "names in the folder");
  }
}

/// True if a mount in /proc/self/mountinfo brings a driver library into this container.
bool is_mounted_in(const Tree& tree, const std::string& path) {
  bool found = false;
  const Reading mounts = tree.read("/proc/self/mountinfo");
  for_each_line(mounts.text, [&](std::string_view line) {
    const auto words = words_of(line);
    found |= words.size() > 4 && words[4] == path;
  });
  return found;
}

void add_source(const DriverFiles& files, Inventory& inventory) {
  const char* const key = "driver.source";
  const std::string library = inventory.value("driver.libcuda_path");
  const bool any = !library.empty() || inventory.has("driver.libnvml_path") || files.hardware.module_loaded;
  const std::string packaged = driver_packages_from(files.packages);
  if (!any && packaged.empty() && files.packages.presence == Presence::unreadable) {
    inventory.unreadable(key, files.packages.source, files.packages.needs);
  } else if (!any && packaged.empty()) {
    inventory.absent(key, files.packages.source, "no driver is installed");
  } else if (files.in_container && is_mounted_in(files.tree, library)) {
    inventory.present(key, "container", "/proc/self/mountinfo", library + " is mounted");
  } else if (!packaged.empty()) {
    inventory.present(key, packaged, files.packages.source, "maintainer of the driver's packages");
  } else if (!files.tree.resolve("/usr/bin/nvidia-uninstall").empty()) {
    inventory.present(key, "installer", "/usr/bin/nvidia-uninstall", "the .run file puts it there");
  } else {
    inventory.present(key, "unknown", files.packages.source, "no package and no installer owns it");
  }
}

/// Adds "no" only if both places could be read.
void add_switches(Inventory& inventory, const Tree& tree, const Hardware& hardware) {
  const char* const key = "topology.nvswitch";
  const char* const places = "/sys/bus/pci/devices /dev";
  const char* const how = "PCI class 0680 of NVIDIA, device nodes";
  const bool refused = tree.folder("/sys/bus/pci/devices") == Presence::unreadable ||
                       tree.folder("/dev") == Presence::unreadable;
  if (refused && !hardware.nvswitch) {
    inventory.unreadable(key, places, "root", how);
  } else {
    inventory.present(key, hardware.nvswitch ? "yes" : "no", places, how);
  }
}

}  // namespace

std::string driver_version_in(const std::string& path) {
  constexpr int oldest = 100;  // "libcuda.so.1.1" is no driver version
  std::string version = version_in_file_name(path);
  const auto major = result::number_in<int>(std::string_view(version).substr(0, version.find('.')));
  const bool digits = std::all_of(version.begin(), version.end(),
                                  [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; });
  return digits && version.find('.') != std::string::npos && major.value_or(0) >= oldest ? version : "";
}

bool is_for_containers(std::string_view path) {
  return std::any_of(container_roots.begin(), container_roots.end(), [&](std::string_view root) {
    return path.starts_with(root) && path.substr(root.size()).starts_with('/');
  });
}

std::string libcuda_kind(const std::string& path, double megabytes, bool wsl) {
  constexpr double smallest_driver = 1;  // the real one has tens of megabytes, the toolkit's stub about 0.1
  if (path.find("/wsl/") != std::string::npos) return "wsl";
  if (path.find("/stubs/") != std::string::npos) return "stub";
  if (path.find("/compat") != std::string::npos || path.find("cuda-compat") != std::string::npos)
    return "compat";
  const bool names_version = !driver_version_in(path).empty();
  const bool small = !names_version && megabytes > 0 && megabytes < smallest_driver;
  return !small ? "driver" : wsl ? "wsl" : "stub";
}

void collect_driver_libraries(const Context& context, const DriverFiles& files, Inventory& inventory) {
  const Loader loader(context.tree, context.environment);
  const std::string cuda = "libcuda.so.1";
  const auto copies = find_all(context.tree, loader, cuda, true);
  const std::string pick = loader.pick(cuda);
  const std::vector<std::string> refused = loader.refused();
  add_libcuda(inventory, context.tree, copies,
              !copies.empty() && !pick.empty() && copies.front().path == context.tree.resolve(pick), refused);
  const auto nvml = find_all(context.tree, loader, "libnvidia-ml.so.1", false);
  if (nvml.empty()) {
    add_not_found(inventory, {"driver.libnvml_path", "driver.libnvml_version"}, "libnvidia-ml.so.1",
                  context.tree, refused);
  } else {
    inventory.present("driver.libnvml_path", nvml.front().path, nvml.front().path, "the loader's search");
    add_version(inventory, "driver.libnvml_version", nvml.front());
  }
  add_driver_version(inventory, files.hardware);
}

void collect_driver(const Context& context, Inventory& inventory) {
  const Hardware hardware = find_hardware(context.tree);
  const PackageDatabase packages = read_packages(context.tree);
  const bool kubernetes = context.environment.contains("KUBERNETES_SERVICE_HOST");
  const DriverFiles files{context.tree, hardware, packages,
                          !container_kind(context.tree, kubernetes).empty()};
  collect_driver_libraries(context, files, inventory);
  collect_kernel_module(files, inventory);
  add_nodes(inventory, context.tree, hardware);
  add_source(files, inventory);
  collect_driver_services(files, inventory);
  add_switches(inventory, context.tree, hardware);
}

}  // namespace gpugauge::stack

// Adds container.* to the inventory.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "stack/hardware.hpp"
#include "stack/inventory/collect.hpp"
#include "stack/inventory/driver.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/inventory/packages.hpp"
#include "stack/shared_object.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t mounts_limit = std::size_t{16} << 20;
constexpr std::size_t mounted_most = 100;

struct Runtime {
  std::string_view name;
  std::vector<std::string> files;
};

std::vector<Runtime> runtimes(const Tree& tree) {
  std::vector<Runtime> found{
      {"docker", {"/etc/docker/daemon.json"}},
      {"containerd",
       {"/etc/containerd/config.toml", "/var/lib/rancher/k3s/agent/etc/containerd/config.toml",
        "/var/lib/rancher/rke2/agent/etc/containerd/config.toml"}},
      {"cri-o", {"/etc/crio/crio.conf"}}};
  const auto add_folder = [&](Runtime& runtime, const std::string& folder) {
    for (const std::string& name : tree.list(folder))
      runtime.files.push_back(fmt::format("{}/{}", folder, name));
  };
  add_folder(found[1], "/etc/containerd/conf.d");
  add_folder(found[2], "/etc/crio/crio.conf.d");
  return found;
}

/// True if Docker's daemon.json has an NVIDIA runtime, by name or program, or uses it by default.
bool json_names_nvidia(const std::string& text) {
  const nlohmann::json configuration = nlohmann::json::parse(text, nullptr, false);
  if (!configuration.is_object()) return false;
  const auto standard = configuration.find("default-runtime");
  if (standard != configuration.end() && standard->is_string() &&
      mentions(standard->get_ref<const std::string&>(), "nvidia"))
    return true;
  const auto runtimes = configuration.find("runtimes");
  if (runtimes == configuration.end() || !runtimes->is_object()) return false;
  return std::any_of(runtimes->items().begin(), runtimes->items().end(), [](const auto& runtime) {
    if (mentions(runtime.key(), "nvidia")) return true;
    const nlohmann::json& what = runtime.value();
    const auto path = what.is_object() ? what.find("path") : what.end();
    return path != what.end() && path->is_string() &&
           mentions(path->template get_ref<const std::string&>(), "nvidia-container-runtime");
  });
}

/// As json_names_nvidia, for the TOML of containerd or CRI-O, line by line.
bool toml_names_nvidia(std::string_view text) {
  const auto lines = settings_in(text);
  return std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
    if (line.starts_with('['))
      return mentions(line, "runtimes.nvidia") || mentions(line, "runtimes.\"nvidia");
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view name = stripped(line.substr(0, equals));
    const std::string_view value = line.substr(equals + 1);
    return mentions(value, "nvidia-container-runtime") ||
           (name.starts_with("default_runtime") && mentions(value, "\"nvidia"));
  });
}

void add_runtimes(const Tree& tree, Inventory& inventory) {
  const char* const key = "container.runtime_config";
  std::vector<std::string> names;
  std::vector<std::string> sources;
  std::string refused;
  for (const Runtime& runtime : runtimes(tree)) {
    for (const std::string& file : runtime.files) {
      const Reading reading = tree.read(file);
      if (reading.presence == Presence::unreadable) refused = file;
      if (!(file.ends_with(".json") ? json_names_nvidia(reading.text) : toml_names_nvidia(reading.text)))
        continue;
      sources.push_back(file);
      if (names.empty() || names.back() != runtime.name) names.emplace_back(runtime.name);
    }
  }
  if (!names.empty()) {
    inventory.present(key, fmt::format("{}", fmt::join(names, " ")),
                      fmt::format("{}", fmt::join(sources, " ")), "a runtime of NVIDIA's");
  } else if (!refused.empty()) {
    inventory.unreadable(key, refused, "root");
  } else {
    inventory.absent(key, "/etc/docker/daemon.json /etc/containerd/config.toml /etc/crio",
                     "no runtime of NVIDIA's");
  }
}

void add_toolkit(const Tree& tree, Inventory& inventory) {
  const char* const key = "container.toolkit_version";
  const PackageDatabase packages = read_packages(tree);
  for (const char* const name : {"nvidia-container-toolkit", "nvidia-container-toolkit-base"}) {
    if (const Package* const package = packages.find(name); package != nullptr) {
      inventory.present(key, upstream_version(package->version), packages.source, name);
      return;
    }
  }
  for (const char* const folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"}) {
    const std::string library = tree.resolve(fmt::format("{}/libnvidia-container.so.1", folder));
    const std::string version = version_in_file_name(library);
    if (version.find('.') == std::string::npos) continue;
    inventory.present(key, version, library, "file name of its library");
    return;
  }
  if (packages.presence == Presence::unreadable)
    inventory.unreadable(key, packages.source, packages.needs, "no libnvidia-container.so.1 was found");
  else
    inventory.absent(key, packages.source, "no package, and no libnvidia-container.so.1");
}

bool is_driver_file(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  constexpr std::array starts{"libcuda.so",    "libnvidia-",      "libnvcuvid.so", "libGLX_nvidia",
                              "libEGL_nvidia", "libcudadebugger", "libnvoptix"};
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return name.starts_with(start); }) ||
         path.starts_with("/usr/bin/nvidia-") || path.starts_with("/dev/nvidia") ||
         path.starts_with("/run/nvidia-") || path == "/proc/driver/nvidia" ||
         path.starts_with("/usr/lib/wsl");
}

void add_mounts(const Tree& tree, Inventory& inventory) {
  const char* const source = "/proc/self/mountinfo";
  const Reading mounts = tree.read(source, mounts_limit);
  std::size_t count = 0;
  for_each_line(mounts.text, [&](std::string_view line) {
    const auto words = words_of(line);
    if (words.size() < 5 || !is_driver_file(words[4]) || count >= mounted_most) return;
    inventory.present(fmt::format("container.mounted.{}", count++), std::string(words[4]), source, "a mount");
  });
}

}  // namespace

void collect_container(const Context& context, Inventory& inventory) {
  const Tree& tree = context.tree;
  const std::string kind = container_kind(tree, context.environment.contains("KUBERNETES_SERVICE_HOST"));
  inventory.present(
      "container.kind", kind.empty() ? "none" : kind,
      "/proc/1/cgroup /.dockerenv /run/.containerenv /run/systemd/container /proc/self/mountinfo",
      "marks and mounts");
  add_toolkit(tree, inventory);
  add_runtimes(tree, inventory);
  if (!kind.empty()) add_mounts(tree, inventory);
  struct Variable {
    const char* key;
    const char* name;
  };
  constexpr std::array variables{Variable{"container.driver_capabilities", "NVIDIA_DRIVER_CAPABILITIES"},
                                 Variable{"container.visible_devices", "NVIDIA_VISIBLE_DEVICES"},
                                 Variable{"container.require", "NVIDIA_REQUIRE_CUDA"},
                                 Variable{"container.image_cuda", "CUDA_VERSION"}};
  for (const Variable& variable : variables) {
    const auto value = value_of(context.environment, variable.name);
    if (value) {
      inventory.present(variable.key, *value, "environment", variable.name);
    } else {
      inventory.absent(variable.key, "environment", variable.name);
    }
  }
}

}  // namespace gpugauge::stack

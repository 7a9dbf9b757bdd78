#include "nccl/plugin.hpp"

#include <filesystem>
#include <optional>
#include <system_error>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/text.hpp"

namespace gpugauge::bench::nccl {

namespace {

/// Newer than any so far; a newer one only shows its newest known interface.
constexpr int newest_interface = 30;

struct Opened {
  void* library;
  std::string name;
};

/// Left open: NCCL opens it again.
std::optional<Opened> opened(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return Opened{library, name};
  return std::nullopt;
}

/// `symbol`: "ncclNetPlugin_v", "ncclTunerPlugin_v" or "ncclEnvPlugin_v". nullopt where the library has none of them.
std::optional<std::string> interface_of(void* library, const char* symbol) {
  for (int version = newest_interface; version >= 1; --version) {
    void* const found = dlsym(library, fmt::format("{}{}", symbol, version).c_str());
    if (found == nullptr) continue;
    Dl_info info{};
    if (dladdr(found, &info) == 0 || info.dli_fname == nullptr) return fmt::format("interface v{}", version);
    std::error_code fault;
    const auto path = std::filesystem::canonical(info.dli_fname, fault);
    const auto size = std::filesystem::file_size(path, fault);
    return fmt::format("{}, {} bytes, interface v{}", path.filename().string(), fault ? 0 : size, version);
  }
  return std::nullopt;
}

std::string value_of(const Configuration& configuration, const char* name) {
  const auto setting = configuration.find(name);
  return setting ? setting->value : "";
}

/// The entries of a list with commas. A value without any is one entry, and so is "".
std::vector<std::string> plugins_asked(const std::string& text) {
  std::vector<std::string> entries = result::split(text, ',');
  std::erase(entries, "");
  if (entries.empty()) entries.emplace_back();
  return entries;
}

std::vector<std::string> network_libraries(const Configuration& configuration) {
  return plugins_asked(value_of(configuration, "NCCL_NET_PLUGIN"));
}

}  // namespace

std::vector<std::string> plugin_names(const std::string& kind, const std::string& asked) {
  if (result::lower(asked) == "none") return {};
  if (asked.empty()) return {fmt::format("libnccl-{}.so", kind)};
  std::vector<std::string> names{asked};
  const bool file = asked.starts_with("lib") && asked.ends_with(".so");
  if (!file && asked.find('/') == std::string::npos)
    names.push_back(fmt::format("libnccl-{}-{}.so", kind, asked));
  return names;
}

std::string network_plugin(const Configuration& configuration) {
  std::vector<std::string> found;
  for (const std::string& asked : network_libraries(configuration)) {
    const auto plugin = opened(plugin_names("net", asked));
    if (!plugin) continue;
    found.push_back(interface_of(plugin->library, "ncclNetPlugin_v")
                        .value_or(plugin->name + " without an interface that is known"));
  }
  return found.empty() ? "none" : fmt::format("{}", fmt::join(found, "; "));
}

std::string tuner_plugin(const Configuration& configuration) {
  const std::string asked = value_of(configuration, "NCCL_TUNER_PLUGIN");
  if (result::lower(asked) == "none") return "none";
  if (const auto plugin = opened(plugin_names("tuner", asked)))
    return interface_of(plugin->library, "ncclTunerPlugin_v")
        .value_or(plugin->name + " without an interface that is known");
  for (const std::string& network : network_libraries(configuration))
    if (const auto plugin = opened(plugin_names("net", network)))
      return interface_of(plugin->library, "ncclTunerPlugin_v").value_or("none");
  return "none";
}

std::string environment_plugin(const Configuration& configuration) {
  constexpr int first_with_it = 22807;
  if (configuration.nccl_version() < first_with_it) return "none";
  const auto plugin = opened(plugin_names("env", value_of(configuration, "NCCL_ENV_PLUGIN")));
  if (!plugin) return "none";
  return interface_of(plugin->library, "ncclEnvPlugin_v")
      .value_or(plugin->name + " without an interface that is known");
}

}  // namespace gpugauge::bench::nccl

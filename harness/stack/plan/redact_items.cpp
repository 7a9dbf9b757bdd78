#include "stack/plan/redact_items.hpp"

#include <algorithm>
#include <array>

#include "stack/inventory/lines.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::array<std::string_view, 38> systems{
    "admin",  "administrator", "alma",   "almalinux", "amazon",    "arch",    "build",  "centos",
    "cloud",  "conda",         "cuda",   "debian",    "docker",    "fedora",  "gpu",    "guest",
    "host",   "kernel",        "linux",  "local",     "localhost", "machine", "nobody", "node",
    "nvidia", "oracle",        "python", "redhat",    "rhel",      "rocky",   "root",   "runner",
    "server", "suse",          "system", "ubuntu",    "user",      "vagrant"};
// Words that rules search for in free text, paths and variables.
constexpr std::array<std::string_view, 37> settings{
    "all",  "api",   "compat",  "compute", "cupti",  "default",   "driver",   "eager",   "false", "fatal",
    "home", "intel", "lazy",    "lib",     "lib64",  "loc",       "mismatch", "nccl",    "none",  "nvperf",
    "off",  "opt",   "ring",    "simple",  "socket", "sanitizer", "stubs",    "toolkit", "trace", "tree",
    "true", "usr",   "utility", "version", "void",   "wsl",       "yes"};
constexpr std::array<std::string_view, 11> placeholders{"relative", "account", "address", "container",
                                                        "folder",   "guid",    "mac",     "mig",
                                                        "registry", "serial",  "uuid"};

template <std::size_t size>
bool any_starts(const std::array<std::string_view, size>& starts, std::string_view key) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return key.starts_with(start); });
}

template <std::size_t size>
bool any_ends(const std::array<std::string_view, size>& ends, std::string_view key) {
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return key.ends_with(end); });
}

/// True for "gpu.0.process.3", which holds the program's name.
bool is_process_of_gpu(std::string_view key) {
  return key.starts_with("gpu.") && key.find(".process.") != std::string_view::npos;
}

}  // namespace

std::string_view variable_of(std::string_view key) {
  for (const std::string_view prefix : {"env.", "process.env."})
    if (const auto variable = after(key, prefix)) return *variable;
  return {};
}

bool is_list_of_paths(std::string_view key) {
  return variable_of(key).ends_with("PATH");
}

bool is_one_path(std::string_view key) {
  static constexpr std::array<std::string_view, 7> variables{"_HOME", "_PREFIX", "_ENV",      "_DIR",
                                                             "_ROOT", "_FILE",   "_DIRECTORY"};
  if (const std::string_view variable = variable_of(key); !variable.empty())
    return any_ends(variables, variable);
  static constexpr std::array<std::string_view, 3> ends{"path", ".prefix", ".picked"};
  static constexpr std::array<std::string_view, 2> starts{"toolkit.by.", "container.mounted."};
  return any_ends(ends, key) || any_starts(starts, key) || key == "toolkit.selected" ||
         key == "collected.root";
}

bool may_hold_names(std::string_view key) {
  static constexpr std::array<std::string_view, 8> starts{
      "kernel_log.xid.", "kernel_log.sxid.", "kernel_log.nvrm.",         "kernel.command_line",
      "file.",           "process.name",     "driver.module_parameters", "container.visible_devices"};
  static constexpr std::array<std::string_view, 2> ends{".names", ".import.outcome"};
  return !variable_of(key).empty() || is_one_path(key) || any_starts(starts, key) || any_ends(ends, key) ||
         is_process_of_gpu(key);
}

bool may_hold_addresses(std::string_view key) {
  static constexpr std::array<std::string_view, 6> starts{
      "env.", "process.env.", "kernel_log.", "kernel.command_line", "file.", "host.infiniband"};
  if (key.ends_with(".import.outcome")) return true;
  if (key == "container.visible_devices" || key == "container.driver_capabilities") return true;
  // Variables such as NVIDIA_REQUIRE_CUDA hold versions.
  return any_starts(starts, key) && key.find("VERSION") == std::string_view::npos &&
         key.find("REQUIRE") == std::string_view::npos;
}

bool names_nobody(std::string_view name) {
  const std::string low = lower(name);
  const auto has = [&](const auto& list) { return std::find(list.begin(), list.end(), low) != list.end(); };
  return has(systems) || has(settings) || has(placeholders);
}

}  // namespace gpugauge::stack

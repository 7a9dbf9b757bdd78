// Groups the differences of two inventories by layer and compares them with the plan.
#include "stack/plan/change.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/inventory/packages.hpp"

namespace gpugauge::stack {
namespace {

using State = LayerChange::State;

constexpr const char* setting = "setting";
constexpr const char* ignored = "";

bool begins(std::string_view key, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return key.starts_with(prefix); });
}

std::string library_layer(std::string_view name) {
  if (name.starts_with("cudnn")) return "cudnn";
  if (name.starts_with("nccl")) return "nccl";
  if (name.starts_with("nvinfer")) return "tensorrt";
  return "cuda";
}

std::string wheel_layer(std::string_view name) {
  for (const std::string_view layer : {"cudnn", "nccl", "tensorrt"})
    if (name.find(layer) != std::string_view::npos) return std::string(layer);
  return "cuda";
}

std::string driver_layer(std::string_view key) {
  if (begins(key, {"driver.newest_kernel", "driver.secure_boot", "driver.kernel_aslr"})) return "system";
  if (begins(key, {"driver.persistenced", "driver.uvm", "driver.peermem", "driver.gdrcopy", "driver.nouveau",
                   "driver.device_nodes", "fabric_manager.state"}))
    return setting;
  return "driver";
}

/// Host facts that identify the system; all others are settings.
std::string host_layer(std::string_view key) {
  return begins(key, {"kernel.", "host.distribution", "host.libc", "host.os", "host.virtualization"})
             ? "system"
             : setting;
}

/// The first part after the prefix in "package.libnccl2.version" or "package[...]".
std::string_view name_in(std::string_view key, std::string_view prefix) {
  key.remove_prefix(std::min(prefix.size(), key.size()));
  return key.substr(0, key.find_first_of(".["));
}

std::string layer_of(const Difference& difference) {
  const std::string_view key = difference.key;
  switch (difference.consequence) {
    case Consequence::identity:
    case Consequence::noise:
      return ignored;
    case Consequence::gpu: {
      if (key.ends_with(".gsp")) return "driver";
      // A newer driver reports more about the same card.
      const bool both_told =
          difference.left_presence == Presence::present && difference.right_presence == Presence::present;
      if (key.starts_with("gpu.") && !both_told) return ignored;
      return "GPU";
    }
    case Consequence::driver:
      return key.starts_with("topology.") ? "GPU" : driver_layer(key);
    case Consequence::cuda:
      if (key == "host_compiler.gcc") return "gcc";
      if (key == "host_compiler.clang") return "clang";
      return "cuda";
    case Consequence::library:
      return key.starts_with("process.") ? setting : library_layer(name_in(key, "library."));
    case Consequence::framework:
      if (key.starts_with("wheel.")) return wheel_layer(name_in(key, "wheel."));
      if (key.starts_with("wheels.")) return ignored;
      // The environment's location does not matter, only its content.
      if (begins(key, {"python.path", "python.prefix", "python.kind"})) return setting;
      if (key.starts_with("python.")) return "python";
      {
        const std::string name(name_in(key, "framework."));
        const auto& known = plan_keys();
        return std::find(known.begin(), known.end(), name) != known.end() ? name : "framework";
      }
    case Consequence::host:
      return key.starts_with("container.") ? "container" : host_layer(key);
    case Consequence::setting:
      break;
  }
  // A hold appears and disappears with its package.
  const bool came_or_went =
      difference.left_presence == Presence::absent || difference.right_presence == Presence::absent;
  if (key.starts_with("package.") && key.ends_with(".held") && came_or_went) return ignored;
  if (!key.starts_with("package.") || !key.ends_with(".version")) return setting;
  const std::string layer = package_layer(name_in(key, "package."));
  return layer == "other" ? setting : layer;
}

/// True if it came in a Python wheel, as frameworks' libraries do.
bool in_wheel(const Difference& difference, const Inventory& before, const Inventory& now) {
  const std::string& key = difference.key;
  if (key.starts_with("wheel.") || key.find("-packages/") != std::string::npos) return true;
  if (!key.starts_with("library.")) return false;
  const std::string copy = key.substr(0, key.rfind('.')) + ".origin";
  return (before.value(copy) == "wheel" || before.value(copy).empty()) &&
         (now.value(copy) == "wheel" || now.value(copy).empty()) &&
         !(before.value(copy).empty() && now.value(copy).empty());
}

/// Variables of a shell that lead to a toolkit.
constexpr std::array shell_leads{"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "PATH", "LD_LIBRARY_PATH"};

/// True if only such a variable leads there: a folder of the usual places is found without it.
bool led_by_shell(const Inventory& side, std::string_view path) {
  for (const std::string_view usual : {"/usr/", "/opt/"})
    if (path.starts_with(usual)) return false;
  return std::any_of(shell_leads.begin(), shell_leads.end(), [&](const char* variable) {
    const std::string toolkit = side.value(fmt::format("toolkit.by.{}", variable));
    return !toolkit.empty() && (path == toolkit || path.starts_with(toolkit + "/"));
  });
}

/// True for what differs because a shell's variable does: which toolkit it selects, and a toolkit or a copy of
/// a library that nothing else leads to. Which copy the loader takes has a difference of its own.
bool of_shell(const Difference& difference, const Inventory& before, const Inventory& now) {
  const std::string_view key = difference.key;
  constexpr std::string_view by = "toolkit.by.";
  const auto is_lead = [](std::string_view name) {
    return std::find(shell_leads.begin(), shell_leads.end(), name) != shell_leads.end();
  };
  if (key.starts_with(by)) return is_lead(key.substr(by.size()));
  if (key.starts_with("toolkit.selected"))
    return is_lead(before.value("toolkit.selected_by")) || is_lead(now.value("toolkit.selected_by"));
  const std::size_t open = key.find('[');
  const std::size_t close = key.rfind(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return false;
  const std::string_view path = key.substr(open + 1, close - open - 1);
  if (difference.left_presence == Presence::absent) return led_by_shell(now, path);
  return difference.right_presence == Presence::absent && led_by_shell(before, path);
}

bool is_framework(const std::string& layer) {
  const auto& keys = plan_keys();
  const auto at = std::find(keys.begin(), keys.end(), layer);
  return at != keys.end() && at >= std::find(keys.begin(), keys.end(), "torch") && layer != "tensorrt";
}

bool reaches(const std::string& found, const Version& wanted) {
  const auto have = Version::parse(found);
  return have && have->first(wanted.size()) == wanted;
}

std::string or_none(const std::string& version) {
  return version.empty() ? "none" : version;
}

std::string listed(const std::vector<Difference>& differences) {
  constexpr std::size_t most = 3;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(most, differences.size()); ++i)
    texts.push_back(
        fmt::format("{} {} -> {}", differences[i].key, differences[i].left, differences[i].right));
  const std::size_t more = differences.size() - texts.size();
  return fmt::format("{}{}", fmt::join(texts, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

/// "570.86.15 -> 580.65.06", or the difference itself if no version tells.
std::string movement(const LayerChange& change) {
  if (change.from != change.to) return fmt::format("{} -> {}", or_none(change.from), or_none(change.to));
  return listed(change.differences);
}

/// Takes the layer's versions from its packages if no file tells them.
void take_package_versions(LayerChange& change) {
  const auto version = [](const std::string& answer) {
    return Version::parse(upstream_version(answer)) ? upstream_version(answer) : "";
  };
  // A package with another name may have replaced the first one.
  for (const Difference& one : change.differences) {
    if (!one.key.starts_with("package.")) continue;
    if (change.from.empty()) change.from = version(one.left);
    if (change.to.empty()) change.to = version(one.right);
  }
}

void judge_planned(LayerChange& change, const Version& wanted, const Inventory& now, bool measured) {
  const std::string module = now.value("driver.kernel_module_version");
  const bool split =
      change.layer == "driver" && !module.empty() && reaches(change.to, wanted) != reaches(module, wanted);
  if (split) {
    change.state = State::partly;
    change.sentence = fmt::format(
        "driver: the libraries are {} and the module in the kernel is {}: the machine was not restarted "
        "since, or no module was built for this kernel.",
        or_none(change.to), module);
  } else if (reaches(change.to, wanted)) {
    change.state = State::reached;
    change.sentence = change.from == change.to
                          ? fmt::format("{}: {} was there before.", change.layer, change.to)
                          : fmt::format("{}: {}, as planned.", change.layer, movement(change));
  } else if (change.from == change.to && measured) {
    change.state = State::back;
    change.sentence =
        fmt::format("{}: it is {}, and {} was planned.", change.layer, or_none(change.to), change.planned);
  } else if (change.from == change.to) {
    change.state = State::unchanged;
    change.sentence = fmt::format("{}: {} was planned and it is still {}.", change.layer, change.planned,
                                  or_none(change.to));
  } else {
    change.state = State::other;
    change.sentence = fmt::format("{}: {} was planned and it is {} now ({} before).", change.layer,
                                  change.planned, or_none(change.to), or_none(change.from));
  }
}

/// The planned framework that brought this layer's differences; "" if none did.
std::string bringer(const LayerChange& change, const PlanRequest& request, const Inventory& before,
                    const Inventory& now) {
  if (!std::all_of(change.differences.begin(), change.differences.end(),
                   [&](const Difference& one) { return in_wheel(one, before, now); }))
    return "";
  for (const auto& [layer, version] : request.versions)
    if (is_framework(layer)) return layer;
  return "";
}

}  // namespace

const char* to_string(LayerChange::State state) {
  switch (state) {
    case State::reached:
      return "as planned";
    case State::unchanged:
      return "planned, not changed";
    case State::back:
      return "as before";
    case State::partly:
      return "planned, half there";
    case State::other:
      return "planned otherwise";
    case State::followed:
      return "came with the plan";
    case State::unplanned:
      return "not planned";
    case State::changed:
      break;
  }
  return "changed";
}

bool StackChange::changed() const {
  return std::any_of(layers.begin(), layers.end(),
                     [](const LayerChange& change) { return !change.differences.empty(); });
}

bool StackChange::complete() const {
  return std::none_of(layers.begin(), layers.end(), [](const LayerChange& change) {
    return change.state == State::unchanged || change.state == State::back || change.state == State::partly ||
           change.state == State::other;
  });
}

std::vector<std::string> StackChange::unplanned() const {
  std::vector<std::string> out;
  for (const LayerChange& change : layers)
    if (change.state == State::unplanned) out.push_back(change.layer);
  return out;
}

StackChange stack_change(const Inventory& before, const Inventory& now, const PlanRequest& request,
                         bool measured) {
  StackChange out;
  out.planned = !request.versions.empty();
  std::vector<std::string> order;
  for (const std::string& layer : plan_keys())
    if (request.versions.count(layer) > 0) order.push_back(layer);
  const std::size_t planned = order.size();
  std::map<std::string, std::vector<Difference>> found;
  for (Difference& difference : diff(before, now)) {
    const std::string layer = layer_of(difference);
    if (layer == ignored) continue;
    const bool shell = request.versions.count("cuda") == 0 && of_shell(difference, before, now);
    if (layer == setting || shell) {
      out.settings.push_back(std::move(difference));
      continue;
    }
    if (std::find(order.begin(), order.end(), layer) == order.end()) order.push_back(layer);
    found[layer].push_back(std::move(difference));
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    LayerChange change;
    change.layer = order[i];
    change.from = layer_version(before, change.layer);
    change.to = layer_version(now, change.layer);
    change.differences = std::move(found[change.layer]);
    if (change.from.empty() && change.to.empty()) take_package_versions(change);
    if (i < planned) {
      const Version& wanted = request.versions.at(change.layer);
      change.planned = change.layer == "driver" ? driver_text(wanted) : wanted.text();
      judge_planned(change, wanted, now, measured);
    } else if (!out.planned) {
      change.sentence = fmt::format("{}: {}.", change.layer, movement(change));
    } else if (const std::string by = bringer(change, request, before, now); !by.empty()) {
      change.state = State::followed;
      change.sentence = fmt::format("{}: {}, brought by {}.", change.layer, movement(change), by);
    } else {
      change.state = State::unplanned;
      change.sentence = fmt::format("{}: {}; the plan does not name it.", change.layer, movement(change));
    }
    out.layers.push_back(std::move(change));
  }
  return out;
}

std::string package_layer(std::string_view name) {
  if (begins(name, {"datacenter-gpu-manager-fabric"})) return "driver";
  if (begins(name, {"datacenter-gpu-manager", "gdrdrv", "libgdrapi"})) return "other";
  if (begins(name, {"nvidia-container", "libnvidia-container"})) return "container";
  if (is_driver_package(name)) return "driver";
  if (begins(name, {"libcudnn", "cudnn"})) return "cudnn";
  if (begins(name, {"libnccl"})) return "nccl";
  if (begins(name, {"libnvinfer", "libnvonnxparser", "python3-libnvinfer", "tensorrt"})) return "tensorrt";
  if (begins(name, {"nvidia-cuda-toolkit", "nvidia-cuda-dev", "nvidia-profiler"})) return "cuda";
  // Other packages with these names are parts of NVIDIA's driver.
  if (begins(name, {"nvidia-", "libnvidia-"})) return "driver";
  return "cuda";
}

}  // namespace gpugauge::stack

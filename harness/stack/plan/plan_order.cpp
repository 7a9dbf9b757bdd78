// The upgrade order: drivers first, because the driver limits everything above it.
#include <algorithm>

#include <fmt/format.h>

#include "stack/plan/plan.hpp"
#include "stack/rules/fabric.hpp"

namespace gpugauge::stack {
namespace {

/// Version of the toolkit that the environment selects, else of the first one.
std::string toolkit_version(const Inventory& inventory) {
  const std::string path = inventory.value("toolkit.selected");
  for (const std::string& index : inventory.children("toolkit")) {
    if (!path.empty() && inventory.value("toolkit." + index + ".path") == path)
      return inventory.value("toolkit." + index + ".version");
  }
  return inventory.value("toolkit.0.version");
}

}  // namespace

std::string layer_version(const Inventory& inventory, const std::string& layer) {
  if (layer == "driver") return inventory.value("driver.version");
  if (layer == "cuda") return toolkit_version(inventory);
  if (layer == "gcc" || layer == "clang") return inventory.value("host_compiler." + layer);
  if (layer == "python") return inventory.value("python.version");
  if (layer == "cudnn" || layer == "nccl") return inventory.value("library." + layer + ".0.version");
  if (layer == "tensorrt") return inventory.value("library.nvinfer.0.version");
  return inventory.value("framework." + layer + ".version");
}

std::string layer_title(const std::string& layer) {
  if (layer == "driver") return "the driver";
  if (layer == "cuda") return "the CUDA toolkit";
  if (layer == "cudnn") return "cuDNN";
  if (layer == "python") return "Python";
  return framework_title(layer);
}

namespace {

std::string why(const std::string& key, bool down) {
  if (key == "driver" && down)
    return "Last: an older driver does not run what newer toolkits built, so everything above it goes back "
           "before "
           "it does.";
  if (key == "driver")
    return "First: a newer driver runs what older toolkits built, an older driver does not run what newer "
           "ones "
           "build. Nothing above it breaks meanwhile.";
  if (key == "gcc" || key == "clang") return "nvcc has to accept it before anything is compiled.";
  if (key == "cuda") return "Toolkits stand side by side: the old one stays until what it built is replaced.";
  if (key == "cudnn") return "It is chosen for the CUDA that is there by now.";
  if (key == "nccl")
    return "All nodes of a job need the same version: until the last node has it, let no job take in nodes "
           "with "
           "and nodes without it.";
  if (key == "python") return "Wheels are made for one Python version.";
  return "Once what is below it is in place: its wheels bring that, or load it.";
}

PlanStep step_for(const std::string& key, const std::string& from, const std::string& to, bool down) {
  PlanStep step{key, from, to, "", why(key, down)};
  if (from.empty())
    step.what = fmt::format("Install {} {}.", layer_title(key), to);
  else if (key == "cuda" && !down)
    step.what = fmt::format("Install {} {} beside {}, and point PATH and LD_LIBRARY_PATH to it.",
                            layer_title(key), to, from);
  else
    step.what =
        fmt::format("{} {} from {} to {}.", down ? "Go back with" : "Upgrade", layer_title(key), from, to);
  return step;
}

/// Adds the step that accompanies the driver's, if this machine's own fabric manager has NVSwitches to set
/// up.
void add_fabric_manager(const Inventory& inventory, const std::string& to, std::vector<PlanStep>& steps) {
  const Fabric fabric = look_at_fabric(inventory);
  if (!fabric.managed) return;
  steps.push_back(
      {"fabric_manager", inventory.value("fabric_manager.version"), to,
       fmt::format(
           "Bring the fabric manager to exactly the driver's version, {}, in one go with the driver: stop "
           "its service before.{}",
           to, fabric.subnet ? " Have nvlsm, which it needs with NVLink 5, installed as well." : ""),
       "With the driver, whichever way that goes: on machines with NVSwitch a fabric manager of "
       "another version leaves CUDA with error 802."});
}

PlanStep restart() {
  return {
      restart_layer, "", "", "Restart the machine, once all packages of the driver are in place.",
      "A loaded module stays until then, and new CUDA programs end with error 803 while the libraries are "
      "of another version."};
}

}  // namespace

std::vector<PlanStep> plan_steps(const PlanRequest& request, const Inventory& here) {
  const Inventory nothing;
  const Inventory& inventory = request.gpus.empty() ? here : nothing;
  std::vector<PlanStep> steps;
  std::vector<PlanStep> last;
  for (const std::string& key : plan_keys()) {
    const auto wanted = request.versions.find(key);
    if (wanted == request.versions.end() || (key == "driver" && request.driver_given)) continue;
    if (key == "vgpu_host") continue;  // the guest cannot change the host
    std::string from = layer_version(inventory, key);
    const auto have = Version::parse(from);
    if (!have) from.clear();  // the text is "unknown"
    // Every release of a branch satisfies "570", and every update satisfies "12.8".
    if (have && have->first(wanted->second.size()) == wanted->second) continue;
    const bool down = have && wanted->second < *have;
    const std::string to = key == "driver" ? driver_text(wanted->second) : wanted->second.text();
    PlanStep step = step_for(key, from, to, down);
    auto& list = key == "driver" && down ? last : steps;
    list.push_back(std::move(step));
    if (key != "driver") continue;
    add_fabric_manager(inventory, to, list);
    list.push_back(restart());
  }
  steps.insert(steps.end(), last.begin(), last.end());
  return steps;
}

}  // namespace gpugauge::stack

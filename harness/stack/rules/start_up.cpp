// Why CUDA or NVML does not start: finds one root cause from the ground up; its consequences become evidence.
#include "stack/rules/start_up.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "stack/inventory/image.hpp"

namespace gpugauge::stack {
namespace {

/// True on a Jetson. Before JetPack 6 there is no NVML for it.
bool on_tegra(const StartUp& start) {
  if (start.inventory.value("driver.libcuda_path").find("/tegra/") != std::string::npos) return true;
  constexpr std::array<std::string_view, 4> tegras{"5.3", "6.2", "7.2", "8.7"};
  return std::any_of(start.gpus.begin(), start.gpus.end(), [&](const GpuView& gpu) {
    return std::find(tegras.begin(), tegras.end(), gpu.value("compute_capability")) != tegras.end();
  });
}

/// Reports a missing NVML library beside a working libcuda: monitoring fails, CUDA works.
std::optional<Finding> nvml_library_missing(const StartUp& start) {
  if (!start.library || start.nvml || !missing(start.inventory, "driver.libnvml_path") || on_tegra(start))
    return std::nullopt;
  Finding finding = make_finding(Cause("driver_library_missing"), Severity::warning,
                                 "NVML's library libnvidia-ml.so.1 is missing",
                                 "CUDA has its driver library and works without NVML, but nvidia-smi, "
                                 "monitoring and frameworks that ask "
                                 "NVML do not.");
  add_seen(finding, start.inventory,
           {{"driver.libnvml_path", "libnvidia-ml.so.1"}, {"driver.libcuda_path", "libcuda.so.1"}});
  if (!start.container.empty()) {
    add_seen(finding, start.inventory, {{"container.driver_capabilities", "NVIDIA_DRIVER_CAPABILITIES"}});
    finding.next = {"Start the container with NVIDIA_DRIVER_CAPABILITIES=compute,utility"};
  } else {
    finding.next = {"Install the package of the same driver version that holds libnvidia-ml.so.1"};
  }
  finding.layers = {"driver"};
  return finding;
}

/// Adds the driver's answers, whatever the root cause is.
void add_answers(Finding& finding, const StartUp& start) {
  for (const std::string& answer : {start.cuda_answer(), start.nvml_answer()}) {
    const auto same = [&](const std::string& line) { return line.find(answer) != std::string::npos; };
    if (!answer.empty() && std::none_of(finding.evidence.begin(), finding.evidence.end(), same))
      finding.evidence.push_back(answer);
  }
}

std::string answer_text(const Inventory& inventory, const std::string& prefix, const std::string& otherwise,
                        int code) {
  const std::string call = inventory.value(prefix + ".call");
  const std::string name = inventory.value(prefix + ".name");
  return fmt::format("{} answers {}{}", call.empty() ? otherwise : printable(call, 60), code,
                     name.empty() ? "" : fmt::format(" ({})", printable(name, 60)));
}

}  // namespace

std::vector<PciFunction> unanswered_gpus(const Inventory& inventory) {
  std::vector<PciFunction> found;
  for (const std::string& index : inventory.children("pci")) {
    const std::string prefix = "pci." + index;
    if (inventory.has(prefix + ".class") && !is(inventory, prefix + ".class", "gpu")) continue;
    const auto value = [&](const char* fact) {
      return printable(inventory.value(fmt::format("{}.{}", prefix, fact)), 40);
    };
    found.push_back({value("address"), value("device_id"), value("driver"), value("minor"), value("node"),
                     value("excluded") == "yes"});
  }
  return found;
}

StartUp::StartUp(const RuleInput& rule_input) : input(rule_input), inventory(rule_input.inventory) {
  wsl = in_wsl(inventory);
  container = container_of(inventory);
  const Item* const version = inventory.find("driver.kernel_module_version");
  if (version != nullptr && version->presence != Presence::unreadable)
    module = version->presence == Presence::present ? ModuleState::loaded : ModuleState::missing;
  if (is(inventory, "driver.uvm", "loaded")) module = ModuleState::loaded;  // it needs the nvidia module
  pci = unanswered_gpus(inventory);
  gpus = gpus_of(inventory);
  cuda = code_of(inventory, "cuda.init.code");
  nvml = code_of(inventory, "nvml.init.code");
  library = inventory.has("driver.libcuda_path") || inventory.has("driver.libcuda_version");
}

bool StartUp::alive() const {
  constexpr std::array from_a_living_driver{0, 2, 46, 801, 802, 803, 804, 805};
  const bool answered = cuda && std::find(from_a_living_driver.begin(), from_a_living_driver.end(), *cuda) !=
                                    from_a_living_driver.end();
  return answered || !gpus.empty() || number_of(inventory, "nvml.devices").value_or(0) > 0;
}

bool StartUp::hardware() const {
  if (image()) return false;  // a device node in an image is a packed file
  return wsl || !pci.empty() || !gpus.empty() || module == ModuleState::loaded ||
         inventory.has("driver.device_nodes") || is(inventory, "topology.nvswitch", "yes");
}

bool StartUp::unseen() const {
  constexpr std::array places{"pci", "driver.kernel_module_version", "driver.device_nodes"};
  return !image() && std::any_of(places.begin(), places.end(),
                                 [&](const char* place) { return inventory.unreadable(place); });
}

bool StartUp::image() const {
  return is_image(inventory);
}

std::string StartUp::on_pci() const {
  if (pci.empty()) return "no NVIDIA GPU";
  if (pci.size() == 1) return fmt::format("1 NVIDIA GPU ({}, device {})", pci[0].address, pci[0].device_id);
  return fmt::format("{} NVIDIA GPUs ({} and {} more)", pci.size(), pci[0].address, pci.size() - 1);
}

std::string StartUp::cuda_answer() const {
  return cuda.value_or(0) == 0 ? "" : answer_text(inventory, "cuda.init", "cuInit", *cuda);
}

std::string StartUp::nvml_answer() const {
  return nvml.value_or(0) == 0 ? "" : answer_text(inventory, "nvml.init", "nvmlInit", *nvml);
}

void check_start_up(const RuleInput& input, Findings& findings) {
  const StartUp start(input);
  constexpr std::array explanations{explain_hardware, explain_nodes,    explain_library,
                                    explain_child,    explain_versions, explain_cuda};
  for (const auto& explain : explanations) {
    if (std::optional<Finding> root = explain(start)) {
      add_answers(*root, start);  // NVML's own error has the same cause
      findings.push_back(std::move(*root));
      return;
    }
  }
  if (std::optional<Finding> finding = explain_nvml(start)) findings.push_back(std::move(*finding));
  if (std::optional<Finding> finding = nvml_library_missing(start)) findings.push_back(std::move(*finding));
}

}  // namespace gpugauge::stack

// Reasons in the kernel log why a module does not drive a GPU.
#include <array>

#include "stack/rules/start_up.hpp"

namespace gpugauge::stack {
namespace {

/// Words in a line, and the finding that they prove.
struct Sign {
  std::string_view words;
  Cause cause;
  const char* title;
  const char* explanation;
  const char* next;
};

constexpr std::array signs{
    Sign{"requires use of the NVIDIA open", Cause("open_module_required"),
         "This GPU needs the open kernel module, and the proprietary one was loaded",
         "NVIDIA drives its newest GPUs with the open kernel module only; the proprietary module of the same "
         "version refuses them.",
         "Install the open variant of the same driver version (Ubuntu: nvidia-driver-<branch>-open; NVIDIA's "
         "repository: nvidia-open), then reboot"},
    Sign{"Legacy drivers", Cause("gpu_generation_not_driven"),
         "The installed driver no longer drives this GPU: it needs a legacy driver",
         "NVIDIA ends the support of a GPU generation with a driver branch; later branches refuse the GPU.",
         "Install the legacy branch that the kernel log names, and keep the packages held at it"},
    Sign{"is not supported by the", Cause("gpu_generation_not_driven"),
         "The installed driver does not know this GPU",
         "The driver refuses a GPU that it does not support: most often the GPU is newer than the driver, as "
         "with an old image on a new host.",
         "Install a driver branch that supports this GPU (docs/compatibility.md has the oldest one per "
         "architecture)"},
    Sign{"not supported by open nvidia.ko", Cause("gpu_generation_not_driven"),
         "The open kernel module does not drive this GPU",
         "NVIDIA's open kernel module begins with the Turing generation; older GPUs need the proprietary "
         "module.",
         "Install the proprietary variant of the same driver version, then reboot"},
    Sign{"PCI I/O region assigned to your NVIDIA device is invalid", Cause("pci_region_not_assigned"),
         "The firmware gave the GPU no memory window on the PCI bus",
         "The driver needs the GPU's memory regions (BARs) to be assigned by the firmware or the hypervisor, "
         "and one of them is missing.",
         "Switch on \"Above 4G Decoding\" in the firmware, or a large enough 64-bit MMIO window in the "
         "virtual machine's settings"},
    Sign{
        "RmInitAdapter failed", Cause("gpu_start_failed"), "The kernel module could not start a GPU",
        "The module found the GPU and its initialisation failed. Usual causes, most frequent first: firmware "
        "of the module missing or of another version, a passed-through GPU that was not reset, a missing "
        "power connector, a defective GPU.",
        "Power the machine off and on (a reboot does not always reset the GPU), then read sudo dmesg | grep "
        "NVRM"},
};

}  // namespace

std::optional<Finding> explain_kernel_log(const StartUp& start) {
  for (const Sign& sign : signs) {
    for (const std::string& child : start.inventory.children("kernel_log.nvrm")) {
      const std::string line = start.inventory.value("kernel_log.nvrm." + child);
      if (line.find(sign.words) == std::string::npos) continue;
      Finding finding = make_finding(sign.cause, Severity::failure, sign.title, sign.explanation);
      finding.evidence.push_back("kernel log: " + printable(line));
      if (!start.pci.empty()) finding.evidence.push_back(start.on_pci() + " without a driver that answers");
      add_seen(finding, start.inventory,
               {{"driver.version", "driver"},
                {"driver.kernel_module_version", "kernel module"},
                {"driver.kernel_module_kind", "kind of the module:"}});
      finding.considered = {"kernel_module_missing: the kernel log shows that a module was loaded and tried"};
      finding.next = {sign.next};
      finding.layers = {"driver", "gpu"};
      return finding;
    }
  }
  return std::nullopt;
}

}  // namespace gpugauge::stack

// Findings on an NVLink fabric that GPUs have joined and that is not whole.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "result/text.hpp"
#include "stack/rules/fabric.hpp"

namespace gpugauge::stack {
namespace {

/// A word of `gpu.<n>.fabric_health`, in a sentence, and what to do about it.
struct FabricFault {
  std::string_view word;
  std::string_view meaning;
  std::string_view step;
};

constexpr std::string_view links_step =
    "Find the links that do not work: nvidia-smi nvlink --status, nvidia-smi nvlink -e, and the fabric "
    "manager's log";
constexpr std::string_view administrator_step =
    "Ask the fabric's administrator: NMX-C (or the fabric manager's log) names the GPU and what it expects";

constexpr std::array faults{
    FabricFault{"degraded_bandwidth", "fewer links carry data than there are", links_step},
    FabricFault{"route_recovery", "routes are being set up again after a fault",
                "Wait some minutes, ask again, and read the fabric manager's log for the fault before it"},
    FabricFault{"route_unhealthy", "a route to another GPU does not work", links_step},
    FabricFault{"access_timeout_recovery", "an access over the fabric timed out, and it recovers",
                "Wait some minutes, ask again, and read the kernel log for Xids of NVLink"},
    FabricFault{"wrong_system_guid", "its system GUID is not the one the fabric expects", administrator_step},
    FabricFault{"wrong_chassis_serial", "its chassis has another serial number than the fabric expects",
                administrator_step},
    FabricFault{"no_partition", "it belongs to no partition of the fabric", administrator_step},
    FabricFault{"too_few_nvlinks", "it has fewer NVLinks than the fabric needs", links_step},
    FabricFault{"incompatible_firmware", "its firmware does not fit the fabric",
                "Bring the GPUs' firmware to the version of the others in the fabric"},
    FabricFault{"invalid_location", "it is at a place where the fabric expects no GPU", administrator_step},
};

}  // namespace

Finding fabric_unhealthy_finding(const Inventory& inventory, const Fabric& fabric) {
  const std::size_t gpus = gpus_of(inventory).size();
  Finding finding = make_finding(
      Cause("fabric_unhealthy"), Severity::warning,
      fmt::format("The NVLink fabric of {} is not healthy",
                  fabric.unhealthy.size() == 1 ? fabric.unhealthy[0].name() : named(fabric.unhealthy, gpus)),
      "The GPU has joined its fabric, and the driver reports that the fabric does not work as it ought to. "
      "Transfers between GPUs run slower over it, or do not reach every GPU.");
  for (const GpuView& gpu : fabric.unhealthy) {
    finding.evidence.push_back(fmt::format("{}: fabric health {}", gpu.name(), gpu.shown("fabric_health")));
    for (const std::string_view word : result::split(gpu.value("fabric_health"), ',')) {
      const auto fault = std::find_if(faults.begin(), faults.end(),
                                      [&](const FabricFault& one) { return one.word == word; });
      if (fault == faults.end()) continue;
      finding.evidence.push_back(fmt::format("{}: {}", gpu.name(), fault->meaning));
      if (std::find(finding.next.begin(), finding.next.end(), fault->step) == finding.next.end())
        finding.next.emplace_back(fault->step);
    }
  }
  add_seen(finding, inventory,
           {{"fabric_manager.state", "fabric manager:"}, {"fabric_manager.version", "its version"}});
  if (finding.next.empty())
    finding.next.emplace_back("See what the driver says: nvidia-smi -q | grep -A12 Fabric");
  finding.considered = {"fabric_not_ready: the GPU has joined its fabric"};
  finding.layers = {"driver", "fabric manager"};
  finding.sources = {"NVML API reference, nvmlDeviceGetGpuFabricInfoV"};
  return finding;
}

}  // namespace gpugauge::stack

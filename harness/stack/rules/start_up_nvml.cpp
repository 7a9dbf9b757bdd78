// Start-up, NVML's error if CUDA starts or was not asked.
#include <fmt/format.h>

#include "stack/rules/start_up.hpp"

namespace gpugauge::stack {
namespace {

Finding lost(const StartUp& start) {
  Finding finding = make_finding(Cause("gpu_lost"), Severity::failure, "A GPU has fallen off the bus",
                                 "NVML answers that a GPU is lost: it no longer responds on the PCI bus. "
                                 "Heat, power, a riser or slot, or "
                                 "a defect are the usual causes.");
  finding.evidence = {start.nvml_answer()};
  add_entries(finding, start.inventory, "kernel_log.xid", "Xid:");
  finding.considered = {"umd_kmd_mismatch: the driver answers"};
  finding.next = {"Power the machine off and on; a reboot is often not enough",
                  "If it comes back: have the slot, the power and the card checked"};
  finding.layers = {"gpu"};
  return finding;
}

Finding no_permission(const StartUp& start) {
  Finding finding = make_finding(Cause("device_access_denied"), Severity::failure,
                                 "The GPUs' device nodes may not be opened by this user",
                                 "The driver is loaded, and this user is not allowed to use /dev/nvidia*.");
  add_seen(finding, start.inventory, {{"driver.device_nodes", "device nodes:"}});
  finding.next = {"See who may: ls -l /dev/nvidia*; join that group, or ask for a job with a GPU",
                  "The nodes' owner and mode come from the module options NVreg_DeviceFileGID and "
                  "NVreg_DeviceFileMode"};
  finding.layers = {"driver"};
  return finding;
}

}  // namespace

std::optional<Finding> explain_nvml(const StartUp& start) {
  const int code = start.nvml.value_or(0);
  if (code == 0) return std::nullopt;
  if (code == 15) return lost(start);
  if (code == 4) return no_permission(start);
  Finding finding = explain_code(start, Cause("nvml_start_failed"), "nvml", code);
  if (start.cuda == 0) {
    finding.severity = Severity::warning;
    finding.considered = {"Faults of the driver itself: CUDA starts"};
  }
  return finding;
}

}  // namespace gpugauge::stack

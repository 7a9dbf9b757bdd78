// NVSwitch errors (SXid) that the kernel module wrote to the kernel log.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/rules/fabric.hpp"
#include "stack/rules/gpus_parts.hpp"

namespace gpugauge::stack {
namespace {

/// Lines with one number and one severity.
struct Group {
  std::size_t lines = 0;
  std::set<std::string> switches;
  std::string newest;  ///< time and text of the newest line
};

/// The severity that the module wrote after the number; "Fatal" means fatal to the fabric.
enum class Gravity { fatal, non_fatal, correctable };

Gravity gravity_of(std::string_view text) {
  if (text.starts_with("Fatal")) return Gravity::fatal;
  return text.starts_with("Correctable") ? Gravity::correctable : Gravity::non_fatal;
}

/// True if CUDA starts and no GPU waits for the fabric: as far as visible, an error fatal to it is over.
bool fabric_works(const Inventory& inventory) {
  return code_of(inventory, "cuda.init.code") == 0 && look_at_fabric(inventory).waiting.empty();
}

Finding worded(Gravity gravity, const Inventory& inventory) {
  if (gravity == Gravity::fatal) {
    const bool works = fabric_works(inventory);
    Finding finding = make_finding(
        Cause("nvswitch_error"), works ? Severity::warning : Severity::failure,
        "An NVSwitch met an error that is fatal to the fabric (SXid)",
        works
            ? "CUDA starts now, and no GPU is seen to wait for the fabric, so it may have been reset since: "
              "the line stays in the log until the machine starts again. Programs that ran on the GPUs "
              "behind it may have ended or hang."
            : "Programs on the GPUs behind it may have ended or hang, and some of these errors leave the "
              "fabric unusable until it is reset.");
    finding.considered = {"A fault at the other end of a link, which takes the link down as well"};
    if (!works)
      finding.considered.insert(
          finding.considered.begin(),
          "A reset since then: the line stays in the log until the machine starts again");
    finding.next = {
        works ? "If the node has not been reset since: drain it, then reset all GPUs and NVSwitches together "
                "or reboot, and look whether it comes again"
              : "Drain the node, then reset all GPUs and NVSwitches together or reboot, and look whether it "
                "comes again",
        "Look the number up in NVIDIA's fabric manager user guide (NVSwitch SXid errors)"};
    return finding;
  }
  const bool corrected = gravity == Gravity::correctable;
  Finding finding =
      make_finding(Cause("nvswitch_error"), corrected ? Severity::note : Severity::warning,
                   corrected ? "NVSwitches met errors that were corrected (SXid)"
                             : "An NVSwitch met an error that is not fatal to the fabric (SXid)",
                   corrected ? "Nothing was lost; a number that grows fast announces a defect."
                             : "Some of these end a program's traffic over NVLink, others only cost time.");
  finding.next = {"Look the number up in NVIDIA's fabric manager user guide (NVSwitch SXid errors)"};
  return finding;
}

}  // namespace

void check_switches(const RuleInput& input, Findings& findings) {
  const std::string root = input.inventory.value("collected.root");
  if (!root.empty() && root != "/") return;  // the log may belong to another machine
  const std::vector<Xid> errors = errors_below(input.inventory, "kernel_log.sxid");
  if (errors.empty()) return;
  std::map<std::pair<Gravity, int>, Group> groups;
  for (const Xid& error : errors) {
    Group& group = groups[{gravity_of(error.text), error.number}];
    ++group.lines;
    group.switches.insert(error.pci);
    if (group.newest.empty()) group.newest = fmt::format("{}: {}", error.time, error.text);
  }
  Finding finding = worded(groups.begin()->first.first, input.inventory);
  for (const auto& [kind, group] : groups)
    finding.evidence.push_back(fmt::format("SXid {}, {} time{} on {}, last {}", kind.second, group.lines,
                                           group.lines == 1 ? "" : "s", fmt::join(group.switches, ", "),
                                           group.newest));
  const std::optional<double> count = number_of(input.inventory, "kernel_log.sxid_count");
  if (count && *count > static_cast<double>(errors.size()))
    finding.evidence.push_back(fmt::format("{:.0f} lines in all, {} looked at", *count, errors.size()));
  finding.sources = {"NVIDIA fabric manager user guide, NVSwitch SXid errors"};
  finding.layers = {"gpu"};
  findings.push_back(std::move(finding));
}

}  // namespace gpugauge::stack

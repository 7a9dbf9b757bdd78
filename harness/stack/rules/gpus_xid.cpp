// GPU errors (Xid) that the kernel module wrote to the kernel log.
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/gpu_health.hpp"
#include "result/xid.hpp"
#include "stack/rules/gpus_parts.hpp"

namespace gpugauge::stack {
namespace {

using result::xid_meaning;
using result::XidBlame;
using result::XidMeaning;

/// The action that an Xid 154 requests: "GPU Reset Required" from "GPU recovery action changed from 0x0
/// (None) to 0x1 (GPU Reset Required)"; "" for other text.
std::string asked_for(const Xid& xid) {
  const auto to = xid.text.rfind(" to 0x");
  const auto open = to == std::string::npos ? to : xid.text.find('(', to);
  const auto close = open == std::string::npos ? open : xid.text.find(')', open);
  return close == std::string::npos ? "" : xid.text.substr(open + 1, close - open - 1);
}

constexpr int recovery_changed = 154;

/// True if the newest Xid 154 of its GPU no longer requests an action.
bool is_settled(const Xid& xid, const std::vector<Xid>& newest_first) {
  const auto newest = std::find_if(newest_first.begin(), newest_first.end(), [&](const Xid& other) {
    return other.number == recovery_changed && other.pci == xid.pci;
  });
  return newest != newest_first.end() && asked_for(*newest) == "None";
}

std::string words_for(int number, const std::vector<const Xid*>& newest_first) {
  const XidMeaning* const meaning = xid_meaning(number);
  if (meaning == nullptr) return "not in this build's table";
  const std::string asked = number == recovery_changed ? asked_for(*newest_first.front()) : "";
  return asked.empty() ? meaning->words : fmt::format("what the driver asks for to recover: {}", asked);
}

/// One line per number, and for Xid 154 one per GPU, as each GPU requests its own action. Each has the count
/// among the kept lines, the GPUs, and the newest line.
std::vector<std::string> grouped(const std::vector<Xid>& xids) {
  constexpr std::size_t places_most = 4;
  std::map<std::pair<int, std::string>, std::vector<const Xid*>> by_kind;
  for (const Xid& xid : xids)
    by_kind[{xid.number, xid.number == recovery_changed ? xid.pci : ""}].push_back(&xid);
  std::vector<std::string> lines;
  for (const auto& [kind, some] : by_kind) {
    const int number = kind.first;
    std::vector<std::string> places;
    for (const Xid* xid : some)
      if (std::find(places.begin(), places.end(), xid->pci) == places.end()) places.push_back(xid->pci);
    if (places.size() > places_most) {
      const std::size_t more = places.size() - places_most;
      places.resize(places_most);
      places.push_back(fmt::format("{} more", more));
    }
    lines.push_back(fmt::format("Xid {} ({}), {} time{} on {}, last {}: {}", number, words_for(number, some),
                                some.size(), some.size() == 1 ? "" : "s", fmt::join(places, ", "),
                                some.front()->time, some.front()->text));
  }
  return lines;
}

/// Takes the Xids whose number `is_one` accepts out of `rest`.
template <typename IsOne>
std::vector<Xid> taken(std::vector<Xid>& rest, const IsOne& is_one) {
  const auto first =
      std::stable_partition(rest.begin(), rest.end(), [&](const Xid& xid) { return !is_one(xid.number); });
  std::vector<Xid> some(std::make_move_iterator(first), std::make_move_iterator(rest.end()));
  rest.erase(first, rest.end());
  return some;
}

void add(Finding finding, const std::vector<Xid>& xids, Findings& findings) {
  finding.evidence = grouped(xids);
  finding.sources = {result::xid_catalog};
  finding.layers = {"gpu"};
  findings.push_back(std::move(finding));
}

/// Handles logs below another root: an image may contain a log of the machine that built it.
void note_other_root(const Inventory& inventory, const std::string& root, const std::vector<Xid>& xids,
                     Findings& findings) {
  std::string log;
  for (const std::string& child : inventory.children("kernel_log.xid")) {
    if (const Item* const item = inventory.find("kernel_log.xid." + child)) log = printable(item->source);
    break;
  }
  Finding finding = make_finding(Cause("xid_seen"), Severity::note,
                                 "A log below the root that was looked at holds errors of a GPU (Xid)",
                                 "The log tells of the machine that wrote it, which need not be one that "
                                 "this root runs on now.");
  finding.next = {"Find out which machine wrote that log, then look the numbers up in NVIDIA's Xid catalog"};
  add(std::move(finding), xids, findings);
  findings.back().evidence.push_back(fmt::format("log: {} below {}", log, printable(root)));
}

/// The GPUs named in the lines, if the driver answers for them.
GpuViews concerned(const Inventory& inventory, const std::vector<Xid>& xids) {
  GpuViews some;
  for (const GpuView& gpu : gpus_of(inventory)) {
    if (std::any_of(xids.begin(), xids.end(), [&](const Xid& xid) { return xid.pci == gpu.value("pci"); }))
      some.push_back(gpu);
  }
  return some;
}

/// Xid 64: its meaning depends on the GPU's own record.
void add_not_replaced(const Inventory& inventory, const std::vector<Xid>& xids, Findings& findings) {
  const GpuViews gpus = concerned(inventory, xids);
  const auto all = [&](const char* word) {
    return !gpus.empty() && std::all_of(gpus.begin(), gpus.end(),
                                        [&](const GpuView& gpu) { return gpu.is("remap_failed", word); });
  };
  Finding finding = make_finding(
      Cause("hbm_row_remap"), Severity::warning,
      "The kernel log says that a memory row or page of a GPU could not be replaced",
      all("yes")  ? "The GPU can no longer repair its memory and is due for replacement."
      : all("no") ? "The GPU's own record shows no failed remapping (remap_failed no), so that the line "
                    "alone does not make it due for replacement."
                  : "Whether the GPU can still repair its memory is told by its own record of failed "
                    "remapping (remap_failed).");
  finding.next = all("yes") ? std::vector<std::string>{std::string(result::replace_step)}
                            : std::vector<std::string>{reset_advice(inventory, gpus),
                                                       "Then look at its record: nvidia-smi -q -d "
                                                       "ROW_REMAPPER,PAGE_RETIREMENT"};
  add(std::move(finding), xids, findings);
  for (const GpuView& gpu : gpus)
    findings.back().evidence.push_back(
        fmt::format("{}: remap_failed {}", gpu.name(), gpu.shown("remap_failed")));
}

void add_firmware(const Inventory& inventory, const std::vector<Xid>& xids, Findings& findings) {
  Finding finding = make_finding(
      Cause("gsp_firmware"), Severity::warning,
      "The firmware processor of a GPU (GSP) failed or did not answer",
      "Calls into the driver wait for the GSP; when it does not answer they take long or fail, and the GPU "
      "needs a reset.");
  finding.considered = {"driver_hangs: a driver that does not answer at all may follow from this"};
  finding.next = {reset_advice(inventory, concerned(inventory, xids)), "Update the driver within its branch",
                  "If it comes again with the proprietary module: try NVreg_EnableGpuFirmware=0"};
  add(std::move(finding), xids, findings);
  for (const GpuView& gpu : gpus_of(inventory))
    if (!gpu.value("gsp").empty()) {
      findings.back().evidence.push_back(fmt::format("{}: GSP firmware {}", gpu.name(), gpu.shown("gsp")));
      break;
    }
}

std::string look_up() {
  return fmt::format("{} (docs.nvidia.com/deploy/xid-errors)", result::xid_catalog_step);
}

/// The numbers that no other finding explains.
Finding rest_of(const Inventory& inventory, const std::vector<Xid>& rest, const std::vector<Xid>& xids) {
  const auto blames = [&](XidBlame blame) {
    return std::any_of(rest.begin(), rest.end(), [&](const Xid& xid) {
      const XidMeaning* const meaning = xid_meaning(xid.number);
      const bool settled = xid.number == recovery_changed && is_settled(xid, xids);
      return meaning != nullptr && meaning->blame == blame && !settled;
    });
  };
  const bool unknown = std::any_of(rest.begin(), rest.end(),
                                   [](const Xid& xid) { return xid_meaning(xid.number) == nullptr; });
  Finding finding;
  if (blames(XidBlame::machine)) {
    finding = make_finding(Cause("xid_seen"), Severity::warning, "The kernel log holds errors of a GPU (Xid)",
                           "The kernel module writes such a line when a GPU, its memory or a link failed.");
    std::vector<Xid> reset;
    std::copy_if(rest.begin(), rest.end(), std::back_inserter(reset), [](const Xid& xid) {
      const XidMeaning* const meaning = xid_meaning(xid.number);
      return meaning != nullptr && meaning->reset;
    });
    if (!reset.empty()) finding.next.push_back(reset_advice(inventory, concerned(inventory, reset)));
    finding.next.push_back(look_up());
  } else if (unknown) {
    finding =
        make_finding(Cause("xid_seen"), Severity::warning,
                     "The kernel log holds errors of a GPU (Xid) that are not in this build's table",
                     "Newer GPUs and drivers have numbers of their own, errors of the hardware among them.");
  } else if (blames(XidBlame::program)) {
    finding = make_finding(
        Cause("xid_seen"), Severity::note,
        "The kernel log holds errors (Xid) that programs usually cause themselves",
        "The kernel module writes such a line also when a program made a mistake on the GPU; seldom is the "
        "machine at fault.");
    finding.next = {look_up()};
  } else {
    finding = make_finding(Cause("xid_seen"), Severity::note,
                           "The driver asked to recover a GPU and no longer does (Xid 154)",
                           "By the newest line the driver asks for nothing any more.");
    finding.next = {"Find out what had failed: the kernel log before that line"};
  }
  if (unknown) finding.next.emplace_back(result::xid_unknown_step);
  return finding;
}

}  // namespace

void check_xids(const RuleInput& input, Findings& findings) {
  const std::vector<Xid> xids = xids_of(input.inventory);
  if (xids.empty()) return;
  const std::string root = input.inventory.value("collected.root");
  if (!root.empty() && root != "/") {
    note_other_root(input.inventory, root, xids, findings);
    return;
  }
  // Other numbers of the bus and of the memory leave the GPU there, or its memory able to be repaired.
  constexpr int off_the_bus = 79;
  constexpr int not_replaced = 64;
  std::vector<Xid> rest = xids;
  if (const auto lost = taken(rest, [](int number) { return number == off_the_bus; }); !lost.empty()) {
    Finding finding =
        make_finding(Cause("gpu_lost"), Severity::warning, "The kernel log says that a GPU fell off the bus",
                     "It no longer responded on the PCI bus. Heat, power, a riser or slot, or a defect are "
                     "the usual causes.");
    finding.next = {"Compare nvidia-smi -L with the GPUs that should be there",
                    std::string(result::power_cycle_step)};
    add(std::move(finding), lost, findings);
  }
  if (const auto rows = taken(rest, [](int number) { return number == not_replaced; }); !rows.empty())
    add_not_replaced(input.inventory, rows, findings);
  const auto of_firmware = [](int number) {
    return result::is_xid_about(number, result::XidAbout::firmware);
  };
  if (const auto firmware = taken(rest, of_firmware); !firmware.empty())
    add_firmware(input.inventory, firmware, findings);
  if (rest.empty()) return;
  const std::optional<double> count = number_of(input.inventory, "kernel_log.xid_count");
  add(rest_of(input.inventory, rest, xids), rest, findings);
  if (count && *count > static_cast<double>(xids.size()))
    findings.back().evidence.push_back(fmt::format("{:.0f} lines in all, {} looked at", *count, xids.size()));
}

}  // namespace gpugauge::stack

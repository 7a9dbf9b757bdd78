// Errors that the kernel module wrote into the kernel log.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/rules/gpus_parts.hpp"

namespace gpugauge::stack {
namespace {

constexpr const char* catalogue = "NVIDIA Xid catalog (docs.nvidia.com/deploy/xid-errors)";

/// What a number means, in few words. A program's own fault says nothing against the machine.
struct Meaning {
  int number;
  bool program;
  const char* words;
};
constexpr std::array meanings{
    Meaning{13, true, "a kernel or graphics command failed, most often a program's fault"},
    Meaning{31, true, "a program touched memory that is not its own"},
    Meaning{32, false, "damaged commands reached the GPU"},
    Meaning{43, true, "the GPU stopped a program's work"},
    Meaning{45, true, "work was cleaned up after an earlier error or an ended program"},
    Meaning{48, false, "an uncorrectable memory error"},
    Meaning{61, false, "the GPU's own controller failed"},
    Meaning{62, false, "the GPU's own controller stopped"},
    Meaning{63, false, "a memory row or page was marked for replacement"},
    Meaning{64, false, "a memory row or page could not be replaced"},
    Meaning{69, true, "a program used a function the GPU does not have"},
    Meaning{74, false, "an NVLink error"},
    Meaning{79, false, "the GPU fell off the bus"},
    Meaning{92, false, "many corrected memory errors"},
    Meaning{94, false, "a memory error, contained in one program"},
    Meaning{95, false, "a memory error that was not contained: the GPU needs a reset"},
    Meaning{109, false, "switching between programs took too long"},
    Meaning{119, false, "the GPU's firmware processor (GSP) did not answer"},
    Meaning{120, false, "the GPU's firmware processor (GSP) failed"},
    Meaning{140, false, "an uncorrectable memory error was left unrecovered"},
    Meaning{154, false, "the driver asks for a reset or a reboot"},
};

const Meaning* meaning_of(int number) {
  const auto found = std::find_if(meanings.begin(), meanings.end(),
                                  [&](const Meaning& row) { return row.number == number; });
  return found == meanings.end() ? nullptr : &*found;
}

/// One line a number: how often among the lines kept, on which GPUs, the newest.
std::vector<std::string> grouped(const std::vector<Xid>& xids) {
  constexpr std::size_t places_most = 4;
  std::map<int, std::vector<const Xid*>> by_number;
  for (const Xid& xid : xids) by_number[xid.number].push_back(&xid);
  std::vector<std::string> lines;
  for (const auto& [number, some] : by_number) {
    std::vector<std::string> places;
    for (const Xid* xid : some)
      if (std::find(places.begin(), places.end(), xid->pci) == places.end()) places.push_back(xid->pci);
    if (places.size() > places_most) {
      const std::size_t more = places.size() - places_most;
      places.resize(places_most);
      places.push_back(fmt::format("{} more", more));
    }
    const Meaning* const meaning = meaning_of(number);
    lines.push_back(fmt::format("Xid {} ({}), {} times on {}, last {}: {}", number,
                                meaning == nullptr ? "see the catalog" : meaning->words, some.size(),
                                fmt::join(places, ", "), some.front()->time, some.front()->text));
  }
  return lines;
}

std::vector<Xid> with_numbers(const std::vector<Xid>& xids, std::initializer_list<int> numbers) {
  std::vector<Xid> some;
  std::copy_if(xids.begin(), xids.end(), std::back_inserter(some), [&](const Xid& xid) {
    return std::find(numbers.begin(), numbers.end(), xid.number) != numbers.end();
  });
  return some;
}

void add(Finding finding, const std::vector<Xid>& xids, Findings& findings) {
  finding.evidence = grouped(xids);
  finding.sources = {catalogue};
  finding.layers = {"gpu"};
  findings.push_back(std::move(finding));
}

/// Log files below another root: an image may carry a log of the machine that it was made on.
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

}  // namespace

void check_xids(const RuleInput& input, Findings& findings) {
  const std::vector<Xid> xids = xids_of(input.inventory);
  if (xids.empty()) return;
  const std::string root = input.inventory.value("collected.root");
  if (!root.empty() && root != "/") {
    note_other_root(input.inventory, root, xids, findings);
    return;
  }
  if (const auto lost = with_numbers(xids, {79}); !lost.empty()) {
    Finding finding =
        make_finding(Cause("gpu_lost"), Severity::warning, "The kernel log says that a GPU fell off the bus",
                     "It no longer responded on the PCI bus. Heat, power, a riser or slot, or a defect are "
                     "the usual causes.");
    finding.next = {"Compare nvidia-smi -L with the GPUs that should be there; power the machine off and on"};
    add(std::move(finding), lost, findings);
  }
  if (const auto rows = with_numbers(xids, {64}); !rows.empty()) {
    Finding finding = make_finding(Cause("hbm_row_remap"), Severity::warning,
                                   "A memory row or page of a GPU could not be replaced",
                                   "The GPU can no longer repair its memory and is due for replacement.");
    finding.next = {"Take the GPU out of use and have it tested for replacement (NVIDIA's field diagnostic)"};
    add(std::move(finding), rows, findings);
  }
  if (const auto firmware = with_numbers(xids, {119, 120}); !firmware.empty()) {
    Finding finding = make_finding(
        Cause("gsp_firmware"), Severity::warning,
        "The firmware processor of a GPU (GSP) failed or did not answer",
        "Calls into the driver wait for the GSP; when it does not answer they take long or fail, and the GPU "
        "needs a reset.");
    finding.considered = {"driver_hangs: a driver that does not answer at all may follow from this"};
    finding.next = {"Reset the GPU or reboot, and update the driver within its branch",
                    "If it comes again with the proprietary module: try NVreg_EnableGpuFirmware=0"};
    add(std::move(finding), firmware, findings);
    for (const GpuView& gpu : gpus_of(input.inventory))
      if (!gpu.value("gsp").empty()) {
        findings.back().evidence.push_back(fmt::format("{}: GSP firmware {}", gpu.name(), gpu.shown("gsp")));
        break;
      }
  }
  std::vector<Xid> rest;
  std::copy_if(xids.begin(), xids.end(), std::back_inserter(rest), [](const Xid& xid) {
    return xid.number != 79 && xid.number != 64 && xid.number != 119 && xid.number != 120;
  });
  if (rest.empty()) return;
  const bool machine = std::any_of(rest.begin(), rest.end(), [](const Xid& xid) {
    const Meaning* const meaning = meaning_of(xid.number);
    return meaning != nullptr && !meaning->program;
  });
  Finding finding = make_finding(
      Cause("xid_seen"), machine ? Severity::warning : Severity::note,
      machine ? "The kernel log holds errors of a GPU (Xid)"
              : "The kernel log holds errors (Xid) that programs usually cause themselves",
      machine
          ? "The kernel module writes such a line when a GPU, its memory or a link failed."
          : "The kernel module writes such a line also when a program made a mistake on the GPU; nothing in "
            "them speaks against the machine.");
  finding.next = {"Look the number up in NVIDIA's Xid catalog for what to do at once and later"};
  const std::optional<double> count = number_of(input.inventory, "kernel_log.xid_count");
  add(std::move(finding), rest, findings);
  if (count && *count > static_cast<double>(xids.size()))
    findings.back().evidence.push_back(
        fmt::format("{:.0f} lines in all; the newest {} were looked at", *count, xids.size()));
}

}  // namespace gpugauge::stack

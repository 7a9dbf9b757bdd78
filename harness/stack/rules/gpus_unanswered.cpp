// GPUs on the PCI bus for which the driver does not answer: dead, reserved for virtual machines, or not
// assigned to this process. A container or batch job sees the node's whole bus but only its own GPUs.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/hardware.hpp"
#include "stack/rules/gpus_parts.hpp"
#include "stack/rules/start_up.hpp"

namespace gpugauge::stack {
namespace {

/// True if the kernel log says that this GPU fell off the bus or did not start.
bool log_says_dead(const Inventory& inventory, const std::string& address) {
  constexpr int off_the_bus = 79;
  constexpr int not_started = 143;
  const auto xids = xids_of(inventory);
  if (std::any_of(xids.begin(), xids.end(), [&](const Xid& xid) {
        return xid.pci == address && (xid.number == off_the_bus || xid.number == not_started);
      }))
    return true;
  const std::string slot = address.substr(0, address.rfind('.'));  // "PCI:0000:9a:00" in older lines
  const auto lines = inventory.children("kernel_log.nvrm");
  return !slot.empty() && std::any_of(lines.begin(), lines.end(), [&](const std::string& child) {
    const std::string line = inventory.value("kernel_log.nvrm." + child);
    const auto says = [&](const char* words) { return line.find(words) != std::string::npos; };
    return says(slot.c_str()) && (says("fail") || says("fallen off") || says("lost"));
  });
}

/// The kernel log's lines that the installed driver does not drive a GPU that it found. Most of them name a model, not an
/// address: each of those excuses one GPU, of which no other line tells anything.
class UndrivenLines {
 public:
  explicit UndrivenLines(const Inventory& inventory) {
    for (const std::string& child : inventory.children("kernel_log.nvrm")) {
      std::string line = inventory.value("kernel_log.nvrm." + child);
      const auto says = [&](std::string_view words) { return line.find(words) != std::string::npos; };
      const bool refused = says("Legacy drivers") || says("is not supported by the") ||
                           says("not supported by open nvidia.ko");
      if (!refused)
        others_.push_back(std::move(line));
      else if (names_a_place(line))
        placed_.push_back(std::move(line));
      else if (std::find(placeless_.begin(), placeless_.end(), line) == placeless_.end())
        placeless_.push_back(std::move(line));
    }
  }

  /// The line that excuses the GPU at this address; "" if there is none. A line without a place is used up.
  std::string take(const std::string& address) {
    const std::string slot = address.substr(0, address.rfind('.'));
    const auto names_it = [&](const std::string& line) { return line.find(slot) != std::string::npos; };
    if (const auto found = std::find_if(placed_.begin(), placed_.end(), names_it); found != placed_.end())
      return *found;
    if (placeless_.empty() || std::any_of(others_.begin(), others_.end(), names_it)) return "";
    std::string line = placeless_.front();
    placeless_.erase(placeless_.begin());
    return line;
  }

 private:
  /// "PCI:0000:81:00", "0001:01:00.0": four hexadecimal digits, and two between colons. "T10:11:12" is a time.
  static bool names_a_place(std::string_view line) {
    const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    for (std::size_t at = line.find(':'); at != std::string_view::npos; at = line.find(':', at + 1))
      if (at > 3 &&
          std::all_of(line.begin() + static_cast<std::ptrdiff_t>(at) - 4,
                      line.begin() + static_cast<std::ptrdiff_t>(at), is_hex) &&
          at + 3 < line.size() && is_hex(line[at + 1]) && is_hex(line[at + 2]) && line[at + 3] == ':')
        return true;
    return false;
  }

  std::vector<std::string> placed_, placeless_, others_;
};

/// The number of GPU device nodes here; nullopt if nobody looked.
std::optional<std::size_t> nodes_here(const Inventory& inventory) {
  if (!inventory.has("driver.device_nodes")) return std::nullopt;
  const std::string nodes = inventory.value("driver.device_nodes");
  constexpr std::string_view start = "/dev/nvidia";
  std::size_t count = 0;
  for (auto at = nodes.find(start); at != std::string::npos; at = nodes.find(start, at + 1)) {
    const std::size_t digit = at + start.size();
    if (digit < nodes.size() && nodes[digit] >= '0' && nodes[digit] <= '9') ++count;
  }
  return count;
}

/// Why the driver's library cannot show this GPU to this process, even if healthy. "" if it could or should:
/// outside of a container every GPU has its node.
std::string kept_away(const Inventory& inventory, const PciFunction& gpu, std::size_t answering) {
  if (gpu.excluded) return "the kernel module excludes it (GPU Excluded: Yes)";
  const bool confined = !container_of(inventory).empty();
  if (gpu.node == "missing") return confined ? fmt::format("there is no /dev/nvidia{} here", gpu.minor) : "";
  if (gpu.node == "refused") return fmt::format("/dev/nvidia{} may not be opened here", gpu.minor);
  if (!gpu.node.empty()) return "";
  const std::optional<std::size_t> nodes = nodes_here(inventory);
  if (nodes && *nodes <= answering) return "no device node here is left for it";
  return confined ? "this container is not shown its device node's number" : "";
}

/// How many of the views a driver library answered for. The kernel module's own list (/proc/driver/nvidia/gpus)
/// gives a view of each GPU, too, where nobody answered or was asked, and a lost GPU has one without an address.
std::size_t answering(const GpuViews& gpus, const std::vector<PciFunction>& unanswered) {
  return static_cast<std::size_t>(std::count_if(gpus.begin(), gpus.end(), [&](const GpuView& gpu) {
    const std::string address = gpu.value("pci");
    return !address.empty() && std::none_of(unanswered.begin(), unanswered.end(),
                                            [&](const PciFunction& one) { return one.address == address; });
  }));
}

std::string described(const PciFunction& gpu, const std::string& state) {
  return fmt::format("{} (device {}): {}", gpu.address, gpu.device_id, state);
}

void add_reserved(std::vector<std::string> reserved, Findings& findings) {
  Finding finding =
      make_finding(Cause("gpu_reserved_for_vm"), Severity::note,
                   fmt::format("{} GPU{} reserved for virtual machines", reserved.size(),
                               reserved.size() == 1 ? " is" : "s are"),
                   "A kernel driver keeps them for virtual machines, so NVIDIA's driver and CUDA "
                   "do not see them here.");
  finding.evidence = std::move(reserved);
  finding.next = {"Nothing, if that is meant"};
  finding.layers = {"gpu"};
  findings.push_back(std::move(finding));
}

void add_not_given(const Inventory& inventory, std::vector<std::string> others, std::size_t answering,
                   std::size_t all, Findings& findings) {
  const std::string container = container_of(inventory);
  Finding finding = make_finding(
      Cause("gpus_hidden"), Severity::note,
      fmt::format("This process was given {} of the {} GPUs on the PCI bus", answering, all),
      fmt::format(
          "{} Nothing is known here of the others' health.",
          container.empty()
              ? "A batch job, a user or the kernel module may be confined to some GPUs, and the PCI bus "
                "shows all of the node's."
              : "A container is given some of a node's GPUs, and the PCI bus shows all of them."));
  finding.evidence = std::move(others);
  add_seen(finding, inventory,
           {{"nvml.devices", "GPUs that NVML sees:"},
            {"driver.device_nodes", "device nodes:"},
            {"container.kind", "container:"}});
  finding.next = {
      "Nothing, if that many were asked for; to look at all, run the doctor on the node outside jobs and "
      "containers"};
  finding.layers = {"gpu"};
  findings.push_back(std::move(finding));
}

/// Cards that this driver does not drive by design: an old one for the screen beside newer ones for CUDA.
void add_undriven(std::vector<std::string> undriven, const std::string& line, Findings& findings) {
  const bool old = line.find("is not supported by the") == std::string::npos;
  Finding finding = make_finding(
      Cause("gpu_generation_not_driven"), old ? Severity::note : Severity::warning,
      undriven.size() == 1
          ? "The installed driver does not drive one of the GPUs on the PCI bus"
          : fmt::format("The installed driver does not drive {} of the GPUs on the PCI bus", undriven.size()),
      "The kernel module found the card and left it alone, as its generation belongs to another driver branch "
      "or kind of module. That is no fault of the card, and the other GPUs are not affected.");
  finding.evidence = std::move(undriven);
  finding.evidence.push_back("kernel log: " + printable(line));
  finding.considered = {"gpu_count_differs: the kernel log says why the driver left the card alone"};
  finding.next = {
      "Nothing, if the card only drives a screen or is not needed",
      "To use it, install the branch that the kernel log names, if that drives the other GPUs, too"};
  finding.layers = {"gpu", "driver"};
  findings.push_back(std::move(finding));
}

/// `minors`: those among them whose device nodes are wrongly missing.
void add_silent(const Inventory& inventory, std::vector<std::string> silent,
                const std::vector<std::string>& minors, std::size_t all, Findings& findings) {
  Finding finding = make_finding(
      Cause("gpu_count_differs"), Severity::failure,
      fmt::format("{} of {} GPUs on the PCI bus do{} not answer", silent.size(), all,
                  silent.size() == 1 ? "es" : ""),
      fmt::format("The PCI bus shows more GPUs than the driver can use: one {}did not start, or was lost.",
                  minors.empty() ? "" : "has no device node, "));
  finding.evidence = std::move(silent);
  add_seen(finding, inventory, {{"nvml.devices", "GPUs that NVML sees:"}});
  add_entries(finding, inventory, "kernel_log.nvrm", "kernel log:");
  add_entries(finding, inventory, "kernel_log.xid", "Xid:");
  finding.considered = {"Faults of the driver itself: it answers for the other GPUs",
                        "gpus_hidden: a job or container that was given only some"};
  if (!minors.empty())
    finding.next = {fmt::format("Make the missing device node{}: sudo nvidia-modprobe -c {}, then look again",
                                minors.size() == 1 ? "" : "s", fmt::join(minors, " -c "))};
  finding.next.emplace_back("Read the kernel log for that address: sudo dmesg | grep NVRM");
  finding.next.emplace_back(
      "Drain the node, then power it off and on; if the GPU stays away, have the card, its slot and its "
      "power checked");
  finding.layers = {"gpu"};
  findings.push_back(std::move(finding));
}

}  // namespace

/// If the driver answers for no GPU, check_start_up has explained it, or nobody was asked (doctor --root).
void check_unanswered(const RuleInput& input, const GpuViews& gpus, Findings& findings) {
  const Inventory& inventory = input.inventory;
  const std::vector<PciFunction> unanswered = unanswered_gpus(inventory);
  const std::size_t answered = answering(gpus, unanswered);
  if (answered == 0) return;
  std::vector<std::string> silent;
  std::vector<std::string> reserved;
  std::vector<std::string> not_given;
  std::vector<std::string> minors;
  std::vector<std::string> undriven;
  std::string refusal;
  UndrivenLines undriven_lines(inventory);
  for (const PciFunction& gpu : unanswered) {
    if (gpu.driver == "nouveau") continue;  // reported as nouveau_loaded
    const std::string driver = gpu.driver.empty() ? "none" : gpu.driver;
    const std::string away = gpu.driver == "nvidia" && !log_says_dead(inventory, gpu.address)
                                 ? kept_away(inventory, gpu, answered)
                                 : "";
    const std::string refused =
        gpu.driver.empty() && !log_says_dead(inventory, gpu.address) ? undriven_lines.take(gpu.address) : "";
    if (is_reserving_driver(gpu.driver)) {
      reserved.push_back(described(gpu, "kernel driver " + driver));
    } else if (!refused.empty()) {
      undriven.push_back(described(gpu, "kernel driver none"));
      refusal = refused;
    } else if (away.empty()) {
      const bool lacks_node = gpu.node == "missing" && container_of(inventory).empty();
      if (lacks_node) minors.push_back(gpu.minor);
      silent.push_back(described(
          gpu, fmt::format("kernel driver {}{}", driver, lacks_node ? ", no /dev/nvidia" + gpu.minor : "")));
    } else {
      not_given.push_back(described(gpu, away));
    }
  }
  const std::size_t all = silent.size() + not_given.size() + answered;
  if (!reserved.empty()) add_reserved(std::move(reserved), findings);
  if (!undriven.empty()) add_undriven(std::move(undriven), refusal, findings);
  if (!not_given.empty()) add_not_given(inventory, std::move(not_given), answered, all, findings);
  if (!silent.empty()) add_silent(inventory, std::move(silent), minors, all, findings);
}

}  // namespace gpugauge::stack

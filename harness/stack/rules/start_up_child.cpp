// Start-up, the process that asks the driver: it hung, crashed, was killed or could not be started.
#include <algorithm>

#include <fmt/format.h>

#include "result/xid.hpp"
#include "stack/rules/start_up.hpp"

namespace gpugauge::stack {
namespace {

std::vector<Xid> blaming_xids(const Inventory& inventory) {
  const std::string root = inventory.value("collected.root");
  if (!root.empty() && root != "/") return {};  // the log may belong to another machine
  std::vector<Xid> xids = xids_of(inventory);
  std::erase_if(xids, [](const Xid& xid) {
    const result::XidMeaning* const meaning = result::xid_meaning(xid.number);
    return meaning != nullptr && meaning->blame == result::XidBlame::program;
  });
  return xids;
}

/// The GPU's address if the Xid lines that blame the machine name exactly one: "0000:3b:00.0".
std::string gpu_of_xids(const Inventory& inventory) {
  const std::vector<Xid> xids = blaming_xids(inventory);
  const auto other = [&](const Xid& xid) { return xid.pci != xids.front().pci; };
  return xids.empty() || std::any_of(xids.begin(), xids.end(), other) ? "" : xids.front().pci;
}

std::vector<std::string> reset_steps(const StartUp& start) {
  const Inventory& inventory = start.inventory;
  std::vector<std::string> steps{
      "Read the kernel log, whose Xid lines name the GPU by its place on the PCI bus: sudo dmesg | grep -E "
      "'NVRM|Xid'"};
  if (is(inventory, "vgpu.guest", "yes")) {
    steps.emplace_back(
        "See whether nvidia-smi does the same; if it does, restart this virtual machine: the GPU is the "
        "host's to reset");
    return steps;
  }
  const std::string gpu = gpu_of_xids(inventory);
  steps.push_back(fmt::format(
      "See whether nvidia-smi does the same; if it does, drain the node and reset that GPU alone{}: "
      "sudo nvidia-smi --gpu-reset -i {}, which is refused while anything uses it",
      start.container.empty() ? "" : ", on the host", gpu.empty() ? "<its place>" : gpu));
  if (is(inventory, "topology.nvswitch", "yes"))
    steps.emplace_back("With NVSwitches and A100 GPUs the fabric manager must run for the reset of one GPU");
  steps.emplace_back("Where the reset is refused, hangs or does not help: reboot the node");
  return steps;
}

/// The GPUs that answered NVML and are taken down when nothing uses them.
GpuViews taken_down(const StartUp& start) {
  GpuViews found;
  for (const GpuView& gpu : start.gpus)
    if (gpu.is("persistence", "off")) found.push_back(gpu);
  return found;
}

bool all_answered(const StartUp& start) {
  const auto counted = number_of(start.inventory, "nvml.devices");
  return counted && *counted > 0 && static_cast<double>(start.gpus.size()) >= *counted;
}

std::string persistence_step(const StartUp& start) {
  return start.container.empty()
             ? "Keep the GPUs started: sudo nvidia-smi -pm 1 (until reboot), then run gpugauge doctor again"
             : "On the host keep the GPUs started: sudo nvidia-smi -pm 1 (until reboot), then look again";
}

Finding hangs(const StartUp& start) {
  Finding finding = make_finding(
      Cause("driver_hangs"), Severity::failure, "The driver does not answer: starting CUDA or NVML hangs",
      "The process that asked the driver was ended after its time limit. A GPU or its firmware that no "
      "longer responds makes every program that opens it wait inside the kernel.");
  finding.next = reset_steps(start);
  if (!taken_down(start).empty()) finding.next.insert(finding.next.begin(), persistence_step(start));
  return finding;
}

Finding slow(const StartUp& start, const GpuViews& off) {
  Finding finding = make_finding(
      Cause("driver_starts_slowly"), Severity::failure,
      fmt::format("CUDA was not up within the time limit: persistence mode is off on {}",
                  named(off, start.gpus.size())),
      "Every GPU answered NVML, and CUDA did not start in the time that was left. Without persistence mode the "
      "driver takes GPUs down when nothing uses them, and sets each up anew for the next program: seconds a "
      "GPU. A driver that hangs in CUDA's start looks the same.");
  for (const GpuView& gpu : off) finding.evidence.push_back(gpu.name() + ": persistence off");
  finding.considered = {"driver_hangs: all GPUs answered NVML, and no Xid in the kernel log blames one"};
  finding.next = {persistence_step(start),
                  "If CUDA does not start then, either, the driver hangs: sudo dmesg | grep -E 'NVRM|Xid'"};
  return finding;
}

Finding timed_out(const StartUp& start) {
  const GpuViews off = taken_down(start);
  const bool sick = !blaming_xids(start.inventory).empty();
  return !off.empty() && all_answered(start) && !sick ? slow(start, off) : hangs(start);
}

/// Killed from outside: neither the driver's code nor our time limit ends a process so.
Finding killed() {
  Finding finding = make_finding(
      Cause("driver_gives_no_answer"), Severity::failure,
      "The process that asks the driver was killed (signal 9), so nothing is known of the GPUs",
      "A crash ends a process with another signal. This one comes from outside: most often the kernel, where "
      "the memory of the machine or of this container or job is used up.");
  finding.next = {"See whether memory ran out: sudo dmesg | grep -i -E 'killed process|out of memory'",
                  "Give the container or job more memory, then run gpugauge doctor again"};
  return finding;
}

Finding not_started() {
  Finding finding =
      make_finding(Cause("driver_gives_no_answer"), Severity::failure,
                   "The process that asks the driver could not be started, so nothing is known of the GPUs",
                   "The driver was not asked at all: the system refused to start this command once more.");
  finding.next = {
      "See that the gpugauge executable is there, may be run, and lies on no file system mounted "
      "with noexec",
      "See that the limits of processes and memory are not reached: ulimit -u, ulimit -v, pids.max "
      "of the container"};
  return finding;
}

void add_library_steps(Finding& finding) {
  finding.next = {"Look in LD_PRELOAD and LD_LIBRARY_PATH for a foreign libcuda.so.1 or libnvidia-ml.so.1",
                  "Reinstall the driver, all of its packages of one version"};
}

Finding crashed() {
  Finding finding = make_finding(
      Cause("driver_crashes"), Severity::failure, "Asking the driver crashes the process that asks",
      "A call into libcuda or NVML ended the process with a signal: a damaged or foreign library, "
      "or one of another version than the kernel module.");
  add_library_steps(finding);
  return finding;
}

Finding no_answer() {
  Finding finding = make_finding(Cause("driver_gives_no_answer"), Severity::failure,
                                 "The process that asks the driver ended without an answer",
                                 "It printed no report that could be read, so nothing is known of the GPUs.");
  add_library_steps(finding);
  return finding;
}

}  // namespace

std::optional<Finding> explain_child(const StartUp& start) {
  const Item* const item = start.inventory.find("driver_child.outcome");
  const std::string outcome = start.inventory.value("driver_child.outcome");
  if (item == nullptr || outcome.empty() || outcome == "answered") return std::nullopt;
  Finding finding = outcome == "timed out"                                             ? timed_out(start)
                    : outcome == "crashed" && item->how.starts_with("signal 9;")       ? killed()
                    : outcome == "crashed"                                             ? crashed()
                    : outcome == "no answer" && item->how.starts_with("not started: ") ? not_started()
                                                                                       : no_answer();
  finding.evidence.push_back(
      seen(start.inventory, "driver_child.outcome", "the process that asked the driver:"));
  if (!item->how.empty()) finding.evidence.back() += ": " + printable(item->how, 160);
  add_seen(finding, start.inventory,
           {{"driver.libcuda_version", "libcuda"},
            {"driver.libcuda_path", "libcuda.so.1"},
            {"driver.kernel_module_version", "kernel module"},
            {"env.LD_PRELOAD", "LD_PRELOAD"}});
  add_entries(finding, start.inventory, "kernel_log.xid", "Xid:");
  add_entries(finding, start.inventory, "kernel_log.nvrm", "kernel log:", 2);
  finding.layers = {"driver"};
  return finding;
}

}  // namespace gpugauge::stack

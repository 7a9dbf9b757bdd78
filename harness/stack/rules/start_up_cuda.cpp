// Start-up, cuInit's error: the most specific cause that the evidence supports, else the code's meaning.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/rules/gpus_parts.hpp"
#include "stack/rules/start_up.hpp"

namespace gpugauge::stack {
namespace {

Finding forward_compat(const StartUp& start) {
  const Inventory& inventory = start.inventory;
  const bool geforce = std::any_of(start.gpus.begin(), start.gpus.end(), consumer);
  Finding finding = make_finding(
      geforce ? Cause("forward_compat_on_geforce") : Cause("forward_compat_unsupported"), Severity::failure,
      geforce ? "A forward-compatibility libcuda is used on a GeForce GPU, which NVIDIA does not support"
              : "A forward-compatibility libcuda is used on a GPU that it does not support",
      "A cuda-compat package lets an older driver run a newer CUDA, on data-centre GPUs and a few certified "
      "workstation cards only. On any other GPU cuInit answers 804. NVIDIA's CUDA images carry the package.");
  add_seen(finding, inventory,
           {{"driver.libcuda_path", "libcuda.so.1"},
            {"driver.libcuda_version", "libcuda"},
            {"forward_compat.in_use", "forward compatibility in use:"},
            {"driver.kernel_module_version", "kernel module"}});
  for (const GpuView& gpu : start.gpus)
    finding.evidence.push_back(fmt::format("{}: {}", gpu.name(), gpu.shown("name")));
  finding.considered = {
      "umd_kmd_mismatch (803): the driver names forward compatibility, not a wrong version"};
  finding.next = {
      "Take the compat folder out of the loader's way: unset it in LD_LIBRARY_PATH, and remove it from "
      "/etc/ld.so.conf.d, then sudo ldconfig",
      "If the newer CUDA is needed, update the driver (in a container: the host's)"};
  finding.sources = {"NVIDIA CUDA compatibility guide, forward compatibility"};
  finding.layers = {"driver", "cuda"};
  return finding;
}

std::optional<Finding> unified_memory_module(const StartUp& start) {
  if (start.nvml.value_or(-1) != 0) return std::nullopt;  // the driver itself is in doubt
  const Inventory& inventory = start.inventory;
  const bool loaded = is(inventory, "driver.uvm", "loaded");
  const bool absent = missing(inventory, "driver.uvm");
  Finding finding = make_finding(
      Cause("uvm_module_bad"), Severity::failure,
      absent ? "The module nvidia_uvm, which CUDA needs, is not loaded"
             : "NVML works and CUDA does not: the module nvidia_uvm is most likely in a bad state",
      "CUDA needs a second module, nvidia_uvm, and its node /dev/nvidia-uvm; NVML and nvidia-smi do not, and "
      "they work here. After suspend, or after a GPU error, that module may refuse until it is loaded "
      "again.");
  add_seen(finding, inventory,
           {{"driver.uvm", "module nvidia_uvm"},
            {"driver.device_nodes", "device nodes:"},
            {"nvml.devices", "GPUs that NVML sees:"},
            {"driver.version", "driver"}});
  add_entries(finding, inventory, "kernel_log.xid", "Xid:");
  finding.considered = {"umd_kmd_mismatch: NVML starts, so its library and the module are of one version"};
  if (start.container.empty()) {
    finding.next = {
        loaded ? "Load it again: sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm"
               : "Load it and make its node: sudo nvidia-modprobe -u -c=0",
        "If it cannot be unloaded, end all that uses CUDA (sudo fuser -v /dev/nvidia-uvm), or reboot"};
  } else {
    finding.next = {"On the host: sudo nvidia-modprobe -u -c=0, then start the container again",
                    "Look that the container gets /dev/nvidia-uvm and that its cgroup allows the device"};
  }
  finding.layers = {"driver"};
  return finding;
}

/// What hides every GPU from CUDA, as a sentence and a next step; empty if nothing was found.
struct Hidden {
  std::string why;
  std::string next;
};

/// True if this process sees GPUs without CUDA: by NVML, or as device nodes (/dev/nvidia0).
bool sees_gpus(const StartUp& start) {
  const std::string nodes = start.inventory.value("driver.device_nodes");
  constexpr std::string_view name = "/dev/nvidia";
  for (auto at = nodes.find(name); at != std::string::npos; at = nodes.find(name, at + 1))
    if (const std::size_t end = at + name.size();
        end < nodes.size() && nodes[end] >= '0' && nodes[end] <= '9')
      return true;
  return number_of(start.inventory, "nvml.devices").value_or(0) > 0;
}

Hidden what_hides(const StartUp& start) {
  const Inventory& inventory = start.inventory;
  const std::optional<VisibleDevices> visible = visible_devices(inventory, start.gpus);
  const std::string value = printable(inventory.value("env.CUDA_VISIBLE_DEVICES"), 80);
  if (visible && visible->hides_all())
    return {fmt::format("CUDA_VISIBLE_DEVICES is \"{}\", and CUDA shows only what it names.", value),
            "Give CUDA_VISIBLE_DEVICES an index or UUID that nvidia-smi -L lists; unset it only where no "
            "scheduler has set it"};
  const std::string given = inventory.value("container.visible_devices");
  // With CDI the runtime sets "void" in every container and gives the GPUs all the same.
  if ((given == "none" || given == "void") && !sees_gpus(start))
    return {fmt::format("NVIDIA_VISIBLE_DEVICES is \"{}\", which gives this container no GPU.", given),
            "Start the container with --gpus all"};
  const auto prohibited = [](const GpuView& gpu) {
    return gpu.is("compute_mode", "prohibited") || gpu.is("compute_mode", "2");
  };
  if (!start.gpus.empty() && std::all_of(start.gpus.begin(), start.gpus.end(), prohibited))
    return {"The compute mode of every GPU is prohibited, so that no program may use it.",
            "Set the compute mode back: " + smi_for(start.gpus, "-c DEFAULT")};
  // The variable names that instance, and CUDA shows no device.
  if (visible && visible->named == 0 && visible->unknown && visible->unknown->starts_with("MIG-") &&
      !start.gpus.empty())
    return {
        fmt::format(
            "CUDA_VISIBLE_DEVICES is \"{}\", an instance of MIG, and CUDA finds none of that name: one "
            "that was made anew may have another.",
            value),
        "Look whether nvidia-smi -L lists it: if not, name one of yours, or start the job again so that its "
        "scheduler does; if so, look at the device rules of the container or job"};
  return {};
}

std::optional<Finding> mig_without_instance(const StartUp& start) {
  const auto on = [](const GpuView& gpu) { return gpu.is("mig", "on"); };
  if (start.gpus.empty() || !std::all_of(start.gpus.begin(), start.gpus.end(), on)) return std::nullopt;
  Finding finding = make_finding(
      Cause("mig_left_enabled"), Severity::failure, "MIG mode is on, and CUDA finds no instance to run on",
      "With MIG on a GPU can be used only through instances that somebody has made. The mode outlives a "
      "reboot on some GPUs, the instances do not. There may be some that this process is not given.");
  for (const GpuView& gpu : start.gpus) finding.evidence.push_back(gpu.name() + ": MIG on");
  add_seen(finding, start.inventory, {{"env.CUDA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"}});
  finding.considered = {start.inventory.has("env.CUDA_VISIBLE_DEVICES")
                            ? "no_visible_device: CUDA_VISIBLE_DEVICES was not seen to name what is not there"
                            : "no_visible_device: CUDA_VISIBLE_DEVICES is not set"};
  finding.next = {
      "See whether there are instances: nvidia-smi -L, sudo nvidia-smi mig -lgi",
      "If there are, ask who owns them, and have one given to this process",
      "If there are none, make one: sudo nvidia-smi mig -lgip lists the profiles, sudo nvidia-smi mig -cgi "
      "PROFILE -C makes it",
      "Last, and only where nobody needs MIG on that GPU: " +
          (start.gpus.size() == 1 ? smi_for(start.gpus, "-mig 0") : "`sudo nvidia-smi -i ADDRESS -mig 0`")};
  finding.layers = {"gpu"};
  return finding;
}

Finding no_device(const StartUp& start) {
  const Inventory& inventory = start.inventory;
  const Hidden hidden = what_hides(start);
  if (hidden.why.empty()) {
    if (std::optional<Finding> finding = mig_without_instance(start)) return *std::move(finding);
    if (start.gpus.empty())
      if (std::optional<Finding> finding = explain_kernel_log(start)) return *std::move(finding);
  }
  const bool nvml_sees = number_of(inventory, "nvml.devices").value_or(0) > 0;
  Finding finding = make_finding(
      Cause("no_visible_device"), Severity::failure,
      nvml_sees ? "CUDA shows no GPU, although NVML sees them" : "The driver works and shows no GPU", "");
  finding.explanation =
      hidden.why.empty()
          ? "The driver answers, and this process is given no GPU. Usual causes, most frequent first: the "
            "container's or job's device rules, device nodes that may not be opened, a GPU that did not "
            "start."
          : hidden.why;
  add_seen(finding, inventory,
           {{"env.CUDA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"},
            {"container.visible_devices", "NVIDIA_VISIBLE_DEVICES"},
            {"cuda.devices", "devices that CUDA shows:"},
            {"nvml.devices", "GPUs that NVML sees:"},
            {"driver.device_nodes", "device nodes:"}});
  if (!start.pci.empty()) finding.evidence.push_back(start.on_pci() + " on the PCI bus without an answer");
  finding.considered = {"umd_kmd_mismatch and kernel_module_missing: the driver answers"};
  finding.next = {"Compare with nvidia-smi -L, and look at ls -l /dev/nvidia*",
                  "In a container or job look at the device rules it was given (--gpus, cgroup, allocation)"};
  if (!hidden.next.empty()) finding.next = {hidden.next};
  finding.layers = {"driver"};
  return finding;
}

/// Codes 2 and 46: the GPU is present but does not accept this process.
Finding occupied(const StartUp& start) {
  const Inventory& inventory = start.inventory;
  GpuViews restricted;
  GpuViews used;
  for (const GpuView& gpu : start.gpus) {
    const std::string mode = gpu.value("compute_mode");
    if (!mode.empty() && mode != "default" && mode != "0") restricted.push_back(gpu);
    if (gpu.number("processes").value_or(0) > 0) used.push_back(gpu);
  }
  const int code = *start.cuda;
  if (code == 46 && !restricted.empty()) {
    Finding finding = make_finding(
        Cause("compute_mode_restricts"), Severity::failure,
        fmt::format("The compute mode of {} keeps this process out", named(restricted, start.gpus.size())),
        "An exclusive GPU takes one process at a time, a prohibited one takes none.");
    for (const GpuView& gpu : restricted)
      finding.evidence.push_back(fmt::format("{}: compute mode {}, {} other processes", gpu.name(),
                                             gpu.shown("compute_mode"), gpu.shown("processes")));
    finding.next = {"Let every process in again: " + smi_for(restricted, "-c DEFAULT"),
                    "Or wait until the process that has the GPU ends: nvidia-smi"};
    finding.layers = {"gpu"};
    return finding;
  }
  if (used.empty()) return explain_code(start, Cause("cuda_start_failed"), "driver", code);
  Finding finding = make_finding(Cause("other_processes"), Severity::failure,
                                 "Other processes hold the GPU, and CUDA cannot start beside them",
                                 code == 2 ? "There is too little free memory to start CUDA."
                                           : "The GPU is busy and takes no further process now.");
  for (const GpuView& gpu : used) {
    finding.evidence.push_back(fmt::format("{}: {} other processes", gpu.name(), gpu.shown("processes")));
    add_entries(finding, inventory, gpu.key("process"), "process");
  }
  finding.next = {"See who they are: nvidia-smi; end those that should be gone"};
  finding.layers = {"gpu"};
  return finding;
}

Finding too_old(const StartUp& start) {
  Finding finding = explain_code(start, Cause("driver_too_old"), "runtime", *start.cuda);
  finding.title = "The driver is too old for the CUDA that asks it";
  add_seen(finding, start.inventory,
           {{"driver.version", "driver"}, {"driver.cuda_max", "newest CUDA it supports:"}});
  if (finding.next.empty()) finding.next = {"Update the driver (in a container: the host's)"};
  return finding;
}

Finding mps(const StartUp& start) {
  Finding finding = explain_code(start, Cause("mps_connection_failed"), "driver", *start.cuda);
  finding.title = "CUDA is told to use MPS, and the MPS control daemon cannot be reached";
  add_seen(finding, start.inventory,
           {{"env.CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_PIPE_DIRECTORY"},
            {"env.CUDA_MPS_LOG_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY"}});
  finding.next = {"Start the daemon as the same user: nvidia-cuda-mps-control -d",
                  "Or unset CUDA_MPS_PIPE_DIRECTORY to work without MPS"};
  return finding;
}

}  // namespace

std::optional<VisibleDevices> visible_devices(const Inventory& inventory, const GpuViews& gpus) {
  if (!inventory.has("env.CUDA_VISIBLE_DEVICES")) return std::nullopt;
  std::vector<std::string> uuids;
  for (const GpuView& gpu : gpus) uuids.push_back(gpu.value("uuid"));
  std::optional<double> there = number_of(inventory, "nvml.devices");
  if (there && *there < 1) there.reset();  // no GPU answers, whatever the variable names
  return visible_devices(inventory.value("env.CUDA_VISIBLE_DEVICES"), there, uuids);
}

Finding explain_code(const StartUp& start, Cause cause, const std::string& api, int code) {
  const ErrorCode* row = start.input.tables.error(api, code);
  if (row == nullptr && api == "runtime") row = start.input.tables.error("driver", code);
  if (row == nullptr && api == "driver") row = start.input.tables.error("runtime", code);
  const std::string answer = api == "nvml" ? start.nvml_answer() : start.cuda_answer();
  Finding finding =
      make_finding(cause, Severity::failure,
                   fmt::format("{} does not start: {}", api == "nvml" ? "NVML" : "CUDA", answer), "");
  if (row == nullptr || row->meaning.empty()) {
    finding.explanation = "The tables name no usual cause of this code.";
  } else {
    finding.explanation = sentence(row->meaning);
    if (!row->causes.empty())
      finding.explanation +=
          fmt::format(" Usual causes, most frequent first: {}.", fmt::join(row->causes, "; "));
    finding.next = row->next;
    finding.sources = {cited(row->source)};
  }
  add_seen(finding, start.inventory, {{"driver.kernel_module_version", "kernel module"}});
  // A library that is not there has no version either.
  if (!missing(start.inventory, "driver.libcuda_path"))
    add_seen(finding, start.inventory, {{"driver.libcuda_version", "libcuda"}});
  add_seen(finding, start.inventory,
           {{"driver.libcuda_path", "libcuda.so.1"},
            {"driver.uvm", "module nvidia_uvm"},
            {"driver.device_nodes", "device nodes:"}});
  add_entries(finding, start.inventory, "kernel_log.xid", "Xid:");
  if (finding.next.empty())
    finding.next = {"Read the kernel log: sudo dmesg | grep -E 'NVRM|Xid'", "Compare with nvidia-smi"};
  finding.layers = {"driver"};
  return finding;
}

std::optional<Finding> explain_cuda(const StartUp& start) {
  if (!start.cuda) return std::nullopt;
  if (*start.cuda != 0 && start.nvml == 15) return explain_nvml(start);  // the cause is a lost GPU
  std::optional<Finding> finding;
  switch (*start.cuda) {
    case 0:
      if (number_of(start.inventory, "cuda.devices") == 0.0) finding = no_device(start);
      return finding;
    case 2:
    case 46:
      return occupied(start);
    case 35:
    case 36:
      return too_old(start);
    case 100:
    case 101:
      return no_device(start);
    case 209:
      return explain_code(start, Cause("arch_not_in_binary"), "runtime", 209);
    case 222:
      return explain_code(start, Cause("ptx_newer_than_driver"), "runtime", 222);
    case 304:
    case 999:
      finding = unified_memory_module(start);
      break;
    case 802:
      finding = explain_not_ready(start);
      break;
    case 804:
      return forward_compat(start);
    case 805:
      return mps(start);
    default:
      break;
  }
  if (!finding) finding = explain_code(start, Cause("cuda_start_failed"), "driver", *start.cuda);
  return finding;
}

}  // namespace gpugauge::stack

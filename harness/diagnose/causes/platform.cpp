// What the platform does not offer: a driver without this generation of GPUs, and WSL with its limits or without a GPU.
#include <fmt/format.h>

#include "diagnose/causes/driver_start.hpp"
#include "diagnose/causes/gpu_model.hpp"
#include "diagnose/causes/told_figures.hpp"

namespace gpugauge::diagnose {

namespace {

/// The driver says so itself.
Fact refused_by_words(const Seen& seen) {
  return seen.told({"installed in this system is not supported by", "it does not include the required GPU",
                    "Legacy drivers", "not supported by open nvidia.ko", "NVRM*GPU*is not supported by the",
                    "not supported by the NVIDIA*driver release", "open kernel modules*do not support*GPU"});
}

/// The last branch that drives this generation was tried, and it works.
Fact older_branch_recovers(const Seen& seen) {
  const stack::Architecture* const row = architecture(seen);
  if (row == nullptr || !row->last_driver_branch) return std::nullopt;
  for (const Probe& probe : seen.it().probes) {
    const std::size_t at = lower(probe.detail).find("driver=");
    if (probe.name != "change_version" || probe.outcome != "recovers" || at == std::string::npos) continue;
    const auto driver = stack::Version::parse(probe.detail.substr(at + std::string_view("driver=").size()));
    if (!driver || driver->major() != *row->last_driver_branch) continue;
    return recovering(fmt::format("tried: {} recovers, and {} is the last branch for {} GPUs", probe.detail,
                                  *row->last_driver_branch, row->name));
  }
  return std::nullopt;
}

/// The tables of compatibility say so of this driver, or kind of module, and this generation.
Fact refused_by_table(const Seen& seen) {
  const stack::Architecture* const row = architecture(seen);
  if (row == nullptr) return std::nullopt;
  if (!open_module_drives(*row) && seen.on("driver.open_module"))
    return fmt::format("the open kernel module does not drive {} GPUs", row->name);
  const Value* text = seen.inventory("driver.version");
  // Windows counts its drivers otherwise.
  if (text == nullptr || seen.on("host.os", {"windows", "wsl"})) return std::nullopt;
  const auto driver = stack::Version::parse(text->text());
  if (!driver) return std::nullopt;
  if (row->last_driver_branch && driver->major() > *row->last_driver_branch)
    return fmt::format("driver.version = {}, and {} is the last branch for {} GPUs", text->text(),
                       *row->last_driver_branch, row->name);
  if (row->first_driver && *driver < *row->first_driver)
    return fmt::format("driver.version = {}, and {} GPUs need {}", text->text(), row->name,
                       row->first_driver->text());
  return std::nullopt;
}

/// The driver that is there is of a branch that drives the generation.
bool driver_in_branch(const Seen& seen) {
  const stack::Architecture* const row = architecture(seen);
  const Value* text = seen.inventory("driver.version");
  const auto driver = text == nullptr ? std::nullopt : stack::Version::parse(text->text());
  return row != nullptr && driver && row->last_driver_branch && driver->major() <= *row->last_driver_branch;
}

}  // namespace

Fact generation_refused(const Seen& seen) {
  return either(refused_by_words(seen), refused_by_table(seen));
}

Fact generation_doubtful(const Seen& seen) {
  const stack::Architecture* const row = architecture(seen);
  if (row == nullptr || open_module_drives(*row) || seen.off("driver.open_module")) return std::nullopt;
  const Fact brought = seen.changed_to("os", {"image", "ami-", "ami ", "AMI"});
  return brought ? Fact(fmt::format(
                       "{}, and an image may bring the open kernel module, which does not drive {} GPUs",
                       *brought, row->name))
                 : Fact();
}

namespace {

void examine_generation(const Seen& seen, Argument& it) {
  const Fact stopped = either(seen.fails({"init", "application"}), seen.probe("nvml_query", {"fails"}));
  it.confirms(weight::proof, refused_by_words(seen));
  if (stopped) it.confirms(weight::strong, refused_by_table(seen));
  if (stopped && !generation_refused(seen)) it.confirms(weight::good, generation_doubtful(seen));
  if (diagnose::stopped(seen) && !driver_in_branch(seen))
    it.confirms(weight::strong, older_branch_recovers(seen));
  if (seen.fails({}))
    it.confirms(weight::strong, seen.recovers_by({"legacy driver", "proprietary module", "proprietary driver",
                                                  "closed module", "nvidia-legacy"}));
  it.at_most(bound::remote, gpu_computes(seen));
  it.at_most(bound::unnamed, nvml_mismatch(seen));
  it.at_most(bound::remote, nvml_works(seen));
}

/// Memory of the host that the GPU reaches by itself, and that may not be paged out.
Fact pinned_refused(const Seen& seen) {
  Fact words =
      seen.told({"cudaHostAlloc*fail", "cudaMallocHost*fail", "cuMemHostAlloc*fail", "pinned memory*fail",
                 "cudaHostRegister*fail", "pin_memory*out of memory", "pinned*out of memory",
                 "pinned memory is limited", "cudaHostAlloc*out of memory", "cudaMallocHost*out of memory",
                 "cudaHostRegister*out of memory", "cuMemHostAlloc*out of memory", "out of memory*pin_memory",
                 "out of memory*pinned", "out of memory*page-locked", "page-locked*out of memory",
                 "could not be pinned", "pinned*no more than"});
  if (words) return words;
  const Fact memory =
      seen.error(2, {"out of memory", "cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY"});
  for (const Metric& metric : seen.it().metrics)
    if (metric.fails &&
        contains_any(metric.scope.op + " " + metric.note, {"pinned", "page-locked", "pin_memory"}))
      return memory ? both(Fact(sentence(metric)), memory) : Fact(sentence(metric));
  return std::nullopt;
}

/// It is WSL, by the system's name, its kernel's, the driver's folder, or a file that only it has.
Fact under_wsl(const Seen& seen) {
  if (Fact fact = seen.on("host.os", {"wsl"})) return fact;
  if (seen.on("host.os", {"windows"})) return std::nullopt;
  if (Fact fact = seen.on("kernel.version", {"microsoft"})) return fact;
  if (Fact fact = seen.on("driver.libcuda_path", {"/usr/lib/wsl"})) return fact;
  for (const Probe& probe : seen.it().probes)
    if (contains_any_word(probe.detail, {"wslconfig", ".wslconfig"}))
      return fmt::format("tried: {}, a setting of WSL", probe.detail);
  return seen.told({"microsoft-standard-WSL", "WSL is detected", ".wslconfig", "/usr/lib/wsl", "in WSL2",
                    "under WSL", "inside WSL", "Ubuntu under Windows"});
}

void examine_wsl(const Seen& seen, Argument& it) {
  const Fact wsl = under_wsl(seen);
  if (!wsl) return;
  it.confirms(weight::strong, both(pinned_refused(seen), wsl));
  if (seen.fails({}))
    it.confirms(weight::strong, seen.recovers_by({"pin_memory=false", "pin_memory=off", "pin_memory=0",
                                                  "pinned=off", "pageable", "native linux", "dual boot"}));
  // Handles of memory for another process are not there.
  const Fact handles = seen.told({"_share_cuda_", "cudaIpcGetMemHandle", "cudaIpcOpenMemHandle",
                                  "cuIpcGetMemHandle", "legacy CUDA IPC", "cudaIpcGetEventHandle"});
  it.confirms(weight::strong,
              both(handles, seen.error(801, {"operation not supported", "cudaErrorNotSupported",
                                             "CUDA_ERROR_NOT_SUPPORTED"})));
  if (stopped(seen))
    it.confirms(weight::fair, either(seen.probe("swap_node", {"recovers"}, {"native", "linux"}),
                                     seen.told({"native Ubuntu*no problem", "native Linux*no problem",
                                                "native Ubuntu*works", "native Linux*works"})));
  // The guide names what is not there: concurrent managed memory, peer access of IPC, most of NVML.
  if (seen.fails({}))
    it.confirms(weight::good,
                seen.told({"concurrentManagedAccess*0", "cudaIpc*not supported", "IPC*not supported",
                           "not supported on WSL", "not supported*WSL", "WSL*not supported"}));
}

/// nvidia-smi of Windows prints the driver's model of a GPU as TCC.
Fact tcc_printed(const Seen& seen) {
  const std::vector<std::string>& log = seen.it().log;
  const bool of_windows = std::any_of(log.begin(), log.end(), [](const std::string& line) {
    return contains_any(line, {"Driver-Model", "TCC/WDDM"});
  });
  for (const std::string& line : log)
    if (of_windows && line.starts_with('|') && contains_whole_words(line, "TCC") &&
        !contains(line, "TCC/WDDM"))
      return fmt::format("log: \"{}\"", line);
  return std::nullopt;
}

void examine_wsl_gpu(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, seen.told({"WSL environment detected but no adapters were found"}));
  it.confirms(weight::strong, both(seen.told({"GPU access blocked by the operating system"}),
                                   either(under_wsl(seen), seen.told({"WSL"}))));
  // Windows 10 up to 1909 (10.0.18363) has no WSL that lends GPUs.
  it.confirms(weight::strong, both(seen.told({"Version 10.0.17", "Version 10.0.18", "Version 10.0.16"}),
                                   both(seen.told({"WSL"}), seen.told({"communicate with the NVIDIA driver",
                                                                       "Failed to initialize NVML"}))));
  if (!it.evidence().empty())
    it.confirms(weight::strong,
                in_words("in Windows the GPU is in TCC mode, which lends none", tcc_printed(seen)));
  if (it.evidence().empty()) return;
  it.explains_failure();
  it.at_most(bound::unconfident, nvml_works(seen));
}

}  // namespace

Signatures platform_causes() {
  return {
      {.name = "gpu_generation_not_driven",
       .title = "The driver that is installed does not drive this generation of GPUs",
       .what =
           "NVIDIA ends the support of a generation with a branch of the driver, an older driver does not know a newer "
           "generation, and the open kernel module drives none before Turing. The module is there, and no GPU is.",
       .moves = "init x",
       .confirms =
           "the kernel log says so; the generation's last branch is older than the driver; an open module and a "
           "GPU before Turing",
       .excludes = "NVML lists the GPU; it computes",
       .confused_with = {{"kernel_module_missing",
                          "is a module loaded, and does it name the GPU in the kernel log?"},
                         {"open_module_required",
                          "is the GPU too old for the open module, or too new for the other?"}},
       .severity = Severity::failure,
       .next =
           "dmesg | grep NVRM; modinfo -F license nvidia; install a branch and a kind of module that drive this GPU",
       .reading =
           {"https://docs.nvidia.com/datacenter/tesla/drivers/cuda-toolkit-driver-and-architecture-matrix.html",
            "https://github.com/NVIDIA/open-gpu-kernel-modules"},
       .examine = examine_generation},
      {.name = "wsl_limits",
       .title = "It is a limit of the Windows Subsystem for Linux",
       .what =
           "Under WSL Windows drives the GPU. Pinned memory is limited to a part of the system's, processor and GPU "
           "may not use managed memory at the same time, and processes cannot share device memory.",
       .moves = "alloc x",
       .confirms = "under WSL pinned memory is refused where there is enough; without pinning it recovers",
       .excludes = "it is not WSL",
       .confused_with = {{"locked_memory_limit", "is it WSL?"},
                         {"sysmem_fallback", "does it fail, or is it slow?"}},
       .severity = Severity::note,
       .next = "take ordinary memory (pin_memory=False), or run it on Linux itself",
       .reading = {"https://docs.nvidia.com/cuda/wsl-user-guide/index.html"},
       .examine = examine_wsl},
      {.name = "wsl_without_gpu",
       .title = "Windows gives its Subsystem for Linux no NVIDIA GPU",
       .what =
           "Under WSL 2 the driver of Windows lends its GPU to Linux as an adapter. NVIDIA's container tool finds WSL "
           "and no adapter of NVIDIA's: the machine has no such GPU, its driver in Windows is too old or not NVIDIA's, the "
           "GPU is in TCC mode, or it is WSL 1, which has no adapters.",
       .moves = "init x",
       .confirms =
           "the container's tool says that it found no adapters; NVML says that Windows blocks the access",
       .excludes = "NVML works within WSL",
       .confused_with = {{"no_visible_device", "does nvidia-smi work in WSL, outside of the container?"},
                         {"wsl_limits", "does CUDA start at all?"}},
       .severity = Severity::failure,
       .next =
           "in Windows: nvidia-smi; wsl -l -v (it must be version 2); wsl --update; NVIDIA's current driver for Windows, "
           "and none within WSL; without such a GPU start the container without --gpus",
       .reading = {"https://docs.nvidia.com/cuda/wsl-user-guide/index.html",
                   "https://github.com/NVIDIA/nvidia-container-toolkit/issues/155"},
       .examine = examine_wsl_gpu},
  };
}

}  // namespace gpugauge::diagnose

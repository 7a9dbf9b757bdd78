// Failures of CUDA's start that one message identifies: no device, an old driver, a lost GPU, a missing
// library.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "diagnose/causes/driver_start.hpp"
#include "diagnose/causes/told_figures.hpp"
#include "result/number.hpp"

namespace gpugauge::diagnose {
namespace {

const Words insufficient_names{"cudaErrorInsufficientDriver", "driver version is insufficient",
                               "driver on your system is too old", "NVIDIA driver too old",
                               "driver version is too old"};
const Words newer_wanted_names{"cudaErrorCallRequiresNewerDriver", "requires a newer driver",
                               "requires newer driver"};

/// The runtime's major CUDA version is newer than the driver supports.
Fact runtime_newer(const Seen& seen) {
  const Value* most = seen.inventory("driver.cuda_max");
  if (most == nullptr || !most->number()) return std::nullopt;
  for (const char* key : {"cuda.runtime", "framework.cuda", "cuda.toolkit"}) {
    const Value* wanted = seen.inventory(key);
    if (wanted != nullptr && wanted->number() &&
        static_cast<int>(*wanted->number()) > static_cast<int>(*most->number()))
      return std::string(key) + " = " + wanted->text() + ", and the driver runs CUDA " + most->text();
  }
  return std::nullopt;
}

/// The driver runs every CUDA that is wanted, as far as versions are known.
bool driver_runs_it(const Seen& seen) {
  const Value* most = seen.inventory("driver.cuda_max");
  if (most == nullptr || !most->number()) return false;
  bool known = false;
  for (const char* key : {"cuda.runtime", "framework.cuda", "cuda.toolkit"}) {
    const Value* wanted = seen.inventory(key);
    if (wanted == nullptr || !wanted->number()) continue;
    if (*wanted->number() > *most->number()) return false;
    known = true;
  }
  return known;
}

/// A build for an older CUDA was tried, and it works: "torch=1.12.1+cu113".
Fact older_build_recovers(const Seen& seen) {
  return seen.probe("change_version", {"recovers"},
                    {"torch*cu", "jax*cu", "wheel*cu", "cupy-cuda",
                     "tensorflow=", "cuda=", "cuda.runtime=", "cuda.toolkit=", "framework*cu"});
}

void examine_driver_age(const Seen& seen, Argument& it) {
  const Fact insufficient = seen.error(35, insufficient_names);
  it.confirms(weight::proof, insufficient);
  // The encoder's interface belongs to the driver.
  it.confirms(weight::proof, seen.told({"Driver does not support the required nvenc API version"}));
  // A program may also be too old for a driver: it asks for a call that is gone.
  it.confirms(driver_runs_it(seen) ? weight::fair : weight::proof, seen.error(36, newer_wanted_names));
  it.confirms(
      weight::strong,
      seen.told({"unsatisfied condition: cuda", "unsatisfied condition: driver", "required_driver",
                 "minimum required*driver version", "requires*driver version*or newer", "driver is too old",
                 "insufficient driver version", "driver too old", "outdated*NVIDIA driver",
                 "NVIDIA driver*outdated", "update your*NVIDIA*driver", "update*GPU driver by downloading"},
                {"or newer: ok", "or newer: yes", "or newer (ok", "or newer, ok", "or newer, found"}));
  // The driver's library has not yet what the program calls.
  it.confirms(weight::strong, seen.told({"libcuda.so*: undefined symbol: cu"}, {"stubs"}));
  if (seen.fails({}) || gpu_not_used(seen))
    it.confirms(weight::good, seen.told({"symbol lookup for cu*failed", "undefined symbol: cuCtx",
                                         "undefined symbol: cuMem", "undefined symbol: cuGet",
                                         "undefined symbol: cuLaunch", "undefined symbol: cuStream",
                                         "entry point cu*nvcuda.dll", "nvcuda.dll*not found*cu"}));
  if (seen.fails({}) || !it.evidence().empty()) it.confirms(weight::fair, runtime_newer(seen));
  const Fact told = told_runtime_newer(seen);
  if (stopped(seen) || gpu_not_used(seen))
    if (it.confirms(weight::good, told)) it.confirms(weight::good, older_build_recovers(seen));
  it.at_most(bound::unnamed, seen.error(222, {"cudaErrorUnsupportedPtxVersion", "unsupported toolchain"}));
  it.at_most(bound::unnamed, seen.error(803, {"cudaErrorSystemDriverMismatch"}));
  it.at_most(bound::unnamed, seen.error(804, {"cudaErrorCompatNotSupportedOnDevice"}));
  // The runtime gives the same error when no driver is within reach.
  it.at_most(bound::weak, seen.recovers_by({"--gpus", "runtime=nvidia", "gpus=all"}));
  it.at_most(bound::likely, seen.probe("nvml_query", {"fails"}));
  it.at_most(bound::weak, in_words("the program was started without a GPU",
                                   both(insufficient, seen.told({"without the --gpus", "without --gpus",
                                                                 "CPU-only run", "on a CPU-only"}))));
}

void examine_lost(const Seen& seen, Argument& it) {
  const Fact fallen = seen.xid({79});
  const Fact lost = seen.nvml_error(15, {"NVML_ERROR_GPU_IS_LOST"});
  if (fallen || lost) it.is_an_event();
  it.confirms(weight::proof, fallen);
  it.confirms(weight::proof, seen.told({"fallen off the bus", "GPU is lost", "NVML_ERROR_GPU_IS_LOST"},
                                       {"no gpu is lost", "is lost: no", "is lost: 0", "is lost: false"}));
  it.confirms(weight::proof, lost);
  it.confirms(weight::good, seen.told({"Unable to determine the device handle for"}));
  // All ones is what a bus reads from a device that is not there.
  const Fact ones =
      seen.told({"(rev ff)", "Unknown header type 7f", "header type ff", "config space*ffffffff"});
  if (stopped(seen)) {
    it.confirms(weight::strong, ones);
    it.confirms(ones ? weight::fair : weight::good,
                seen.told({"pciehp*Link Down", "pciehp*Card not present", "GPU*surprise removal"}));
  }
  // The kernel gave the device up after a fatal error of its link.
  if (seen.fails({}))
    it.confirms(weight::strong,
                both(seen.told({"nvidia*AER: can't recover"}), seen.told({"AER: device recovery failed"})));
  if (!it.evidence().empty()) it.confirms(weight::hint, seen.probe("swap_gpu", {"normal", "recovers"}));
}

void examine_cuda_library(const Seen& seen, Argument& it) {
  const Words of_cuda{"cublas", "cudart", "cufft",     "cusparse", "cusolver",
                      "nvrtc",  "curand", "nvjitlink", "cupti"};
  const bool told = it.confirms(
      weight::proof,
      seen.told({"libcublas~: cannot open shared object", "libcudart~: cannot open shared object",
                 "libcufft~: cannot open shared object", "libcusparse~: cannot open shared object",
                 "libcusolver~: cannot open shared object", "libnvrtc~: cannot open shared object",
                 "libcurand~: cannot open shared object", "libnvJitLink~: cannot open shared object",
                 "libcupti~: cannot open shared object", "cublas64*not found", "cublas64*cannot be loaded",
                 "cudart64*not found", "cufft64*not found"}));
  // What cannot be loaded starts no work of any class.
  if (told && seen.fails({})) it.explains_failure();
  it.confirms(weight::good, seen.on("libraries.missing", of_cuda));
  it.confirms(weight::good,
              either(seen.told({"Could not load dynamic library 'libcu"}, {"cudnn", "libcuda.so"}), Fact()));
  if (!it.evidence().empty())
    it.confirms(weight::fair, seen.recovers_by({"LD_LIBRARY_PATH", "install", "cublas"}));
  it.at_most(bound::half, seen.told({"libcudnn~: cannot open", "cudnn64*not found", "could not load*cudnn"}));
  it.at_most(bound::below_half,
             seen.told({"Failed to create CUDAExecutionProvider", "onnxruntime_providers_cuda"}));
  if (seen.framework_is({"onnxruntime", "onnx runtime"})) it.at_most(bound::below_half, gpu_not_used(seen));
  it.at_most(bound::weak, seen.told({"undefined symbol"}));
}

/// True when something could not access a GPU.
bool without_gpu(const Seen& seen) {
  return no_device(seen) || seen.fails({}) || gpu_not_used(seen);
}

/// True when figures were measured and nothing says that they were without a GPU.
bool works_somewhere(const Seen& seen) {
  return seen.compared() && !without_gpu(seen);
}

/// A variable hides every GPU. "0,1" hides no wanted GPU.
Fact hidden_by_variable(const Seen& seen) {
  for (const auto& [name, value] : seen.it().environment) {
    // The list ends at the first invalid entry, so a list that starts with one hides all GPUs.
    const std::string word = lower(value.substr(std::min(value.find_first_not_of(' '), value.size())));
    const bool index = !word.empty() && word.front() >= '0' && word.front() <= '9';
    // A report counts either the existing or the used GPUs: index 3 with one reported GPU may be the fourth
    // of many.
    const bool beyond = index && value.find(',') == std::string::npos &&
                        seen.it().about.gpus.value_or(0) > 0 && word.size() < 4 &&
                        result::leading_number<int>(word).value_or(0) >= *seen.it().about.gpus &&
                        !works_somewhere(seen);
    const bool cuda =
        name == "CUDA_VISIBLE_DEVICES" &&
        (beyond || !(index || word.starts_with("gpu-") || word.starts_with("mig-") || word == "all"));
    const bool container = name == "NVIDIA_VISIBLE_DEVICES" &&
                           (value.empty() || lower(value) == "none" || lower(value) == "void");
    if (cuda || container) return fmt::format("{}=\"{}\" in the environment", name, value);
  }
  return std::nullopt;
}

void examine_no_device(const Seen& seen, Argument& it) {
  const Fact error = no_device(seen);
  it.confirms(weight::good, error);
  it.confirms(weight::fair, invalid_ordinal(seen));
  it.confirms(weight::strong, hidden_by_variable(seen));
  if (without_gpu(seen))
    it.confirms(weight::strong, seen.recovers_by({"VISIBLE_DEVICES", "--gpus", "daemon-reload",
                                                  "device_cgroup", "cgroup", "/dev/nvidia"}));
  // The container's device rules were rewritten while it ran.
  it.confirms(weight::good, seen.told({"Failed to initialize NVML: Unknown Error"}));
  it.confirms(weight::fair, seen.told({"systemctl daemon-reload", "daemon-reload", "SystemdCgroup",
                                       "cgroup driver", "no-cgroups"}));
  it.confirms(weight::good,
              seen.told({"could not select device driver", "unknown or invalid runtime name: nvidia",
                         "libcuda.so~: cannot open shared object", "/dev/nvidia*Permission denied",
                         "NVIDIA Driver was not detected", "GPU access blocked by the operating",
                         "libnvidia-ml.so~: cannot open shared object", "NVML Shared Library Not Found",
                         "NVML*ERROR_LIBRARY_NOT_FOUND", "could not load NVML", "failed to load NVML",
                         "no cuda device could be found"}));
  it.confirms(weight::strong, seen.recovers_by({"runtime=nvidia", "video group", "render group", "usermod",
                                                "devices=/dev/nvidia", "no-cgroups"}));
  // A privileged container also reaches network cards, and may pin memory.
  if (error || (seen.fails({}) && seen.told({"/dev/nvidia", "NVML", "nvidia-smi"})))
    it.confirms(weight::strong, seen.recovers_by({"privileged"}));
  it.confirms(
      weight::fair,
      either(either(node_refused(seen, "/dev/nvidia0"), node_refused(seen, "/dev/nvidiactl")),
             seen.told({"no NVIDIA GPU device is present", "Could not find cuda drivers on your machine"})));
  if (seen.on("host.container") && seen.fails({}) && seen.it().errors.empty())
    it.confirms(weight::fair, seen.probe("nvml_query", {"fails"}));
  // NVML shows the GPUs: what was missing beside it is CUDA's own part of the driver.
  it.at_most(bound::unconfident, both(nvml_works(seen), seen.recovers_by({"DRIVER_CAPABILITIES"})));
  const bool hidden = std::any_of(it.evidence().begin(), it.evidence().end(), [&](const Evidence& one) {
    return one.weight > weight::fair && (!error || one.text != *error);
  });
  if (!it.evidence().empty()) {
    if (error) it.confirms(weight::hint, nvml_works(seen));
    it.confirms(weight::hint, seen.on("host.container"));
    if (hidden_by_variable(seen)) it.confirms(weight::faint, gpu_not_used(seen));
    it.confirms(weight::faint, seen.probe("outside_container", {"recovers", "normal"}));
  }
  // With NVSwitches an unfinished setup is equally likely, unless something else hides the GPUs.
  if (!hidden)
    it.unproven(bound::over_half,
                in_words("a machine with NVSwitch whose fabric is not set up looks the same",
                         board_without_devices(seen)));
  it.at_most(bound::unnamed, nvml_mismatch(seen));
  it.at_most(bound::unnamed,
             seen.error(803, {"cudaErrorSystemDriverMismatch", "unsupported display driver"}));
  it.at_most(bound::unnamed, seen.error(804, {"cudaErrorCompatNotSupportedOnDevice"}));
  it.at_most(bound::weak, seen.nvml_error(4, {"Insufficient Permissions"}));
  it.at_most(bound::weak, seen.error(805, {"cudaErrorMpsConnectionFailed", "MPS client failed to connect"}));
  // The module of managed memory has to be there for its node to be.
  it.at_most(bound::weak,
             either(seen.off("uvm.loaded"), seen.told({"nvidia-uvm*not loaded", "nvidia_uvm*not loaded"})));
  it.at_most(bound::weak, seen.on("gpu.vgpu_license", {"unlicensed", "expired", "not licensed"}));
  if (nvml_works(seen)) it.at_most(bound::weak, seen.on("libraries.missing", {"libcuda.so"}));
  it.at_most(bound::below_half, generation_refused(seen));
  it.at_most(bound::unnamed, no_driver_in_proc(seen));
  it.at_most(bound::unnamed,
             seen.nvml_error(9, {"Driver Not Loaded", "couldn't communicate with the NVIDIA driver"}));
  it.at_most(bound::unnamed, seen.on("framework.build", {"cpu"}));
  it.at_most(bound::unnamed,
             seen.told({"nouveau", "key was rejected", "modprobe: FATAL", "RmInitAdapter failed"}));
}

void examine_mps(const Seen& seen, Argument& it) {
  it.confirms(weight::proof,
              seen.error(805, {"cudaErrorMpsConnectionFailed", "CUDA_ERROR_MPS_CONNECTION_FAILED",
                               "MPS client failed to connect"}));
  it.confirms(weight::proof, told_error(seen, 805));
  if (stopped(seen)) {
    it.confirms(weight::strong, seen.recovers_by({"mps=off", "mps=0", "mps=disabled", "mps=stopped",
                                                  "CUDA_MPS", "nvidia-mps"}));
    it.confirms(weight::fair, either(seen.setting("mps", {"on", "true", "1", "enabled", "yes"}),
                                     seen.environment("CUDA_MPS_PIPE_DIRECTORY")));
    // A new client that hangs, while the daemon runs for another user or in another container.
    const Fact daemon = seen.told({"nvidia-cuda-mps-control"});
    const Fact stuck =
        either(seen.fails({}, {.phase = "new_process"}), seen.probe("outside_container", {"fails"}));
    it.confirms(weight::good, both(daemon, stuck));
  }
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, seen.environment("CUDA_MPS_*"));
    it.confirms(weight::faint, seen.on("host.container"));
  }
}

}  // namespace

Signatures start_failure_causes() {
  return {
      {.name = "no_visible_device",
       .title = "The process may see no GPU, though the machine has some",
       .what = "CUDA_VISIBLE_DEVICES or the container's NVIDIA_VISIBLE_DEVICES leave nothing, the device "
               "nodes are not in the "
               "container, or its device rules were written anew.",
       .moves = "init x",
       .confirms =
           "error 100 while NVML sees GPUs; a variable that hides all; nodes or device rules that are gone",
       .excludes = "NVML fails with an error of the driver",
       .confused_with = {{"kernel_module_missing", "does NVML work outside of the container?"},
                         {"cpu_only_wheel", "does the framework's build have CUDA?"},
                         {"umd_kmd_mismatch", "does NVML report a version mismatch?"}},
       .severity = Severity::failure,
       .next = "env | grep VISIBLE_DEVICES; ls -l /dev/nvidia*; nvidia-smi -L",
       .reading = {"https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/"
                   "docker-specialized.html"},
       .examine = examine_no_device},
      {.name = "driver_too_old",
       .title = "The driver is older than the CUDA runtime needs",
       .what = "A program's runtime asks for a driver of its own major version of CUDA at least. With an "
               "older one "
               "CUDA does not start, or the program goes on with the processor.",
       .moves = "init x",
       .confirms = "error 35 or 36, or the program's own sentence about the driver's age",
       .excludes = "error 222: then the runtime starts, and only its PTX is too new",
       .confused_with = {{"ptx_newer_than_driver", "is the code 35 or 222?"},
                         {"umd_kmd_mismatch", "do the driver's own parts agree?"},
                         {"no_visible_device", "is there a driver within reach of the container?"}},
       .severity = Severity::failure,
       .next = "nvidia-smi (the CUDA version in its head is the newest that it runs); update the driver, or "
               "take a "
               "build for that CUDA",
       .reading = {"https://docs.nvidia.com/deploy/cuda-compatibility/index.html"},
       .examine = examine_driver_age},
      {.name = "gpu_lost",
       .title = "The GPU no longer answers on its bus",
       .what = "The driver gets no answer from the device (Xid 79): power, a contact, heat or a fault of the "
               "board. "
               "Work on it ends, and only a reset or a power cycle brings it back.",
       .moves = "init x",
       .confirms = "Xid 79, \"fallen off the bus\", NVML's \"GPU is lost\"",
       .excludes = "the device answers and only its firmware does not (Xid 119 or 120)",
       .confused_with = {{"gsp_firmware", "is the Xid 79, or 119 or 120?"},
                         {"no_visible_device", "does NVML outside of the container see it?"}},
       .severity = Severity::failure,
       .latent = true,
       .next = "dmesg | grep -i xid; reseat the card and its power cables, watch temperature and supply, "
               "power-cycle "
               "the node",
       .reading = {"https://docs.nvidia.com/deploy/xid-errors/index.html"},
       .examine = examine_lost},
      {.name = "missing_cuda_libraries",
       .title = "A library of CUDA that the program needs is not found",
       .what = "The loader finds no libcublas, libcudart or another library of the toolkit in the version "
               "that the "
               "program was built with: it is not installed, or not on the search path.",
       .moves = "init x",
       .confirms = "the loader's message with the library's name",
       .excludes = "it is cuDNN, or the library is there twice",
       .confused_with = {{"missing_or_wrong_major_cudnn", "is it cuDNN, or a library of the toolkit?"},
                         {"ort_cuda_ep_fallback", "is it ONNX Runtime, which then works on the processor?"},
                         {"mixed_library_versions", "is it absent, or of another version?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next = "ldd PROGRAM_OR_LIBRARY | grep 'not found'; ldconfig -p | grep -E 'cublas|cudart'",
       .reading = {"https://man7.org/linux/man-pages/man8/ld.so.8.html"},
       .examine = examine_cuda_library},
      {.name = "mps_connection_failed",
       .title = "CUDA is told to use MPS, and cannot reach its control daemon",
       .what = "A variable or a pipe directory left behind sends CUDA to the Multi-Process Service. Where "
               "its daemon "
               "does not run, runs for another user, or runs on the host and not within the container's "
               "reach, CUDA "
               "does not start.",
       .moves = "init x",
       .confirms = "error 805",
       .excludes = "CUDA starts, or ends with another error",
       .confused_with = {{"neighbour_process", "does CUDA start at all?"},
                         {"no_visible_device", "is the code 805 or 100?"}},
       .severity = Severity::failure,
       .next =
           "env | grep CUDA_MPS; echo get_server_list | nvidia-cuda-mps-control; start the daemon as the "
           "same user "
           "(nvidia-cuda-mps-control -d), and give a container its pipe directory and --ipc=host; or unset "
           "CUDA_MPS_PIPE_DIRECTORY",
       .reading = {"https://docs.nvidia.com/deploy/mps/index.html"},
       .examine = examine_mps},
  };
}

}  // namespace gpugauge::diagnose

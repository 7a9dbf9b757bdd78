// The table of probes. To add a probe, add an entry; conductor/probe_run.cpp carries out its action.

#include "diagnose/probes.hpp"

namespace gpugauge::diagnose {
namespace {

using Classes = std::vector<std::string_view>;

const Classes host_bound_classes{"launch",   "first_launch", "init", "h2d",  "d2h",
                                 "host_cpu", "host_memory",  "sync", "alloc"};
const Classes launch_classes{"launch", "sync", "alloc"};
const Classes start_classes{"first_launch", "init"};
const Classes copy_classes{"h2d", "d2h"};
const Classes product_classes{"gemm64", "gemm32", "gemmtf32", "gemm16", "gemm8", "conv", "attention"};
const Classes device_classes{"gemm64",    "gemm32", "gemmtf32",  "gemm16", "gemm8", "conv",
                             "attention", "fft",    "primitive", "hbm",    "l2"};

const std::vector<Answer> two_answers{{.outcome = "recovers"}, {.outcome = "no_change"}};

/// True when the affinity mask allows fewer processors than the machine has.
bool mask_is_narrow(const Seen& seen) {
  const std::optional<double> allowed = seen.number("host.cpus_allowed");
  const std::optional<double> all = seen.number("host.cpus");
  return allowed && all && *allowed < *all;
}

bool mask_has_several(const Seen& seen) {
  const std::optional<double> allowed = seen.number("host.cpus_allowed");
  return !allowed || *allowed > 1;
}

/// True when cpu_share itself was not measured.
bool cpu_share_unknown(const Seen& seen) {
  return seen.metrics({"host_cpu"}, {.op = "cpu_share"}).empty();
}

bool eager_loading_set(const Seen& seen) {
  return seen.environment("CUDA_MODULE_LOADING", {"EAGER"}).has_value();
}

std::vector<ProbeEntry> host_probes() {
  return {
      {.id = "all_processors",
       .question = "is it as slow with the processors that its mask keeps from it?",
       .separates = {"cpu_affinity_wrong", "cpu_contention", "cgroup_cpu_limit", "cpu_governor",
                     "numa_misplacement"},
       .fact = "change_setting",
       .detail = "affinity=",
       .answers = two_answers,
       .seconds = 6,
       .classes = host_bound_classes,
       .processors = Processors::all,
       .needs = mask_is_narrow},
      {.id = "idle_processors",
       .question = "is it as slow on a processor that nobody else uses?",
       .separates = {"cpu_contention", "cgroup_cpu_limit", "cpu_governor", "cpu_affinity_wrong"},
       .fact = "change_setting",
       .detail = "idle_processors=pinned to",
       .answers = two_answers,
       .seconds = 7,
       .classes = host_bound_classes,
       .processors = Processors::idle,
       .needs = mask_has_several},
      {.id = "again_later",
       .question = "is it still slow a few seconds later?",
       .separates = {"cpu_contention", "neighbour_process", "cpu_governor", "cpu_affinity_wrong",
                     "locked_clocks_left", "pcie_link_degraded"},
       .fact = "repeat_later",
       .detail = "pause=",
       .answers = {{.outcome = "normal"}, {.outcome = "slow"}},
       .seconds = 9,
       .action = Action::repeat_later,
       .pause_seconds = 5},
      {.id = "processor_share",
       .question = "does a thread that only computes get a whole processor?",
       .separates = {"cgroup_cpu_limit", "cpu_contention", "driver_regression", "cuda_launch_blocking",
                     "framework_launch_overhead"},
       .fact = "cpu_benchmark",
       .detail = "cpu_share=",
       .answers = {{.outcome = "normal"},
                   {.outcome = "slow", .telemetry = {{"cpu_throttled_periods", Value(10.0)}}},
                   {.outcome = "slow", .telemetry = {{"cpu_pressure_percent", Value(80.0)}}}},
       .seconds = 2,
       .classes = host_bound_classes,
       .action = Action::share,
       .needs = cpu_share_unknown},
      {.id = "without_thread_binding",
       .question = "is it as slow without the variables that bind threads?",
       .separates = {"cpu_affinity_wrong", "cpu_contention", "cgroup_cpu_limit"},
       .fact = "unset_environment",
       .answers = two_answers,
       .seconds = 6,
       .classes = host_bound_classes,
       .without = {"OMP_*", "GOMP_*", "KMP_*"}},
  };
}

std::vector<ProbeEntry> environment_probes() {
  return {
      {.id = "without_launch_blocking",
       .question = "do launches recover without CUDA_LAUNCH_BLOCKING?",
       .separates = {"cuda_launch_blocking", "profiler_attached", "cpu_contention", "cgroup_cpu_limit",
                     "driver_regression"},
       .fact = "unset_environment",
       .answers = two_answers,
       .seconds = 6,
       .measures = Measures::gpu,
       .classes = launch_classes,
       .without = {"CUDA_LAUNCH_BLOCKING"}},
      {.id = "without_injection",
       .question = "does it recover without the variables that bring a tool into the process?",
       .separates = {"profiler_attached", "cuda_launch_blocking", "driver_regression", "cpu_contention"},
       .fact = "unset_environment",
       .answers = two_answers,
       .seconds = 6,
       .measures = Measures::gpu,
       .without = {"CUDA_INJECTION*", "NVTX_INJECTION*", "NSYS_*", "LD_PRELOAD", "NV_COMPUTE_SANITIZER*",
                   "COMPUTE_SANITIZER*"}},
      {.id = "without_tf32_override",
       .question = "do products recover without NVIDIA_TF32_OVERRIDE?",
       .separates = {"tf32_env_override", "cublas_math_mode_lost", "tc_not_selected_for_shape",
                     "cublas_version_regression"},
       .fact = "unset_environment",
       .answers = two_answers,
       .seconds = 6,
       .measures = Measures::gpu,
       .classes = product_classes,
       .without = {"NVIDIA_TF32_OVERRIDE"}},
      {.id = "lazy_loading",
       .question = "is the start quick when modules are loaded lazily?",
       .separates = {"eager_module_loading", "ptx_jit_startup", "persistence_mode_off", "jit_cache_disabled"},
       .fact = "change_setting",
       .detail = "CUDA_MODULE_LOADING=LAZY",
       .answers = two_answers,
       .seconds = 8,
       .measures = Measures::gpu,
       .classes = start_classes,
       .with = {{"CUDA_MODULE_LOADING", "LAZY"}},
       .needs = eager_loading_set},
      {.id = "with_jit_cache",
       .question = "is the start quick with the JIT cache as CUDA sets it?",
       .separates = {"jit_cache_disabled", "ptx_jit_startup", "persistence_mode_off", "eager_module_loading"},
       .fact = "unset_environment",
       .answers = two_answers,
       .seconds = 10,
       .measures = Measures::gpu,
       .classes = start_classes,
       .without = {"CUDA_CACHE_*"}},
      {.id = "without_forced_jit",
       .question = "is the start quick when machine code may be used?",
       .separates = {"ptx_jit_startup", "jit_cache_disabled", "persistence_mode_off"},
       .fact = "unset_environment",
       .answers = two_answers,
       .seconds = 10,
       .measures = Measures::gpu,
       .classes = start_classes,
       .without = {"CUDA_FORCE_PTX_JIT"}},
      {.id = "without_nccl_variables",
       .question = "do collectives recover without the variables of NCCL?",
       .separates = {"nccl_env_leftover", "nccl_socket_fallback", "nccl_p2p_to_shm",
                     "nccl_version_regression"},
       .fact = "unset_environment",
       .answers = two_answers,
       .seconds = 12,
       .measures = Measures::gpu,
       .classes = {"coll_large", "coll_small"},
       .without = {"NCCL_*"}},
  };
}

/// The last probe is the most general; of two equally useful probes the earlier one is asked.
std::vector<ProbeEntry> gpu_probes() {
  return {
      {.id = "pinned_to_gpu_node",
       .question = "do copies recover when the process is pinned to the GPU's NUMA node?",
       .separates = {"numa_misplacement", "pcie_link_degraded", "cpu_affinity_wrong", "pageable_memory",
                     "iommu_translation"},
       .fact = "pin_to_local_numa",
       .detail = "processors of node ",
       .answers = two_answers,
       .seconds = 10,
       .measures = Measures::gpu,
       .classes = {"h2d", "d2h", "launch"},
       .processors = Processors::local_to_gpu},
      {.id = "link_under_load",
       .question = "does the PCIe link reach its generation and width while it copies?",
       .separates = {"pcie_link_degraded", "numa_misplacement", "pageable_memory", "pcie_chipset_attached",
                     "iommu_translation"},
       .fact = "link_under_load",
       .detail = "link=",
       .answers = {{.outcome = "normal",
                    .telemetry = {{"pcie_generation", Value(5.0)},
                                  {"pcie_generation_max", Value(5.0)},
                                  {"pcie_width", Value(16.0)},
                                  {"pcie_width_max", Value(16.0)},
                                  {"pcie_sampled", Value("load")}}},
                   {.outcome = "slow",
                    .telemetry = {{"pcie_generation", Value(3.0)},
                                  {"pcie_generation_max", Value(5.0)},
                                  {"pcie_width", Value(8.0)},
                                  {"pcie_width_max", Value(16.0)},
                                  {"pcie_sampled", Value("load")}}}},
       .seconds = 6,
       .measures = Measures::gpu,
       .classes = copy_classes,
       .action = Action::link},
      {.id = "after_idle",
       .question = "is it normal after the GPU had time to cool?",
       .separates = {"thermal_throttle", "idle_clock_ramp", "locked_clocks_left", "hw_power_brake",
                     "sw_power_cap", "power_or_clock", "hidden_power_state"},
       .fact = "repeat_after_idle",
       .detail = "idle=",
       .answers = {{.outcome = "recovers"}, {.outcome = "no_change"}, {.outcome = "worse"}},
       .seconds = 18,
       .measures = Measures::gpu,
       .classes = device_classes,
       .action = Action::after_idle,
       .pause_seconds = 10},
      {.id = "idle_gpu",
       .question = "is the GPU busy while nothing of ours runs?",
       .separates = {"neighbour_process", "power_or_clock", "thermal_throttle", "hidden_power_state",
                     "driver_regression"},
       .answers = {{.outcome = "slow", .telemetry = {{"utilization_before_percent", Value(60.0)}}},
                   {.outcome = "normal", .telemetry = {{"utilization_before_percent", Value(0.0)}}}},
       .seconds = 3,
       .measures = Measures::gpu,
       .action = Action::idle_gpu},
      {.id = "nvml_answer",
       .question = "does NVML answer at once?",
       .separates = {"persistence_mode_off", "gsp_firmware", "nvlink_partial"},
       .fact = "nvml_query",
       .detail = "seconds until the first answer: ",
       .answers = {{.outcome = "succeeds"}, {.outcome = "slow"}},
       .seconds = 1,
       .measures = Measures::gpu,
       .action = Action::nvml},
      {.id = "other_library",
       .question = "is other code for the same work as fast as ever?",
       .separates = {"kernel_specific", "cudnn_heuristic_regression", "cublas_version_regression",
                     "driver_regression", "power_or_clock"},
       .fact = "other_library",
       .detail = "instead=",
       .answers = {{.outcome = "normal"}, {.outcome = "slow"}},
       .seconds = 5,
       .measures = Measures::gpu,
       .classes = product_classes,
       .action = Action::other_library},
      {.id = "clean_environment",
       .question = "is it as slow without any variable that speaks to CUDA, its libraries or the loader?",
       .separates = {"cuda_launch_blocking", "tf32_env_override", "profiler_attached", "nccl_env_leftover",
                     "eager_module_loading", "jit_cache_disabled", "driver_regression", "cpu_affinity_wrong"},
       .fact = "unset_environment",
       .answers = two_answers,
       .seconds = 7,
       .without = {"CUDA_*", "NVIDIA_*", "NCCL_*", "CUBLAS*", "CUDNN_*", "OMP_*", "GOMP_*", "KMP_*",
                   "LD_PRELOAD", "LD_AUDIT", "GLIBC_TUNABLES"}},
  };
}

}  // namespace

const std::vector<ProbeEntry>& probe_table() {
  static const std::vector<ProbeEntry> all = [] {
    std::vector<ProbeEntry> out;
    for (const auto& part : {host_probes(), environment_probes(), gpu_probes()})
      out.insert(out.end(), part.begin(), part.end());
    return out;
  }();
  return all;
}

}  // namespace gpugauge::diagnose

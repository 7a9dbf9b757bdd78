// The fault table. To add a fault, add an entry; conductor/fault_run.cpp uses its fields.
#include "conductor/fault_table.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/error.hpp"

namespace gpugauge::conductor {
namespace {

std::vector<Fault> faults_of_the_host() {
  return {
      {.id = "cpu_quota",
       .what = "a control group of its own leaves the command half of the processors that it uses",
       .causes = {"cgroup_cpu_limit"},
       .quota = .5},
      {.id = "busy_core",
       .what = "the command may use one processor only, on which another process computes",
       .causes = {"cpu_affinity_wrong"},
       .confined = ConfinedTo::one_processor,
       .neighbour = Neighbour::on_its_processor},
      {.id = "processors_taken",
       .what = "another process computes on every processor",
       .causes = {"cpu_contention"},
       .neighbour = Neighbour::on_all_processors},
      {.id = "memory_taken",
       .what = "another process streams memory on half of the processors",
       .causes = {"cpu_contention"},
       .neighbour = Neighbour::in_memory},
  };
}

std::vector<Fault> faults_of_variables() {
  return {
      {.id = "tf32_environment",
       .what = "NVIDIA_TF32_OVERRIDE=0",
       .causes = {"tf32_env_override"},
       .device = DeviceKind::gpu,
       .measures = {"cublas/tf32/lt/*", "cublas/bf16/lt/4096x*", "peak/bf16/mma_sync"},
       .environment = {{"NVIDIA_TF32_OVERRIDE", "0"}}},
      {.id = "launch_blocking",
       .what = "CUDA_LAUNCH_BLOCKING=1",
       .causes = {"cuda_launch_blocking"},
       .device = DeviceKind::gpu,
       .measures = {"launch", "gemm16", "hbm"},
       .environment = {{"CUDA_LAUNCH_BLOCKING", "1"}}},
      {.id = "eager_loading",
       .what = "CUDA_MODULE_LOADING=EAGER",
       .causes = {"eager_module_loading"},
       .device = DeviceKind::gpu,
       .measures = {"init", "first_launch/kernel/lazy", "peak/bf16/mma_sync"},
       .environment = {{"CUDA_MODULE_LOADING", "EAGER"}}},
      {.id = "forced_jit",
       .what = "CUDA_FORCE_PTX_JIT=1 and CUDA_CACHE_DISABLE=1",
       // Most families contain no PTX. They do not run under this variable, so none of them becomes slow.
       .causes = {"ptx_jit_forced", "jit_cache_disabled"},
       .device = DeviceKind::gpu,
       .found_by = FoundBy::doctor,
       .environment = {{"CUDA_FORCE_PTX_JIT", "1"}, {"CUDA_CACHE_DISABLE", "1"}}},
      {.id = "nccl_transports",
       .what = "NCCL_P2P_DISABLE=1, NCCL_SHM_DISABLE=1 and NCCL_NET=Socket",
       .causes = {"nccl_env_leftover", "nccl_socket_fallback"},
       .device = DeviceKind::links,
       .measures = {"coll_large", "coll_small", "p2p"},
       .environment = {{"NCCL_P2P_DISABLE", "1"}, {"NCCL_SHM_DISABLE", "1"}, {"NCCL_NET", "Socket"}}},
      {.id = "no_visible_device",
       .what = "CUDA_VISIBLE_DEVICES is empty",
       .causes = {"no_visible_device"},
       .device = DeviceKind::gpu,
       .found_by = FoundBy::doctor,
       .environment = {{"CUDA_VISIBLE_DEVICES", ""}}},
  };
}

std::vector<Fault> faults_beside_a_gpu() {
  return {
      {.id = "small_shm",
       .what = "/dev/shm of 64 MiB, in a mount namespace of the command's own",
       .causes = {"shm_too_small"},
       .device = DeviceKind::gpu,
       .found_by = FoundBy::doctor,
       .shm_mib = 64},
      {.id = "far_node",
       .what = "the command may use the processors of a NUMA node only that is not the GPU's",
       .causes = {"numa_misplacement"},
       .device = DeviceKind::gpu,
       .measures = {"h2d", "d2h", "launch", "hbm"},
       .confined = ConfinedTo::another_node},
      {.id = "multiprocessors_taken",
       .what = "another process multiplies matrices on the same GPU",
       .causes = {"neighbour_process"},
       .device = DeviceKind::gpu,
       .measures = {"gemm16", "hbm", "launch"},
       .neighbour = Neighbour::family,
       .neighbour_family = "gemm",
       .neighbour_filter = "gemm/bf16/mma_sync"},
      {.id = "device_memory_taken",
       .what = "another process streams the memory of the same GPU",
       .causes = {"neighbour_process"},
       .device = DeviceKind::gpu,
       .measures = {"gemm16", "hbm", "launch"},
       .neighbour = Neighbour::family,
       .neighbour_family = "memory",
       .neighbour_filter = "memory/triad/cold"},
      {.id = "link_taken",
       .what = "another process copies over the link of the same GPU",
       .causes = {"neighbour_process"},
       .device = DeviceKind::gpu,
       .measures = {"h2d", "d2h", "gemm16"},
       .neighbour = Neighbour::family,
       .neighbour_family = "copy",
       .neighbour_filter = "copy/bidirectional/pinned/"},
  };
}

std::vector<Fault> faults_inside_of_the_process() {
  return {
      {.id = "tf32_math_mode",
       .what = "a library in the process takes TF32 out of every cuBLAS handle's math mode",
       .causes = {"cublas_math_mode_lost"},
       .device = DeviceKind::gpu,
       .measures = {"cublas/tf32/lt/*", "cublas/tf32/sgemm/*", "peak/bf16/mma_sync"},
       .library = "tf32_math_mode"},
      {.id = "cupti_subscriber",
       .what = "a CUPTI subscriber watches every call and every kernel, and stays on",
       .causes = {"cupti_left_attached", "profiler_attached"},
       .device = DeviceKind::gpu,
       .measures = {"launch", "hbm"},
       .library = "cupti_subscriber",
       .as_profiler = true},
      {.id = "persisting_l2",
       .what = "a library in the process keeps as much of L2 as the GPU allows set aside, and fills it",
       .causes = {"l2_persisting_left"},
       .device = DeviceKind::gpu,
       .measures = {"memory/footprint", "memory/read/cold", "peak/bf16/mma_sync"},
       .library = "persisting_l2"},
  };
}

std::vector<Fault> faults_of_the_software() {
  return {
      {.id = "mixed_libraries",
       .what = "LD_LIBRARY_PATH leads to a second version of a library of CUDA",
       .causes = {"mixed_library_versions", "duplicate_library_versions"},
       .found_by = FoundBy::doctor,
       .made = Made::other_version},
      {.id = "cpu_only_framework",
       .what = "the active environment's PyTorch was built without CUDA",
       .causes = {"cpu_only_wheel", "built_without_cuda"},
       .device = DeviceKind::gpu,
       .found_by = FoundBy::doctor,
       .made = Made::cpu_only_framework},
      {.id = "tf32_framework",
       .what = "PyTorch's switch for TF32 is off, and was on before",
       .causes = {"tf32_disabled_by_framework_default"},
       .device = DeviceKind::gpu,
       .found_by = FoundBy::frameworks,
       .made = Made::framework_switch},
  };
}

}  // namespace

const std::vector<Fault>& fault_table() {
  static const std::vector<Fault> all = [] {
    std::vector<Fault> out;
    for (const auto& part : {faults_of_the_host(), faults_of_variables(), faults_beside_a_gpu(),
                             faults_inside_of_the_process(), faults_of_the_software()})
      out.insert(out.end(), part.begin(), part.end());
    return out;
  }();
  return all;
}

const Fault* find_fault(std::string_view id) {
  const auto& all = fault_table();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Fault& one) { return one.id == id; });
  return found == all.end() ? nullptr : &*found;
}

void require_faults(const std::vector<std::string>& ids) {
  std::vector<std::string_view> known;
  for (const Fault& fault : fault_table()) known.push_back(fault.id);
  for (const std::string& id : ids)
    if (find_fault(id) == nullptr)
      throw result::UsageError(
          fmt::format("--only {}: there is no such fault; there are {}", id, fmt::join(known, ", ")));
}

}  // namespace gpugauge::conductor

// Launches that cost more because they are synchronous, observed, or wrapped; and profilers that are refused.
#include <fmt/format.h>

#include "diagnose/causes/printed.hpp"

namespace gpugauge::diagnose {
namespace {

Fact blocking_set(const Seen& seen) {
  for (const auto& [name, value] : seen.it().environment)
    if (name == "CUDA_LAUNCH_BLOCKING" && value != "0" && !value.empty())
      return fmt::format("{}={} in the environment", name, value);
  return std::nullopt;
}

Fact injected(const Seen& seen) {
  for (const std::string_view name :
       {"CUDA_INJECTION64_PATH", "CUDA_INJECTION32_PATH", "NVTX_INJECTION64_PATH", "NSYS_*", "NVPROF_*",
        "CUDA_DEVICE_DEBUGGER*", "COMPUTE_SANITIZER*", "NV_COMPUTE_SANITIZER*", "QUADD_INJECTION*", "CUDBG_*",
        "VTUNE_*"})
    if (Fact fact = seen.environment(name)) return fact;
  for (const auto& [name, value] : seen.it().environment)
    if (name == "LD_PRELOAD" &&
        contains_any(value, {"nsys", "sanitizer", "cupti", "nsight", "inject", "nvprof"}))
      return fmt::format("{}={} in the environment", name, value);
  return std::nullopt;
}

/// Each call of a launch is seen to last as long as its kernel.
Fact launch_lasts(const Seen& seen) {
  return seen.told({"cudaLaunchKernel*as long as its kernel", "cudaLaunchKernel*as long as the kernel",
                    "launch*lasts as long as", "launch*takes as long as the kernel",
                    "launch*as long as its kernel", "launch*returns only after",
                    "launch*waits for its kernel", "launch*waits for the kernel",
                    "launches*wait for their kernel", "every launch is synchronous",
                    "each launch is synchronous", "launches are synchronous"});
}

/// The process itself was started by such a tool, in the words of somebody who looked.
Fact started_by_tool(const Seen& seen) {
  for (const std::string_view tool :
       {"compute-sanitizer", "cuda-memcheck", "cuda-gdb", "nsys", "nvprof", "ncu"})
    for (const std::string_view how :
         {"children of {}", "child of {}", "wrapped in {}", "wrapped by {}", "wraps*{}", "started by {}",
          "started through {}", "started with {}", "starts*through {}", "launched by {}",
          "launched through {}", "launched with {}", "runs*through {}", "run through {}", "prefixed with {}",
          "parent is {}", "parent process is {}"})
      if (Fact fact = seen.told({fmt::format(fmt::runtime(how), tool)},
                                {"nsys-rep", "ncu-rep", "afterwards", "to see", "to find"}))
        return fact;
  return std::nullopt;
}

void examine_blocking(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, blocking_set(seen));
  it.confirms(weight::proof, seen.recovers_by({"CUDA_LAUNCH_BLOCKING", "LAUNCH_BLOCKING"}));
  it.confirms(weight::good, either(seen.probe("stream_overlap", {"no_overlap"}),
                                   seen.setting("synchronous_launch", {"true"})));
  if (it.confirms(weight::good, launch_lasts(seen)))
    it.confirms(weight::fair, seen.probe("unset_environment", {"recovers"}));
  it.confirms(weight::good, seen.told({"CUDA_LAUNCH_BLOCKING"},
                                      {"CUDA_LAUNCH_BLOCKING=0", "without CUDA_LAUNCH", "consider passing"}));
  if (!it.evidence().empty()) it.confirms(weight::hint, seen.slower({"launch"}));
  it.rules_out(seen.probe("stream_overlap", {"normal", "succeeds"}));
  it.rules_out(seen.environment("CUDA_LAUNCH_BLOCKING", {"0", ""}));
  it.rules_out(seen.unmoved_by({"LAUNCH_BLOCKING"}));
  if (!blocking_set(seen)) it.at_most(bound::weak, either(injected(seen), started_by_tool(seen)));
  // Who looks for an error's place sets it.
  if (!seen.slower({}) && !seen.recovers_by({"LAUNCH_BLOCKING"}))
    it.at_most(bound::unnamed,
               in_words("nothing is slower, and it is set to find the place of an error",
                        seen.told({"CUDA error", "device-side assert", "illegal memory access",
                                   "Segmentation fault", "cudaError"})));
}

Fact fresh_is_normal(const Seen& seen) {
  if (Fact fact = seen.probe("repeat_in_fresh_process", {"normal", "recovers"})) return fact;
  return seen.unchanged({}, {.phase = "new_process"});
}

/// A tool is refused the GPU's performance counters. CUPTI's number 35 is that, too.
Fact counters_refused(const Seen& seen) {
  return seen.told({"n't have sufficient privileges to expose profiling metrics", "ERR_NVGPUCTRPERM",
                    "CUPTI_ERROR_*INSUFFICIENT_PRIVILEGES", "NVPA_STATUS_INSUFFICIENT_PRIVILEGE",
                    "not have permission to access NVIDIA GPU Performance",
                    "not have permission to profile on the target", "cupti*with error 35",
                    "cupti*returned error 35", "cupti*error code 35"});
}

void examine_counters(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, counters_refused(seen));
  if (it.evidence().empty()) return;
  it.explains_failure();
  it.is_an_event();
  it.confirms(weight::strong, seen.recovers_by({"RestrictProfilingToAdminUsers", "SYS_ADMIN", "PERFMON",
                                                "cap-add", "cap_add", "privileged", "sudo", "root"}));
  it.confirms(weight::hint, seen.told({"RmProfilingAdminOnly: 1", "RestrictProfilingToAdminUsers: 1"}));
}

void examine_cupti(const Seen& seen, Argument& it) {
  const Fact after = seen.slower({}, {.phase = "after_profiler"});
  const Fact old_process = seen.slower({}, {.phase = "already_running"});
  it.confirms(weight::strong, after);
  it.confirms(weight::good, seen.told({"cupti", "profiler*stop", "kineto"}));
  if (after || old_process || !it.evidence().empty() || seen.slower({"launch"}))
    it.confirms(after || old_process || !it.evidence().empty() ? weight::good : weight::hint,
                fresh_is_normal(seen));
  if (fresh_is_normal(seen)) it.confirms(weight::fair, old_process);
  it.confirms(weight::strong, seen.recovers_by({"cupti", "TEARDOWN_CUPTI", "profiler"}));
  if (!it.evidence().empty()) it.confirms(weight::hint, seen.slower({"launch"}));
  it.rules_out(seen.probe("repeat_in_fresh_process", {"slow", "no_change", "worse"}));
  if (!after) it.at_most(bound::unnamed, seen.fails({}, {.phase = "already_running"}));
  it.at_most(bound::weak, injected(seen));
  it.at_most(after ? bound::likely : bound::remote,
             in_words("the profiler was refused", counters_refused(seen)));
  // A callback slows launches and nothing of the cache.
  if (!after) it.at_most(bound::weak, both(seen.slower({"l2"}), Fact("no launch is known to be slower")));
  // A subscription costs the same from its first call on; a growing cost has another cause.
  if (!after) it.at_most(bound::unnamed, seen.on("drift", {"worse_with_time"}));
}

void examine_profiler(const Seen& seen, Argument& it) {
  it.confirms(weight::strong, injected(seen));
  it.confirms(weight::good,
              seen.said({"compute-sanitizer", "nsys", "nsight", "nvprof", "cuda-gdb", "cuda-memcheck",
                         "libcupti*loaded", "libsanitizer-public", "==PROF==", "==NVPROF==", "ncu --",
                         "Collecting data*Nsight"},
                        // What a person read from a profile.
                        {"nsys:", "nvprof:", "nsys shows", "nsys says", "nsight shows", "nvprof shows",
                         "profiling I have done", "profiled with", "profiling results"}));
  // Two tools cannot have a GPU's performance counters at once.
  it.confirms(weight::good, seen.told({"NVPW_DCGM_PeriodicSampler_BeginSession",
                                       "another tool is using*performance counters"}));
  // These words place the slow run itself under a profiler; a measurement made with one does not count.
  it.confirms(weight::good, seen.told({"under nsys", "under nsight", "under ncu", "under nvprof",
                                       "under compute-sanitizer", "under cuda-gdb", "while profiling",
                                       "when profiled", "profiler is on", "profiler attached",
                                       "profiler is attached", "profiling is on", "profiling enabled"}));
  if (it.confirms(weight::good, started_by_tool(seen)))
    it.confirms(weight::good, seen.recovers_by({"wrapper", "directly", "by hand", "without it", "launcher"}));
  it.confirms(weight::strong, seen.recovers_by({"INJECTION", "LD_PRELOAD", "nsys", "ncu", "nsight",
                                                "profiler", "profiling", "sanitizer", "cuda-gdb", "nvprof"}));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, seen.slower({"launch"}));
    it.confirms(weight::faint, seen.probe("stream_overlap", {"no_overlap"}));
  }
  it.at_most(bound::unnamed, seen.unmoved_by({"INJECTION", "LD_PRELOAD", "NSYS", "SANITIZER"}));
  // If removing the variable changed nothing, it is not the cause.
  it.at_most(bound::weak, seen.unmoved_by({"LAUNCH_BLOCKING"}) ? Fact() : blocking_set(seen));
  it.at_most(bound::below_half, seen.slower({}, {.phase = "after_profiler"}));
  // Profiler output comes from a deliberate profiling run; the slow process itself has no profiler.
  if (!injected(seen)) it.at_most(bound::unnamed, seen.said({"nsys: ", "nvprof: ", "ncu: ", "nsight: "}));
}

/// Percent of the time; below it the GPU waits more than it works.
constexpr double mostly_idle = 50;

/// Launches through a framework are slower, while native launches are not.
void examine_framework_launch(const Seen& seen, Argument& it) {
  Fact framework;
  Fact native;
  for (const Metric* metric : seen.metrics({"launch"})) {
    const bool slower = metric->fails || slower_by_figure(*metric);
    if (slower && !metric->scope.framework.empty()) framework = sentence(*metric);
    if (metric->factor && !slower && metric->scope.framework.empty()) native = sentence(*metric);
  }
  const Fact op = seen.slower({"framework_op"}, {.size = "small"});
  const bool native_slower = seen.slower({"launch"}) && !framework;
  const Fact kernels =
      seen.slower({"application", "framework_op"}) && !native_slower ? kernels_as_before(seen) : Fact();
  if (!native && (seen.slower({"launch"}) || op || kernels))
    native = seen.probe("native_benchmark", {"normal", "succeeds"});
  // The kernels are as fast as before; only small work pays for its launches.
  const Fact small_only = both(op, seen.unchanged({"framework_op"}, {.size = "large"}));
  it.confirms(weight::fair, framework);
  it.confirms(weight::good, small_only);
  it.confirms(only_processor_time_grew(seen) ? weight::strong : weight::good, kernels);
  // The pattern's launches are the framework's; these are native ones.
  if ((kernels || small_only) && native) it.is_an_event();
  if (framework || op || kernels) {
    it.confirms(weight::strong, native);
    it.confirms(weight::fair, both(op, seen.unchanged({"launch"})));
    it.confirms(weight::hint, seen.changed({"framework"}));
    if (framework || kernels) it.confirms(weight::good, seen.undone("framework", {"recovers"}));
    if (kernels)
      it.confirms(weight::fair, seen.probe("change_version", {"recovers"},
                                           {"torch", "pytorch", "jax", "tensorflow", "cupy", "numba",
                                            "framework", "mxnet"}));
    it.confirms(weight::hint, seen.unchanged({}, {.phase = "kernel"}));
  }
  if (seen.slower({"application", "framework_op", "launch"}))
    it.confirms(weight::fair, seen.told({"launch overhead", "launch-bound", "launch bound", "python overhead",
                                         "dispatch overhead", "gaps between kernels", "gap between kernels",
                                         "gaps between the kernels", "idle between kernels",
                                         "many small kernels", "many tiny kernels", "thousands of kernels",
                                         "kernel launches dominate", "CPU overhead"}));
  const Fact graphs =
      seen.recovers_by({"cuda graph", "cuda_graph", "cudagraph", "graphs=", "graph=", "torch.compile",
                        "cudagraphs", "reduce-overhead", "cuda graphs"});
  it.confirms(weight::fair, both(seen.slower({"launch"}), graphs));
  // The same kernels are fast when replayed as a graph, so the time was lost between them, on the processor.
  it.confirms(weight::good, both(seen.slower({"application", "framework_op"}), graphs));
  if (graphs && seen.number("utilization_percent").value_or(100) < mostly_idle)
    it.confirms(weight::fair, Fact("the GPU was mostly idle"));
  for (const Metric* metric : seen.metrics({"launch"}))
    if (slower_by_figure(*metric) && metric->scope.framework.empty())
      it.at_most(bound::last_named, "native launches are slower too: " + sentence(*metric));
  it.at_most(bound::last_named, blocking_set(seen));
  it.at_most(bound::last_named, injected(seen));
  it.at_most(bound::weak, seen.slower({}, {.phase = "after_profiler"}));
  it.at_most(bound::last_named, seen.slower({"host_cpu"}));
}

}  // namespace

Signatures launch_causes() {
  return {
      {.name = "cuda_launch_blocking",
       .title = "CUDA_LAUNCH_BLOCKING makes every launch wait for its kernel",
       .what = "The variable makes launches synchronous: a tool for debugging that was left in a script, an "
               "image or the "
               "program itself. Streams no longer overlap; kernels are as fast as ever.",
       .moves = "launch --, gemm16 0, hbm 0",
       .stands_on = {"LAUNCH_BLOCKING"},
       .confirms = "the variable in the environment of the process; two streams do not overlap; unsetting it "
                   "recovers",
       .excludes = "streams overlap",
       .confused_with = {{"profiler_attached", "is an injection variable or a debugger in the process?"},
                         {"cpu_contention", "do two streams overlap?"},
                         {"cgroup_cpu_limit", "do two streams overlap?"}},
       .next = "tr '\\0' '\\n' < /proc/PID/environ | grep CUDA_; grep -r LAUNCH_BLOCKING in the program (it "
               "may set it "
               "itself)",
       .reading = {"https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#env-vars"},
       .examine = examine_blocking},
      {.name = "cupti_left_attached",
       .title = "A profiler session left CUPTI attached to the process",
       .what = "After a profiler inside the process has stopped, CUPTI may stay subscribed: each launch pays "
               "for a callback "
               "until the process ends. A fresh process is normal.",
       .moves = "launch -, gemm16 0",
       .confirms = "slower only after a profiler ran, in the long-lived process; a fresh one is normal",
       .excludes = "a fresh process is as slow",
       .confused_with = {{"driver_regression", "is a fresh process normal with the same driver?"},
                         {"profiler_attached", "is a profiler attached now?"},
                         {"framework_launch_overhead", "is a fresh process normal?"}},
       .subject = Subject::software,
       .next =
           "restart the process and time launches before and after the profiler; grep cupti /proc/PID/maps; "
           "TEARDOWN_CUPTI=1",
       .reading = {"https://docs.nvidia.com/cupti/main/main.html"},
       .examine = examine_cupti},
      {.name = "profiling_restricted",
       .title = "GPU performance counters are for administrators only: a profiler is refused",
       .what =
           "Since 418.43 NVIDIA's driver lets only administrators read the GPU's performance counters. ncu, and what asks "
           "CUPTI for them, ends with ERR_NVGPUCTRPERM or CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, as another user and in a "
           "container without the capability. Work on the GPU is not concerned.",
       .confirms = "ERR_NVGPUCTRPERM; CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, which is CUPTI's number 35",
       .excludes = "the tool reads counters",
       .confused_with = {{"cupti_left_attached", "is a profiler refused, or is a process slower after one?"},
                         {"driver_too_old", "is error 35 CUPTI's or CUDA's?"},
                         {"device_access_denied", "does the program run without the profiler?"}},
       .next =
           "grep RmProfilingAdminOnly /proc/driver/nvidia/params; for all users: options nvidia "
           "NVreg_RestrictProfilingToAdminUsers=0 in /etc/modprobe.d, rebuild the initramfs, reload the module or reboot; "
           "for one run sudo, or CAP_SYS_ADMIN (from 565 on CAP_PERFMON, too): docker run --cap-add=SYS_ADMIN",
       .reading = {"https://developer.nvidia.com/ERR_NVGPUCTRPERM"},
       .examine = examine_counters},
      {.name = "profiler_attached",
       .title = "A profiler, sanitizer or debugger is in the process",
       .what = "Injection variables or a preloaded library put a tool into the process that watches every "
               "call. Launches "
               "become slower or synchronous.",
       .moves = "launch --, gemm16 0, hbm 0",
       .stands_on = {"INJECTION", "NSYS", "NVPROF", "DEBUGGER", "SANITIZER", "QUADD", "CUDBG", "VTUNE",
                     "LD_PRELOAD"},
       .confirms = "an injection variable or preloaded tool; launches are normal without it",
       .excludes = "none is in the environment or in the process's maps",
       .confused_with = {{"cuda_launch_blocking", "is CUDA_LAUNCH_BLOCKING set?"},
                         {"cupti_left_attached", "is the tool attached now, or was it once?"}},
       .next = "env | grep -E 'INJECTION|LD_PRELOAD|NSYS'; grep -E 'cupti|sanitizer|nsys' /proc/PID/maps",
       .reading = {"https://docs.nvidia.com/nsight-systems/UserGuide/index.html"},
       .examine = examine_profiler},
      {.name = "framework_launch_overhead",
       .title = "The framework's own launch path became slower",
       .what = "A language binding or framework does more work per launch than before. An empty kernel "
               "launched natively "
               "costs what it always did, and kernels take as long as ever.",
       .moves = "launch --, hbm 0, gemm16 0",
       .confirms =
           "launches through the framework are slower, native ones normal; the older framework recovers",
       .excludes = "native launches are slower too",
       .confused_with = {{"driver_regression", "are native launches normal?"},
                         {"cgroup_cpu_limit", "is a pure processor benchmark normal?"},
                         {"cuda_launch_blocking", "is CUDA_LAUNCH_BLOCKING set?"}},
       .subject = Subject::software,
       .next = "gpugauge run --only 'launch/*' beside an empty kernel in the framework; bisect the framework",
       .reading = {"https://pytorch.org/blog/accelerating-pytorch-with-cuda-graphs/"},
       .examine = examine_framework_launch},
  };
}

}  // namespace gpugauge::diagnose

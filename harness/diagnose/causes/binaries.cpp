// Causes in the code that a binary contains for this GPU: machine code, PTX, or neither.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "diagnose/causes/predicates.hpp"
#include "stack/compat/version.hpp"
#include "stack/plan/binary.hpp"

namespace gpugauge::diagnose {
namespace {

const Words no_image_names{"cudaErrorNoKernelImageForDevice", "CUDA_ERROR_NO_BINARY_FOR_GPU",
                           "no kernel image is available", "no binary for gpu", "no kernel image found"};
const Words ptx_names{"cudaErrorUnsupportedPtxVersion",
                      "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
                      "PTX was compiled with an unsupported toolchain",
                      "Unsupported .version",
                      "unsupported PTX version",
                      "PTX*unsupported toolchain",
                      "newer PTX"};

/// True when an entry ("sm_86", "90a") is machine code that a GPU of this compute capability can run.
bool runs_on(std::string_view entry, const stack::Version& capability) {
  if (contains_any(entry, {"virtual", "compute_", "ptx"})) return false;
  constexpr std::size_t digits_most = 4;
  const std::size_t begin = std::min(entry.find_first_of("0123456789"), entry.size());
  stack::GpuCode code;
  std::size_t end = begin;
  for (; end < entry.size() && end - begin < digits_most && entry[end] >= '0' && entry[end] <= '9'; ++end)
    code.architecture = code.architecture * 10 + (entry[end] - '0');
  if (end < entry.size() && (entry[end] == 'a' || entry[end] == 'f')) code.suffix = entry[end];
  return code.architecture > 0 && stack::fits(code, capability.major(), capability.minor());
}

/// The binary's list of architectures has no machine code for this GPU.
Fact architecture_absent(const Seen& seen) {
  const Value* list = seen.inventory("cuda.arch_list");
  const auto capability = stack::Version::parse(seen.it().about.compute_capability);
  if (list == nullptr || !capability || list->items().empty()) return std::nullopt;
  for (const std::string& entry : list->items())
    if (runs_on(entry, *capability)) return std::nullopt;
  return fmt::format("compute capability {}, and the binary holds {}", seen.it().about.compute_capability,
                     list->text());
}

Fact only_virtual(const Seen& seen) {
  const Value* list = seen.inventory("cuda.arch_list");
  if (list == nullptr || list->items().empty()) return std::nullopt;
  for (const std::string& entry : list->items())
    if (!contains_any(entry, {"virtual", "compute_", "ptx"})) return std::nullopt;
  return fmt::format("the binary holds PTX only: {}", list->text());
}

Fact ptx_newer(const Seen& seen) {
  const Value* most = seen.inventory("driver.cuda_max");
  if (most == nullptr || !most->number()) return std::nullopt;
  const auto runs = stack::Version::parse(most->text());
  for (const char* key : {"cuda.toolkit", "cuda.runtime", "framework.cuda"}) {
    const Value* toolkit = seen.inventory(key);
    if (!runs || toolkit == nullptr || !toolkit->number()) continue;
    // A driver reports 13.0, and a toolkit's 13.0.88 is not newer.
    const auto version = stack::Version::parse(toolkit->text());
    if (version && version->first(runs->size()) > *runs)
      return fmt::format("{} = {} is newer than the driver's CUDA {}", key, toolkit->text(), most->text());
  }
  return std::nullopt;
}

void examine_arch(const Seen& seen, Argument& it) {
  const Fact error = seen.error(209, no_image_names);
  it.confirms(weight::proof, error);
  it.confirms(
      weight::proof,
      seen.told(
          {"is not compatible with the current PyTorch installation",
           "not compatible with the current*installation", "no SASS for", "was not compiled for this GPU",
           "not built for*sm_", "built*without support for*compute capability", "sm_*is not supported by",
           "no device code compatible with CUDA arch", "not compiled with any CUDA arch",
           "no longer supports this GPU because it is too old",
           "minimum cuda capability supported by this library", "has CUDA capability sm_*not compatible",
           "does not support*sm_", "compute capability*is not supported by this build",
           "not compiled*for*compute capability"}));
  it.confirms(weight::good, seen.error(98, {"cudaErrorInvalidDeviceFunction", "invalid device function"}));
  it.confirms(weight::good, seen.error(200, {"CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"}));
  if (seen.harm())
    it.confirms(error ? weight::fair : weight::good, both(architecture_absent(seen), seen.fails({})));
  it.confirms(weight::fair,
              seen.recovers_by({"arch", "sm_", "TORCH_CUDA_ARCH_LIST", "CMAKE_CUDA_ARCHITECTURES"}));
  it.at_most(bound::unnamed, seen.error(222, ptx_names));
}

void examine_ptx_newer(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, seen.error(222, ptx_names));
  // The program then does not run at all, so this cause makes nothing slower.
  if (seen.harm()) it.confirms(weight::fair, both(ptx_newer(seen), seen.fails({})));
  if (!it.evidence().empty()) it.confirms(weight::hint, seen.changed({"driver", "cuda"}));
  it.at_most(bound::unnamed, seen.error(209, no_image_names));
}

/// A start takes longer than the setup of all GPUs of a machine.
Fact takes_long(const Seen& seen) {
  constexpr double seconds = 40;
  for (const Metric* metric : seen.metrics({}))
    if (!metric->fails && metric->scope.phase != "warm" && seconds_of(*metric).value_or(0) >= seconds &&
        (metric->metric_class == "init" || metric->metric_class == "first_launch" ||
         metric->scope.phase == "startup" || metric->scope.phase == "first_call"))
      return fmt::format("it takes {:g} s to start", *seconds_of(*metric));
  return std::nullopt;
}

/// The same program starts fast on GPUs of another generation.
Fact other_gpus_start_fast(const Seen& seen) {
  if (Fact fact = seen.probe("swap_gpu", {"normal", "recovers"})) return fact;
  if (seen.it().about.compared_with == "peers") return "other GPUs start faster";
  return seen.told({"on earlier cards", "on older cards", "on other GPUs", "on the older GPU"});
}

/// Starting the driver compiles nothing. If it lost at least half as much, in logarithms, as the rest of the
/// start, a compiler does not explain the slowdown.
Fact driver_start_as_slow(const Seen& seen) {
  constexpr double part = .5;
  double rest = 1;
  const Metric* driver = nullptr;
  for (const Metric* metric : seen.metrics({"init", "first_launch"})) {
    if (!slower_by_figure(*metric)) continue;
    if (!contains(metric->scope.op, "driver_start"))
      rest = std::max(rest, *metric->factor);
    else if (driver == nullptr || *metric->factor > *driver->factor)
      driver = metric;
  }
  if (driver == nullptr || std::log(*driver->factor) < part * std::log(rest)) return std::nullopt;
  return in_words("what compiles nothing is as slow", sentence(*driver));
}

/// What was built for a CUDA that cannot make machine code for this GPU runs from its PTX.
Fact cuda_before_gpu(const Seen& seen) {
  const auto first = first_toolkit(seen);
  if (!first) return std::nullopt;
  for (const char* key : {"framework.cuda", "cuda.toolkit", "cuda.runtime"}) {
    const Value* cuda = seen.inventory(key);
    if (cuda == nullptr || !cuda->number()) continue;
    if (const auto version = stack::Version::parse(cuda->text()); version && *version < *first)
      return fmt::format("{} = {} is older than {}, the first with machine code for this GPU", key,
                         cuda->text(), first->text());
  }
  return std::nullopt;
}

/// Options that set the architectures for which code is built.
const Words built_for_words{"sm_",     "arch",          "cubin",        "TORCH_CUDA_ARCH_LIST",
                            "gencode", "generate_code", "generate-code"};

/// TensorFlow says so of a GPU that its build has no machine code for.
Fact compiles_at_start(const Seen& seen) {
  return seen.told(
      {"will be jit-compiled from PTX", "will be JIT-compiled from PTX", "kernels will be jit-compiled"});
}

/// The same was said again behind a restart.
Fact compiles_again(const Seen& seen) {
  int times = 0;
  bool restarted = false;
  for (const std::string& line : seen.it().log) {
    if (times > 0 && contains_any_word(line, {"restart", "second start", "started again", "new process",
                                              "run 2", "2nd run", "second run"}))
      restarted = true;
    if (contains(line, "jit-compiled from PTX")) ++times;
  }
  if (times < 2 || !restarted) return std::nullopt;
  return "log: kernels are compiled from PTX at one start and at the next";
}

/// The driver's cache is limited to less than large libraries need; its default is 256 MiB or more.
Fact cache_limited(const Seen& seen) {
  const auto found = seen.it().environment.find("CUDA_CACHE_MAXSIZE");
  if (found == seen.it().environment.end()) return std::nullopt;
  const std::optional<double> bytes = Value(found->second).number();
  constexpr double small = 64.0 * 1024 * 1024;
  if (!bytes || *bytes >= small) return std::nullopt;
  return fmt::format("CUDA_CACHE_MAXSIZE={} in the environment", found->second);
}

void examine_jit_startup(const Seen& seen, Argument& it) {
  const Fact slow = slow_start(seen);
  const Fact warm = warm_is_normal(seen);
  const Fact compiled = seen.told({"cuModuleLoadData", "cuLinkComplete", "nvrtc", "ptxas", "JIT",
                                   "0 sm_*cubin", "no cubin", "PTX", "compiling*kernel", "just-in-time"});
  if (slow) {
    // Hardly anything except a compiler takes that long.
    it.confirms(weight::fair, takes_long(seen));
    it.confirms(weight::hint, both(takes_long(seen), other_gpus_start_fast(seen)));
    it.confirms(weight::hint, seen.told({"first call", "first run", "first time", "every start", "each start",
                                         "first inference", "first launch", "first start", "first session",
                                         "first use", "first execution"}));
    it.confirms(weight::good, only_virtual(seen));
    it.confirms(weight::good, architecture_absent(seen));
    if (it.confirms(weight::good, cuda_before_gpu(seen)) && !compiled && !only_virtual(seen) &&
        !architecture_absent(seen) && !takes_long(seen))
      it.unproven(bound::unconfident, Fact("nothing says that it is compiled at the start"));
    it.confirms(weight::good, compiled);
    it.confirms(weight::fair, warm);
    it.confirms(weight::hint, slow);
    // The binary has code for the older GPU but not for the newer one.
    it.confirms(weight::hint, seen.probe("swap_gpu", {"normal", "recovers"}));
    it.confirms(weight::hint, seen.probe("repeat_in_fresh_process", {"recovers", "normal"}));
    it.confirms(weight::faint, seen.moved("memory_used_mib", {"rises_slowly"}));
    it.confirms(weight::good, seen.recovers_by(built_for_words));
  }
  if (slow || !seen.slower({})) it.confirms(weight::strong, compiles_at_start(seen));
  it.at_most(bound::below_half, compiles_again(seen));
  it.at_most(bound::below_half, cache_limited(seen));
  it.confirms(weight::strong, seen.environment("CUDA_FORCE_PTX_JIT", {"1", "true"}));
  it.confirms(weight::strong, seen.recovers_by({"FORCE_PTX_JIT"}));
  it.at_most(bound::unnamed,
             seen.recovers_by({"persistence", "CUDA_MODULE_LOADING", "CUDA_VISIBLE_DEVICES"}));
  it.at_most(bound::unnamed, either(seen.environment("CUDA_MODULE_LOADING", {"EAGER"}),
                                    seen.told({"CU_MODULE_EAGER_LOADING", "CUDA_MODULE_LOADING=EAGER"})));
  it.at_most(bound::weak, seen.unmoved_by({"FORCE_PTX_JIT"}));
  it.at_most(bound::below_half,
             either(seen.environment("CUDA_CACHE_DISABLE", {"1"}), seen.recovers_by({"CUDA_CACHE"})));
  it.at_most(bound::below_half, seen.on("cuda.jit_cache", {"read_only"}));
  it.at_most(bound::remote, seen.error(222, ptx_names));
  it.at_most(bound::unnamed, seen.slower({}, {.phase = "warm"}));
  it.at_most(bound::unnamed, driver_start_as_slow(seen));
  // Every first call takes longer than later ones. Without a figure it is unknown whether it takes too long.
  const Fact figure = either(seen.slower({"init", "first_launch"}, {}, much_slower_from),
                             either(seen.slower({}, {.phase = "startup"}, much_slower_from),
                                    seen.slower({}, {.phase = "first_call"}, much_slower_from)));
  const bool seconds = std::any_of(seen.it().metrics.begin(), seen.it().metrics.end(),
                                   [](const Metric& metric) { return seconds_of(metric).has_value(); });
  if (!figure && !seconds && !compiled && !only_virtual(seen) && !architecture_absent(seen) &&
      !cuda_before_gpu(seen) && !seen.told({"minutes", "delay of"}) &&
      !seen.environment("CUDA_FORCE_PTX_JIT") && !seen.recovers_by({"FORCE_PTX_JIT"}) &&
      !seen.recovers_by(built_for_words))
    it.at_most(bound::unnamed,
               either(warm, seen.probe("repeat_later", {"recovers", "normal"}))
                   ? Fact("the first call is slower than the next ones, as every first call is")
                   : Fact());
  // TensorRT times kernels for each layer at the first start, and again where its engine is not kept.
  if (!compiled && !only_virtual(seen) && !architecture_absent(seen))
    it.at_most(bound::unnamed, in_words("TensorRT builds its engine at the start",
                                        either(seen.on("framework.providers", {"TensorrtExecutionProvider"}),
                                               either(seen.slower({}, {.op = "TensorRT"}),
                                                      seen.slower({}, {.framework = "tensorrt"})))));
  // What fails waits for no compiler.
  it.at_most(bound::unnamed,
             either(seen.fails({}, {.phase = "startup"}), seen.fails({"init", "first_launch"})));
  // Tools that only query the driver have no kernel to compile.
  it.at_most(bound::unnamed, either(seen.slower({}, {.op = "nvidia-smi"}), seen.slower({}, {.op = "nvml"})));
}

void examine_cache(const Seen& seen, Argument& it) {
  const Fact again = seen.probe("repeat_in_fresh_process", {"slow", "no_change"});
  it.confirms(weight::strong, either(seen.environment("CUDA_CACHE_DISABLE", {"1", "true"}),
                                     seen.environment("CUDA_CACHE_MAXSIZE", {"0"})));
  it.confirms(weight::strong, seen.recovers_by({"CUDA_CACHE"}));
  it.confirms(weight::strong, compiles_again(seen));
  if (slow_start(seen) || compiles_at_start(seen)) it.confirms(weight::good, cache_limited(seen));
  it.confirms(weight::strong, seen.on("cuda.jit_cache", {"read_only"}));
  it.confirms(weight::good, seen.told({"read-only*.nv", ".nv/ComputeCache*denied", "ComputeCache*read-only",
                                       "cannot create*ComputeCache"}));
  if (slow_start(seen)) {
    it.confirms(weight::fair, again);
    if (again) it.confirms(weight::good, seen.on("cuda.jit_cache", {"empty"}));
    it.confirms(weight::hint, seen.on("cuda.jit_cache", {"empty"}));
    it.confirms(weight::hint, seen.told({"every start", "each start", "every run", "each run",
                                         "every process", "on every launch of the program"}));
  }
  it.rules_out(seen.probe("repeat_in_fresh_process", {"normal", "recovers"}));
  it.at_most(bound::unnamed, seen.unmoved_by({"CUDA_CACHE"}));
  it.at_most(bound::remote, seen.environment("CUDA_CACHE_DISABLE", {"0"}));
  it.at_most(bound::unnamed,
             seen.recovers_by({"persistence", "CUDA_MODULE_LOADING", "CUDA_VISIBLE_DEVICES"}));
  if (!slow_start(seen) && seen.compared())
    without_slowness(it, bound::unnamed, "the start", start_compared(seen));
}

}  // namespace

Signatures binary_causes() {
  return {
      {.name = "arch_not_in_binary",
       .title = "The binary holds neither machine code nor PTX for this GPU",
       .what = "A program carries code for the architectures it was compiled for. A GPU outside of them "
               "answers error 209 "
               "at the first kernel; listing devices still works.",
       .moves = "first_launch x",
       .confirms = "error 209, or the framework's own sentence about the architecture; the list of "
                   "architectures lacks it",
       .excludes = "error 222: then there is PTX, and it is too new",
       .confused_with = {{"ptx_newer_than_driver", "is the code 209 or 222?"},
                         {"ptx_jit_startup", "does it fail, or only take long to start?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next = "gpugauge doctor --binary FILE; python -c \"import torch; print(torch.cuda.get_arch_list())\"",
       .reading = {"https://docs.nvidia.com/cuda/cuda-compiler-driver-nvcc/index.html#gpu-compilation"},
       .examine = examine_arch},
      {.name = "ptx_newer_than_driver",
       .title = "The PTX comes from a newer toolkit than the driver can compile",
       .what = "Where there is no machine code for the GPU, the driver compiles the PTX. PTX of a newer "
               "toolkit than the "
               "driver's CUDA is refused with error 222.",
       .moves = "first_launch x",
       .confirms = "error 222; the toolkit of the PTX is newer than the driver's CUDA",
       .excludes = "error 209",
       .confused_with = {{"arch_not_in_binary", "is the code 222 or 209?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next = "update the driver, or build with machine code for this GPU (nvcc -gencode "
               "arch=compute_XX,code=sm_XX)",
       .reading = {"https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html"},
       .examine = examine_ptx_newer},
      {.name = "ptx_jit_startup",
       .title = "The first start compiles PTX for this GPU",
       .what = "A binary without machine code for the GPU is compiled by the driver at its first use, which "
               "takes seconds "
               "to minutes. Later starts read the cache; steady work is as fast as ever.",
       .moves = "first_launch --, init -, gemm16 0, launch 0",
       .confirms = "only PTX for this GPU in the binary; warm work is normal; the second start is fast",
       .excludes = "warm work is slow too; starting the driver, which compiles nothing, is as slow; "
                   "persistence mode or module loading recovers",
       .confused_with = {{"jit_cache_disabled", "is the second start in a fresh process as slow?"},
                         {"persistence_mode_off", "does nvidia-smi -pm 1 recover?"},
                         {"eager_module_loading", "is CUDA_MODULE_LOADING=EAGER set?"}},
       .subject = Subject::software,
       .next = "gpugauge doctor --binary FILE; cuobjdump --list-elf FILE; start it twice and time both",
       .reading = {"https://developer.nvidia.com/blog/cuda-pro-tip-understand-fat-binaries-jit-caching/"},
       .examine = examine_jit_startup},
      {.name = "jit_cache_disabled",
       .title = "What the driver compiles is not kept: every start compiles again",
       .what = "The driver keeps compiled PTX in ~/.nv/ComputeCache. With CUDA_CACHE_DISABLE, a cache that "
               "may not be "
               "written, or one that is too small, every process compiles anew.",
       .moves = "first_launch --, init -",
       .stands_on = {"CUDA_CACHE", "jit_cache"},
       .confirms = "a fresh process is as slow as the first; the cache is off, empty or read-only",
       .excludes = "the second start is fast",
       .confused_with = {{"ptx_jit_startup", "is the second start in a fresh process fast?"},
                         {"persistence_mode_off", "does nvidia-smi -pm 1 recover?"}},
       .next = "ls -la ~/.nv/ComputeCache; env | grep CUDA_CACHE; CUDA_CACHE_DISABLE=0 "
               "CUDA_CACHE_MAXSIZE=4294967296 "
               "./program",
       .reading = {"https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#env-vars"},
       .examine = examine_cache},
  };
}

}  // namespace gpugauge::diagnose

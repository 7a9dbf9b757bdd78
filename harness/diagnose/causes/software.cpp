// The machine is healthy; code, compilers or frameworks above it changed.
#include <fmt/format.h>

#include "diagnose/causes/own_code.hpp"
#include "diagnose/causes/told_figures.hpp"
#include "diagnose/vocabulary.hpp"
#include "stack/compat/version.hpp"

namespace gpugauge::diagnose {
namespace {

/// Number of the machine's classes that our own benchmarks show unchanged.
int canaries_unchanged(const Seen& seen) {
  int count = 0;
  for (const std::string_view name :
       {"gemm16", "gemm32", "hbm", "launch", "h2d", "d2h", "conv", "p2p", "l2", "host_cpu"})
    count += seen.unchanged({name}) ? 1 : 0;
  return count;
}

Fact library_normal(const Seen& seen) {
  for (const std::string_view name : {"cublas", "cudnn", "cufft"})
    if (Fact fact = seen.unchanged({}, {.library = name})) return fact;
  return seen.probe("native_benchmark", {"normal", "succeeds"});
}

/// An option known only to the program was switched, and the harm went away.
Fact own_option(const Seen& seen) {
  for (const Probe& probe : seen.it().probes) {
    if (probe.name != "change_setting" || probe.outcome != "recovers") continue;
    // Upper-case variables and the machine's own switches belong to others.
    const std::string name = probe.detail.substr(0, probe.detail.find('='));
    const bool capital = name.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string::npos;
    const bool machine = contains_any(
        name, {"nvidia", "clock",     "power",  "driver", "kernel", "bios",   "iommu",  "acs",
               "gsp",    "persist",   "ecc",    "mig",    "cuda",   "nccl",   "reboot", "fan",
               "slot",   "riser",     "cable",  "board",  "pcie",   "numa",   "cpu",    "affinity",
               "cgroup", "container", "docker", "shm",    "reseat", "bridge", "module", "psu"});
    if (!name.empty() && !capital && !machine)
      return recovering(fmt::format("tried: {} recovers, which is the program's own", probe.detail));
  }
  return std::nullopt;
}

/// The same source was compiled by another compiler.
Fact compiler_switched(const Seen& seen) {
  return seen.probe("change_setting", {"recovers"}, {"compiler", "nvrtc", "nvcc", "ptxas", "clang", "llvm"});
}

void examine_application(const Seen& seen, Argument& it) {
  const Fact slow = slow_application(seen);
  it.confirms(weight::strong, seen.undone("application", {"recovers"}));
  // The requested model does not fit into GPU memory, so the program keeps part of the work on the processor.
  const Fact too_large =
      seen.recovers_by({"num_ctx", "context", "ctx", "smaller model", "model=smaller", "quantization",
                        "max_model_len", "gpu_layers", "n_gpu_layers", "batch_size", "num_gpu="});
  it.confirms(weight::good, both(gpu_not_used(seen), too_large));
  // The share of work on the GPU is the program's own option.
  it.confirms(weight::good, both(slow, seen.recovers_by({"gpu_layers", "n_gpu_layers", "ngl", "num_gpu="})));
  // The program used the GPU before, so its own processor work is what grows.
  const Fact waits = both(seen.on("drift", {"worse_with_time"}), gpu_not_used(seen));
  it.confirms(weight::fair, both(slow, waits));
  // One part of the program is slow and recovers with the program's own option; another part is unchanged.
  it.confirms(weight::fair, both(seen.unchanged({"application"}, {.phase = "decode"}), own_option(seen)));
  it.confirms(weight::fair, both(split_class(seen, {"application"}), own_option(seen)));
  if (!it.evidence().empty() && seen.number("utilization_percent").value_or(100) < 50)
    it.confirms(weight::hint, Fact("the GPU was mostly idle"));
  it.at_most(bound::half, both(seen.changed({"application"}), compiler_switched(seen)));
  // The GPU draws so little power that hardly anything runs on it; the program may have lost its CUDA part.
  it.at_most(bound::likely, seen.below("power_w", "power_expected_w", .5));
  if (slow) {
    it.confirms(weight::good, seen.changed({"application"}));
    const int canaries = canaries_unchanged(seen);
    if (canaries >= 2)
      it.confirms(weight::good, fmt::format("{} classes of the machine are unchanged", canaries));
    it.confirms(weight::fair, both(seen.probe("native_benchmark", {"normal", "succeeds"}),
                                   Fact("only the application is slower")));
    if (!it.evidence().empty())
      it.confirms(weight::hint, seen.changed_only({"application"})
                                    ? Fact("no other version is known to have changed")
                                    : Fact());
  } else {
    it.confirms(weight::good, both(slow_own_code(seen), seen.changed({"application"})));
  }
  it.rules_out(seen.undone("application", {"no_change", "worse"}));
  it.at_most(
      bound::unnamed,
      seen.slower({"gemm16", "hbm", "launch", "h2d", "d2h", "p2p", "l2", "host_cpu"}, {.library = {}}) &&
              !seen.changed({"application"})
          ? seen.slower({"gemm16", "hbm", "launch", "h2d", "d2h", "p2p", "l2", "host_cpu"})
          : Fact());
  if (!too_large && !waits) it.at_most(bound::unnamed, gpu_not_used(seen));
  // An error is different from a slowdown and has its own mechanism.
  if (!seen.it().errors.empty() || seen.said({"cudaError", "CUDA_ERROR_", "CUDA error", "RuntimeError"}))
    it.at_most(bound::half, Fact("an error was reported"));
  if (!seen.slower({})) it.unproven(bound::likely, Fact("nothing is known to be slower"));
  if (seen.it().changed && seen.it().changed->contains("application") &&
      seen.it().changed->at("application").before.is_null() && !seen.undone("application", {"recovers"}))
    it.unproven(bound::over_half, Fact("the version before is not known"));
  it.at_most(bound::unnamed, seen.changed({"application"}) ? Fact() : low_clock(seen));
  it.at_most(bound::unnamed, two_programs(seen, "application"));
  if (!seen.changed({"application"}))
    it.at_most(bound::weak, seen.changed({"driver", "nccl", "cudnn", "cublas", "framework", "container"}));
}

void examine_codegen(const Seen& seen, Argument& it) {
  const Fact lost = seen.instruction_lost();
  const Fact slow = either(slow_own_code(seen), slow_application(seen));
  it.confirms(weight::strong, lost);
  it.confirms(weight::good,
              both(seen.slower({}),
                   seen.told({"fma contraction", "nvptx-fma", "--fmad", "use_fast_math", "-O0", "debug build",
                              "nvcc*-G ", "-G -g", "maxrregcount", "opt level", "lineinfo only"})));
  it.confirms(
      weight::strong,
      both(seen.slower({}), seen.recovers_by({"fmad", "fast_math", "fast-math", "-O3", "-O2", "opt_level",
                                              "compile flag", "nvcc -G", "-G=", "debug=off", "NDEBUG"})));
  it.confirms(weight::strong, both(slow_application(seen), compiler_switched(seen)));
  // It is the library's own mode, which no compiler sets.
  it.at_most(bound::weak, seen.recovers_by({"math_mode", "math mode", "cublasSetMathMode"}));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, slow);
    it.confirms(weight::fair, library_normal(seen));
    it.confirms(weight::hint, either(seen.changed({"framework", "application", "cuda"}), Fact()));
    it.confirms(weight::hint,
                either(seen.undone("framework", {"recovers"}), seen.undone("application", {"recovers"})));
  }
}

/// The start of architectures that CUDA 13 and earlier ones took out: the compiler that refuses one is too new for it.
const Words dropped_architectures{"'sm_2",      "'sm_3",      "'sm_5",        "'sm_6",
                                  "'sm_70'",    "'sm_72'",    "'compute_2",   "'compute_3",
                                  "'compute_5", "'compute_6", "'compute_70'", "'compute_72'"};

/// GPUs of those architectures by their names: Maxwell, Pascal and Volta.
const Words dropped_gpus{"GTX 750",   "GTX 950",   "GTX 960",   "GTX 970",   "GTX 980",    "GTX 1050",
                         "GTX 1060",  "GTX 1070",  "GTX 1080",  "TITAN X",   "TITAN Xp",   "TITAN V",
                         "Tesla M40", "Tesla M60", "Tesla P4",  "Tesla P40", "Tesla P100", "Tesla V100",
                         "V100",      "P100",      "Quadro P*", "Quadro M*", "GT 1030",    "Quadro GV100"};

/// The run-time compiler refuses the architecture of the GPU that it compiles for.
Fact refused_at_run_time(const Seen& seen) {
  return seen.told({"nvrtc: error: invalid value for --gpu-architecture"});
}

Fact on_dropped_gpu(const Seen& seen) {
  return seen.gpu_is(dropped_gpus);
}

/// ptxas or nvcc does not know the architecture that it is asked for. "native" on a machine without a GPU is none:
/// "compute_No CUDA devices found."
Fact architecture_unknown(const Seen& seen) {
  Fact named = seen.told({"Value 'sm_*is not defined", "Value 'compute_*is not defined",
                          "unsupported gpu architecture", "unsupported CUDA gpu architecture"},
                         dropped_architectures);
  if (contains_any(named.value_or(""), {"compute_No", "compute_native", "No CUDA devices"})) named.reset();
  const Fact refused = refused_at_run_time(seen);
  return named || !refused || on_dropped_gpu(seen) ? named : refused;
}

void examine_dropped(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, seen.told({"Value 'sm_2*is not defined", "Value 'sm_3*is not defined",
                                        "gpu architecture 'compute_2", "gpu architecture 'compute_3",
                                        "gpu architecture 'sm_2", "gpu architecture 'sm_3"}));
  const Fact later = seen.told(
      {"Value 'sm_5*is not defined", "Value 'sm_6*is not defined", "Value 'sm_70'*is not defined",
       "Value 'sm_72'*is not defined", "Value 'compute_5*is not defined", "Value 'compute_6*is not defined",
       "gpu architecture 'compute_5", "gpu architecture 'compute_6", "gpu architecture 'compute_70'",
       "gpu architecture 'compute_72'", "gpu architecture 'sm_5", "gpu architecture 'sm_6",
       "gpu architecture 'sm_70'", "gpu architecture 'sm_72'"});
  it.confirms(weight::strong, both(refused_at_run_time(seen), on_dropped_gpu(seen)));
  if (it.evidence().empty() && it.confirms(weight::strong, later)) {
    constexpr int first_without = 13;
    const Value* const toolkit = seen.inventory("cuda.toolkit");
    const auto version = stack::Version::parse(toolkit != nullptr ? toolkit->text() : told_toolkit(seen));
    if (!version)
      it.unproven(bound::unconfident, Fact("a toolkit from before the architecture does not know it either"));
    else if (version->major() < first_without)
      it.at_most(bound::remote,
                 Fact(fmt::format("the toolkit, {}, is from before CUDA 13", version->text())));
  }
  if (it.evidence().empty()) return;
  it.explains_failure();
  it.is_an_event();
  it.confirms(weight::strong,
              seen.recovers_by({"arch", "sm_", "compute_", "gencode", "toolkit", "cuda=", "nvcc"}));
}

void examine_toolkit(const Seen& seen, Argument& it) {
  const Fact own = either(slow_own_code(seen), seen.slower({}, {.library = own_library}));
  const Fact slow = either(own, either(slow_application(seen), seen.slower(compute_classes)));
  Fact newer = seen.probe("change_version", {"recovers"},
                          {"cuda.toolkit", "toolkit", "nvcc", "ptxas", "cuda=", "compiler"});
  if (contains_any(newer.value_or(""), {"container_toolkit", "container-toolkit"})) newer.reset();
  const char* const key = seen.inventory("cuda.toolkit") != nullptr ? "cuda.toolkit" : "framework.cuda";
  const Value* toolkit = seen.inventory(key);
  const Fact unknown = architecture_unknown(seen);
  if (it.confirms(weight::proof, unknown)) {
    it.explains_failure();
    it.is_an_event();
    it.confirms(weight::strong, newer);
    it.confirms(weight::strong, seen.recovers_by({"PTXAS_PATH", "CUDA_HOME", "CUDACXX"}));
    return;
  }
  it.confirms(weight::good, both(own, library_normal(seen)));
  if (slow && !seen.changed({"cuda"})) it.confirms(weight::strong, newer);
  // A newer CUDA also brings newer libraries.
  if (!own && !contains_any(newer.value_or(""), {"toolkit", "nvcc", "ptxas", "compiler"}))
    it.unproven(seen.slower(compute_classes) ? bound::half : bound::likely,
                Fact("no kernel of the user's own is known to be slow"));
  const auto first = first_toolkit(seen);
  const std::string told = toolkit == nullptr ? told_toolkit(seen) : "";
  const std::string version = toolkit != nullptr && toolkit->number() ? toolkit->text() : told;
  const auto known = stack::Version::parse(version);
  const bool too_old = known && first && *known < *first;
  if (slow && too_old)
    it.confirms(weight::good,
                fmt::format("{} = {} is older than {}, the first for this GPU", key, version, first->text()));
  if (!it.evidence().empty()) it.confirms(weight::hint, own);
  if (!newer && !too_old) {
    if (known && first)
      it.at_most(bound::last_named, Fact(fmt::format("{} = {} knows this GPU", key, version)));
    else
      it.unproven(bound::last_named, Fact("no toolkit is known to be too old"));
  }
  it.at_most(bound::unnamed, seen.error(209, {"no kernel image is available"}));
  // A compiler that does not know the GPU lacks its instructions.
  if (!too_old) it.at_most(bound::below_half, seen.instruction_lost());
  if (only_starts(seen)) it.at_most(bound::weak, in_words("only the start is slow", slow_start(seen)));
  if (!seen.slower(compute_classes) && !slow_application(seen))
    it.at_most(bound::remote, seen.slower({"h2d", "d2h", "p2p"}) ? Fact("only copies are slower") : Fact());
}

}  // namespace

Fact slow_application(const Seen& seen) {
  return seen.slower(application_classes);
}

namespace {

/// The user's own kernel libraries and compilers, not the vendor's.
const Words own_code{"cutlass", "deep_gemm", "deepgemm", "triton", "custom", "jit", "flash", "thrust",
                     "marlin",  "extension", "numba",    "cupy",   "julia",  ".jl", "xla",   "tvm"};

void examine_mpi_library(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, seen.told({"GTL library is not linked"}));
  if (it.evidence().empty()) return;
  it.explains_failure();
  it.is_an_event();
}

}  // namespace

Fact slow_own_code(const Seen& seen) {
  for (const std::string_view name : own_code) {
    if (Fact fact = seen.slower({}, {.library = name})) return fact;
    if (Fact fact = seen.slower({}, {.op = name})) return fact;
    if (Fact fact = seen.slower({}, {.framework = name})) return fact;
  }
  return std::nullopt;
}

Signatures software_causes() {
  return {
      {.name = "app_kernel_regression",
       .title = "The application alone became slower; the machine is unchanged",
       .what = "What measures the machine is as fast as ever, and the application's own code changed. It is "
               "not the machine's "
               "fault.",
       .moves = "gemm16 0, hbm 0, launch 0",
       .confirms = "all classes of the machine unchanged; another commit of the application recovers",
       .excludes = "a class of the machine is slower too",
       .confused_with = {{"framework_op_regression", "is the slow operation the framework's?"},
                         {"hidden_power_state", "does it draw less power than before?"},
                         {"stack_upgrade_mixed", "did anything below the application change?"}},
       .severity = Severity::note,
       .subject = Subject::software,
       .next = "bisect the application with the same machine and stack",
       .reading = {"https://git-scm.com/docs/git-bisect"},
       .examine = examine_application},
      {.name = "codegen_flag_lost",
       .title = "A compiler flag was lost: instructions are missing from the machine code",
       .what = "Kernels that are compiled here, ahead or at run time, lost an option: no fused multiply-add, "
               "no optimisation, "
               "no vector loads. Library kernels are as fast as ever.",
       .moves = "gemm16 0, hbm 0",
       .confirms =
           "the machine code lacks an instruction that it had; own kernels slow, library kernels normal",
       .excludes = "library kernels are slower too",
       .confused_with = {{"tf32_disabled_by_framework_default", "are library products slower too?"},
                         {"old_toolkit_codegen", "does a newer compiler recover, with the same flags?"},
                         {"framework_op_regression", "does the machine code differ?"}},
       .subject = Subject::software,
       .next = "cuobjdump -sass old new | grep -c FFMA; compare the compilers' command lines",
       .reading = {"https://docs.nvidia.com/cuda/cuda-binary-utilities/index.html"},
       .examine = examine_codegen},
      {.name = "old_toolkit_codegen",
       .title =
           "The compiler is too old for this GPU: it does not know the architecture, or its kernels are slow",
       .what =
           "A toolkit that is older than the architecture refuses it: \"Value 'sm_121a' is not defined for option "
           "'gpu-name'\", \"Unsupported gpu architecture\". Told to compile for an older architecture, or in its first "
           "release for the new one, it makes code that does not use what the GPU has. Triton brings a ptxas of its "
           "own. Library kernels are not concerned.",
       .confirms =
           "ptxas or nvcc says that it does not know the architecture; own kernels slow beside library kernels; "
           "a newer toolkit recovers",
       .excludes =
           "a kernel is missing altogether (error 209); a newer toolkit changes nothing; the architecture is one "
           "that newer toolkits dropped",
       .confused_with = {{"arch_not_in_binary",
                          "does it fail with 209 when it runs, or does the compiler refuse it?"},
                         {"ptx_jit_startup", "is only the first start slow?"},
                         {"app_kernel_regression", "does a newer compiler recover with the same source?"}},
       .severity = Severity::warning,
       .subject = Subject::software,
       .next = "nvcc --version, and ptxas --version of the one that the error names; Triton: a newer one, or "
               "TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas of a newer toolkit; look into CMakeCache.txt for "
               "CMAKE_CUDA_COMPILER (a cache keeps the old one); rebuild",
       .reading = {"https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/index.html"},
       .examine = examine_toolkit},
      {.name = "gpu_dropped_by_toolkit",
       .title = "The compiler no longer makes code for an architecture that is asked for",
       .what =
           "Newer toolkits leave old architectures out: CUDA 11 Kepler's 3.0, CUDA 12 the rest of Kepler, CUDA 13 what is "
           "older than 7.5. A build that lists one of them is refused, whichever GPU is here.",
       .confirms = "ptxas or nvcc refuses an architecture below 7.5",
       .excludes = "the architecture is newer than the toolkit",
       .confused_with = {{"old_toolkit_codegen", "is the architecture older than the toolkit, or newer?"},
                         {"arch_not_in_binary",
                          "is it the compiler that refuses it, or does it fail when it runs?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next =
           "nvidia-smi --query-gpu=name,compute_cap --format=csv; without such a GPU take the architecture out of the build "
           "(CMAKE_CUDA_ARCHITECTURES, TORCH_CUDA_ARCH_LIST, -gencode); with one, build with an older toolkit",
       .reading = {"https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/index.html"},
       .examine = examine_dropped},
      {.name = "mpi_gpu_library_not_linked",
       .title = "Cray MPICH is told to use GPUs, and its library for them is not linked",
       .what =
           "With MPICH_GPU_SUPPORT_ENABLED=1 MPI takes addresses of GPU memory. For that it needs its GPU transport layer "
           "(libmpi_gtl_cuda), which the wrappers cc and CC link where a module for the GPU is loaded. A program without "
           "it ends when it starts MPI.",
       .confirms = "MPIDI_CRAY_init says that the GTL library is not linked",
       .excludes = "the program has libmpi_gtl_cuda",
       .confused_with = {{"missing_cuda_libraries", "does the loader name a file that it cannot open?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next =
           "ldd PROGRAM | grep gtl; load the module of the GPU (craype-accel-nvidia80, -nvidia90) and link anew with cc "
           "or CC; where MPI is given memory of the host only: MPICH_GPU_SUPPORT_ENABLED=0",
       .reading = {"https://github.com/JuliaParallel/MPI.jl/pull/716",
                   "https://github.com/eth-cscs/cscs-docs/pull/40"},
       .examine = examine_mpi_library},
  };
}

}  // namespace gpugauge::diagnose

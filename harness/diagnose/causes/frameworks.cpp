// Work that was meant for the GPU but ran on the processor.
#include <cmath>

#include <fmt/format.h>

#include "diagnose/causes/printed.hpp"

namespace gpugauge::diagnose {
namespace {

const Words provider_unknown{"is not in available provider names", "not in available providers",
                             "CUDAExecutionProvider*not available"};

/// The framework itself reports that it was built without CUDA.
Fact says_no_cuda(const Seen& seen) {
  // What CMake does not find at first it may find at the next place.
  if ((gpu_not_used(seen) || seen.slower(application_classes)) &&
      !seen.told({"Found CUDAToolkit", "CUDA: ON", "USE_CUDA: ON", "is_available() True", "not enabled: no"}))
    if (Fact fact = seen.told({"Could NOT find CUDAToolkit", "Could NOT find CUDA ("})) return fact;
  // llama.cpp names its backends; one for CUDA stands beside that of BLAS.
  if (Fact fact = seen.told({"BLAS = 0", "BLAS=0"}, {"CUDA :", "CUDA:"})) return fact;
  // Ollama lists the parts that it was shipped with.
  if (Fact fact = seen.told({"runners=[cpu", "runners=\"[cpu", "compatible gpu libraries*compatible=[]"},
                            {"cuda", "rocm", "metal"}))
    return fact;
  return seen.told(
      {"not compiled with GPU offload", "compiled without GPU", "compiled without CUDA",
       "without CUDA support", "without GPU support", "not compiled with CUDA", "not built with CUDA",
       "not built with GPU", "built without CUDA", "no CUDA symbols", "no CUDA backend",
       "CUDA is not enabled in this build", "CUDA support*not enabled", "requires a CUDA build",
       "not compiled with cuda enabled", "gpu-layers option will be ignored",
       "GPU support*disabled at compile", "not compiled to use CUDA", "not compiled with GPU support",
       "not enabled in this build", "Compile with USE_CUDA=1", "without CUDA enabled", "no CUDA support",
       "GPU support is not enabled", "built without GPU", "USE_CUDA=OFF", "USE_CUDA: OFF", "USE_CUDA*: OFF",
       "mpi_built_with_cuda_support:value:false", "GGML_CUDA=OFF", "CUDA: NO", "compiled with CUDA: no",
       "no CUDA runners", "no GPU runners",
       // FFmpeg and GStreamer
       "Unknown encoder*nvenc", "Unknown encoder*_nvenc", "Unknown decoder*_cuvid",
       "No such filter: 'scale_cuda'", "No such filter: 'scale_npp'", "No such filter: 'yadif_cuda'",
       "No such filter: 'overlay_cuda'", "Unrecognized hwaccel: cuda", "Unrecognized hwaccel: nvdec",
       "no element \"nvh264", "no element \"nvh265", "no element \"cuda",
       // GROMACS, LAMMPS, dlib, darknet
       "GPU support:*disabled", "build does not support GPU", "without GPU package enabled",
       "DLIB_USE_CUDA*False", "GPU isn't used"},
      // TensorFlow says so of a GPU for which it compiles; a name may end in "cuda", and an error follow.
      {"not built with CUDA kernel binaries", "cuda: no kernel", "cuda: no device", "cuda: no cuda",
       "cuda: not", "cuda: no such"});
}

/// The reporter compiled the program, and the commands that are told name no CUDA.
Fact compiled_plainly(const Seen& seen) {
  return seen.told(
      {"cmake -B build", "cmake --build", "plain cmake", "plain make", "just make", "ran make", "with make",
       "./configure", "compiled it myself", "built it myself", "compiled from source", "built from source",
       "build from source", "from source", "cargo build"},
      {"CUDA=ON", "CUDA=1", "CUBLAS=", "--enable-cuda", "--with-cuda", "cuda-nvcc", "GPU=1"});
}

/// What the program shall put on the GPU changes nothing, in this build; another build of it uses the GPU.
void examine_plain_build(const Seen& seen, Argument& it) {
  const Fact plain = compiled_plainly(seen);
  if (!plain) return;
  const Fact ignored = seen.unmoved_by({"ngl", "-ngl", "n_gpu_layers", "n-gpu-layers", "gpu_layers",
                                        "gpu-layers", "device=cuda", "--gpu", "hwaccel"});
  const Words other{"prebuilt", "pre-built", "release", "official", "binary", "package", "wheel", "image"};
  const Fact build = either(seen.probe("other_library", {"recovers"}, other),
                            seen.probe("change_version", {"recovers"}, other));
  const Fact idle = gpu_not_used(seen);
  if (!ignored && !idle) return;
  it.confirms(weight::good, both(plain, either(ignored, idle)));
  it.confirms(weight::good, both(plain, build));
}

Fact own_build(const Seen& seen) {
  return either(seen.on("framework.origin", {"own_build", "source"}),
                seen.on("framework.origin", {"package"}));
}

Fact cpu_build(const Seen& seen) {
  return seen.on("framework.build", {"cpu"});
}

/// The framework is known to be built without CUDA: the key exists and says so.
Fact no_framework_cuda(const Seen& seen) {
  const Value* cuda = seen.inventory("framework.cuda");
  if (cuda == nullptr || cuda->on()) return std::nullopt;
  return "the framework was built for no CUDA";
}

/// The reporter saw that a model stays in the processor's memory.
Fact not_put_on_gpu(const Seen& seen) {
  return seen.told({"no longer loaded into*GPU", "no longer loaded*VRAM", "not loaded into*GPU",
                    "not loaded*VRAM", "no longer*GPU memory", "no longer*on the GPU", "no longer use*GPU",
                    "not offloaded"});
}

/// ONNX Runtime offers no provider for CUDA.
Fact cuda_not_offered(const Seen& seen) {
  return either(seen.told(provider_unknown), seen.told({"['AzureExecutionProvider', 'CPUExecutionProvider']",
                                                        "['CPUExecutionProvider']"}));
}

/// Many things keep a model off the GPU. The build is the first suspect, unproven without other evidence.
void examine_memory_left(const Seen& seen, Argument& it) {
  const bool alone = it.evidence().empty();
  if (!it.confirms(weight::good, left_gpu_memory(seen))) return;
  it.confirms(weight::fair, not_put_on_gpu(seen));
  if (alone) it.unproven(bound::unconfident, Fact("nothing tells how it was built"));
}

/// A session was asked for CUDA and says that it has the processor only.
Fact session_without_cuda(const Seen& seen) {
  return seen.told(
      {"get_providers*only CPUExecutionProvider", "get_providers*['CPUExecutionProvider']",
       "get_providers*[\"CPUExecutionProvider\"]", "session*only CPUExecutionProvider",
       "only CPUExecutionProvider", "providers: ['CPUExecutionProvider']"},
      {"get_available_providers*only", "get_available_providers*['CPU", "available providers: ['CPU"});
}

void examine_ort(const Seen& seen, Argument& it) {
  const Fact session = session_without_cuda(seen);
  const Fact ort =
      either(seen.framework_is({"onnxruntime", "onnx runtime", "ort"}),
             both(session,
                  seen.told({"InferenceSession", "onnxruntime", "ort.get_device", "CUDAExecutionProvider"})));
  if (ort && it.confirms(weight::good, session)) {
    it.confirms(weight::fair, seen.told({"get_device*GPU", "get_available_providers*CUDA"}));
    it.confirms(weight::good,
                seen.recovers_by({"cudnn", "cublas", "cuda", "LD_LIBRARY_PATH", "zlibwapi", "msvc", "PATH"}));
  }
  const Fact line = seen.told({"Failed to create CUDAExecutionProvider",
                               "Failed to create TensorrtExecutionProvider", "onnxruntime_providers_cuda",
                               "onnxruntime_providers_shared", "falling back to*CPUExecutionProvider",
                               "fallback to*CPUExecutionProvider", "CUDA execution provider*not enabled"});
  it.confirms(weight::proof, line);
  if (ort) {
    it.confirms(weight::good, gpu_not_used(seen));
    for (const ErrorSeen& error : seen.it().errors)
      if (error.api == "loader" && gpu_not_used(seen)) it.confirms(weight::good, "loader: " + error.text);
    it.confirms(weight::fair, seen.on("libraries.missing"));
    it.confirms(weight::fair, seen.told({"LoadLibrary failed", "error 126", "cannot open shared object"}));
    const Value* providers = seen.inventory("framework.providers");
    if (providers != nullptr && !contains(providers->text(), "CUDA"))
      it.confirms(weight::fair, fmt::format("active providers: {}", providers->text()));
    const Value* built = seen.inventory("framework.cuda");
    for (const char* key : {"cuda.toolkit", "cuda.runtime"}) {
      const Value* here = seen.inventory(key);
      if (built == nullptr || here == nullptr || !built->number() || !here->number()) continue;
      if (std::floor(*built->number()) != std::floor(*here->number()))
        it.confirms(weight::fair,
                    fmt::format("built for CUDA {}, {} = {}", built->text(), key, here->text()));
    }
    it.confirms(weight::hint, ort);
  }
  if (!line)
    it.at_most(bound::remote, in_words("the package without CUDA came last",
                                       both(both_onnxruntimes(seen), cuda_not_offered(seen))));
  if (!line) {
    it.at_most(bound::below_half, seen.told(provider_unknown));
    it.at_most(bound::unnamed, cpu_build(seen));
    it.at_most(bound::unnamed, says_no_cuda(seen));
  }
  if (!ort && !line) {
    if (framework_known(seen))
      it.at_most(bound::remote, Fact("it is not ONNX Runtime"));
    else
      it.unproven(bound::remote, Fact("it is not known to be ONNX Runtime"));
  }
  const Value* offered = seen.inventory("framework.providers");
  const bool only_processor = offered != nullptr && !contains_any(offered->text(), {"CUDA", "Tensorrt"});
  if (ort && only_processor)
    it.confirms(weight::fair, seen.told({"not offered", "not available", "no longer offered", "not listed",
                                         "is missing", "is gone", "instead of CUDA", "on the CPU"}));
  if (ort && !line && !session && !gpu_not_used(seen) && !seen.on("libraries.missing") && !only_processor)
    it.unproven(bound::unnamed, Fact("it was not seen to run on the processor"));
}

void examine_cpu_wheel(const Seen& seen, Argument& it) {
  const Value* version = seen.inventory("framework.version");
  if (version != nullptr && contains_any(version->text(), {"+cpu", "-cpu", "_cpu", ".cpu", "cpu_", "(cpu)"}))
    it.confirms(weight::proof, fmt::format("framework.version = {}", version->text()));
  it.confirms(weight::strong, either(seen.on("framework.name", {"-cpu", "_cpu"}), cpu_build(seen)));
  it.confirms(weight::good, no_framework_cuda(seen));
  it.confirms(weight::strong,
              seen.told({"CUDA-enabled jaxlib is not installed", "No GPU/TPU found, falling back to CPU",
                         "not compiled with CUDA enabled", "+cpu",
                         "GPU support is not available on native Windows", "tensorflow-cpu",
                         "CPU-only version", "cpuonly", "torch.version.cuda*None", "is_built_with_cuda*False",
                         "faiss-cpu", "cpu-only build", "CPU only build", "has no attribute '_cuda_"}));
  examine_memory_left(seen, it);
  it.confirms(weight::good, seen.told(provider_unknown));
  it.confirms(weight::strong, both(both_onnxruntimes(seen), cuda_not_offered(seen)));
  it.confirms(weight::good,
              both(either(gpu_not_used(seen), seen.fails({})),
                   seen.recovers_by({"+cu1", "cu118", "cu121", "cu124", "cu126", "cu128", "cudatoolkit",
                                     "pytorch-cuda", "onnxruntime-gpu", "tensorflow-gpu", "jax[cuda",
                                     "cuda wheel", "gpu build", "cuda build", "index-url", "faiss-gpu"})));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, seen.on("framework.origin", {"wheel", "package"}));
    it.confirms(weight::hint, gpu_not_used(seen));
    it.confirms(weight::faint, seen.probe("nvml_query", {"succeeds", "normal"}));
    it.confirms(weight::fair, seen.probe("native_benchmark", {"normal", "succeeds"}));
  }
  it.at_most(bound::weak, seen.on("framework.origin", {"own_build", "source"}));
  it.at_most(bound::below_half,
             seen.told({"not compiled with GPU offload", "compiled without CUDA", "without GPU support"}));
  // Without a driver nothing reaches a GPU. A build without CUDA would not reach one with a driver either.
  if (!cpu_build(seen)) it.at_most(bound::unnamed, seen.probe("nvml_query", {"fails"}));
  it.rules_out(seen.on("framework.build", {"cuda"}));
  // JAX also reports a missing CUDA build when the installed one cannot load its libraries.
  it.at_most(bound::unnamed, seen.told({"Unable to load cu"}));
  // A program that calls the driver was built for it.
  it.at_most(bound::unnamed,
             seen.told({"failed call to cuInit", "CUDA_ERROR_", "cudaError", "cudaGetDeviceCount",
                        "found no NVIDIA driver", "driver on your system is too old"}));
  it.at_most(bound::weak, seen.told({"Failed to create CUDAExecutionProvider"}));
}

void examine_built_without(const Seen& seen, Argument& it) {
  const Fact line = says_no_cuda(seen);
  it.confirms(weight::strong, line);
  const Fact mine = own_build(seen);
  examine_memory_left(seen, it);
  it.confirms(weight::strong,
              seen.recovers_by(
                  {"GGML_CUDA=",  "GGML_CUBLAS=",    "LLAMA_CUBLAS=",     "LLAMA_CUDA=",  "USE_CUDA=1",
                   "USE_CUDA=ON", "WITH_CUDA=ON",    "use_cuda",          "WHISPER_CUDA", "WHISPER_CUBLAS",
                   "SD_CUDA",     "GMX_GPU=CUDA",    "enable-nvenc",      "enable-cuda",  "with-cuda",
                   "FORCE_CMAKE", "-D*CUDA=on",      "-D*CUDA=1",         "-D*CUBLAS=on", "-D*CUBLAS=1",
                   "BUILD_CUDA",  "built with cuda", "compiled with cuda"}));
  examine_plain_build(seen, it);
  if (mine) {
    it.confirms(weight::good, seen.told(provider_unknown));
    it.confirms(weight::good, either(cpu_build(seen), no_framework_cuda(seen)));
  }
  if (!it.evidence().empty()) {
    it.confirms(weight::fair, mine);
    it.confirms(weight::hint, gpu_not_used(seen));
    it.confirms(weight::faint, seen.changed({"framework", "application"}));
  }
  it.at_most(bound::unnamed, seen.on("framework.build", {"cuda"}));
  it.at_most(bound::below_half, seen.on("framework.origin", {"wheel"}));
  if (!mine) it.at_most(bound::below_half, seen.told({"Torch not compiled with CUDA"}));
  if (const Value* version = seen.inventory("framework.version");
      version != nullptr && contains(version->text(), "+cpu"))
    it.at_most(bound::last_named, Fact("the wheel says that it is the processor's"));
  it.at_most(bound::weak, seen.told({"Failed to create CUDAExecutionProvider"}));
}

/// A named operation takes far longer, and other work of the framework does not.
Fact one_operation_slow(const Seen& seen, double factor) {
  if (!seen.unchanged({"framework_op"}) && !seen.unchanged({"gemm16"}) && !seen.unchanged({"gemm32"}))
    return std::nullopt;
  for (const Metric* metric : seen.metrics({"application"}))
    if (!metric->fails && metric->factor.value_or(1) >= factor && metric->scope.phase.empty() &&
        !metric->scope.op.empty() &&
        !contains_any(metric->scope.op, {"training", "inference", "start", "load"}))
      return sentence(*metric) + ", and others of its kind are normal";
  return std::nullopt;
}

void examine_cpu_operation(const Seen& seen, Argument& it) {
  constexpr double orders = 50;
  constexpr double extreme = 300;
  const Fact line = seen.told({"fall back to*cpu",
                               "fallback to*cpu",
                               "falling back to*cpu for",
                               "will be run on*cpu",
                               "fallback to run on the CPU",
                               "nodes were not assigned to the preferred execution providers",
                               "Memcpy nodes are added",
                               "no supported kernel for GPU",
                               "placed on the CPU",
                               "not supported*on GPU*CPU",
                               "not implemented for*CUDA",
                               "ops*assigned to*CPU",
                               "CUDA kernel not found in registries",
                               "no*CUDA kernel*registered",
                               "no GPU kernel",
                               "assigned to CPUExecutionProvider",
                               "placed on*CPUExecutionProvider",
                               "Could not satisfy explicit device specification",
                               "soft placement*refuse",
                               "soft_placement*refuse",
                               "soft*placement*cannot",
                               "soft*placement*error",
                               "refuses to place",
                               "no OpKernel*GPU"});
  it.confirms(weight::strong, line);
  // Spark's plugin says so of each operation, also of those that are meant to stay.
  if (seen.slower(application_classes))
    it.confirms(weight::good,
                seen.told({"cannot run on GPU because"}, {"disabled by default", "CollectLimitExec"}));
  constexpr double waits_percent = 50;
  if (seen.slower(application_classes) && it.confirms(weight::strong, many_graph_splits(seen)) &&
      seen.number("utilization_percent").value_or(100) < waits_percent)
    it.confirms(weight::fair, Fact("the GPU mostly waits"));
  for (const std::string_view name :
       {"gemm16", "gemm32", "gemm8", "conv", "framework_op", "attention", "fft", "gemm64"}) {
    const Fact slow = seen.slower({name}, {}, orders);
    if (!slow || seen.fails({name})) continue;
    const bool only = seen.movement(name) == Movement::mixed || seen.unchanged({"gemm32"}) ||
                      seen.unchanged({"gemm16"}) || seen.unchanged({"framework_op"}) ||
                      seen.unchanged({"conv"});
    it.confirms(only ? weight::good : weight::hint, slow);
    if (only)
      it.confirms(weight::good,
                  seen.slower({name}, {}, extreme) ? Fact("others of its kind are normal") : Fact());
  }
  // A whole program may run on the processor for many reasons, one of its operations for one.
  if (it.evidence().empty() && it.confirms(weight::good, one_operation_slow(seen, extreme)))
    it.unproven(bound::unconfident, Fact("nothing tells where it ran"));
  if (line || seen.slower(compute_classes, {}, 5) || seen.slower({"framework_op"}, {}, 3))
    it.confirms(weight::fair, gpu_not_used(seen));
  it.rules_out(seen.probe("aligned_shape", {"recovers", "normal"}));
  it.at_most(bound::unnamed, only_queued_at_first(seen));
  it.at_most(bound::last_named,
             both(seen.slower({}, {.aligned = false}), seen.unchanged({}, {.aligned = true})));
  it.at_most(bound::unnamed, seen.told({"Failed to create CUDAExecutionProvider"}));
  it.at_most(bound::unnamed, cpu_build(seen));
  it.at_most(bound::unnamed, says_no_cuda(seen));
  it.at_most(bound::unnamed, seen.gpu_is({"GTX 16"}));
}

}  // namespace

Signatures framework_causes() {
  return {
      {.name = "ort_cuda_ep_fallback",
       .title = "ONNX Runtime could not load its CUDA provider and works on the processor",
       .what = "ONNX Runtime only logs that its CUDA provider failed, because a library of its CUDA or cuDNN "
               "is missing or of another major version, and goes on with the processor's provider.",
       .confirms = "the provider's log line; the GPU idle and empty during the work; a library that it needs "
                   "is missing",
       .excludes = "the build has no CUDA provider at all",
       .confused_with = {{"built_without_cuda",
                          "does the build have the provider (get_available_providers)?"},
                         {"cpu_only_wheel", "is the package onnxruntime or onnxruntime-gpu?"},
                         {"cpu_fallback_per_op", "is the whole session on the processor, or one node?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next = "python -c \"import onnxruntime as o; print(o.get_available_providers())\"; ldd "
               ".../onnxruntime/capi/libonnxruntime_providers_cuda.so | grep 'not found'",
       .reading = {"https://onnxruntime.ai/docs/execution-providers/CUDA-ExecutionProvider.html"},
       .examine = examine_ort},
      {.name = "cpu_only_wheel",
       .title = "The installed package is the build for processors",
       .what =
           "The package manager took the build without CUDA: the default index, a local mirror, or a "
           "resolver that preferred it. Or both builds are there: onnxruntime and onnxruntime-gpu write into one "
           "folder, and the last one wins. Driver and GPU are in order.",
       .moves = "init x",
       .confirms =
           "+cpu in the version, no CUDA version in the build, while nvidia-smi and a native program work; both "
           "packages of ONNX Runtime in the list, and no CUDAExecutionProvider",
       .excludes = "the driver fails too; it is an own build",
       .confused_with = {{"built_without_cuda", "was it installed as a wheel, or built here?"},
                         {"no_visible_device", "does the build have CUDA at all?"},
                         {"ort_cuda_ep_fallback", "does the package hold the CUDA provider?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next =
           "pip list | grep -iE 'torch|jax|tensorflow|onnxruntime'; python -c \"import torch; "
           "print(torch.version.cuda)\", or with JAX \"import jax; print(jax.devices())\"; install the CUDA "
           "build; of ONNX Runtime uninstall both packages, then install onnxruntime-gpu alone",
       .reading = {"https://pytorch.org/get-started/locally/"},
       .examine = examine_cpu_wheel},
      {.name = "built_without_cuda",
       .title = "The program was compiled without its CUDA part",
       .what = "A build from source, or a distribution's package, left the CUDA part out: the option was not "
               "given, or the toolkit was not found and the build went on.",
       .confirms = "the program says so; it holds no CUDA symbols",
       .excludes = "it is a wheel of the project, or the part is there and fails to load",
       .confused_with = {{"cpu_only_wheel", "was it built here, or installed as a wheel?"},
                         {"ort_cuda_ep_fallback", "is the CUDA part there and fails to load?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next = "ldd or nm -D of the program for cuda; configure it again with CUDA and read what the "
               "configuration says",
       .reading = {"https://onnxruntime.ai/docs/build/eps.html#cuda"},
       .examine = examine_built_without},
      {.name = "cpu_fallback_per_op",
       .title = "One operation or type falls back to the processor",
       .what = "A dispatcher has no GPU kernel for this operation or type and computes it on the processor: "
               "two or three "
               "orders of magnitude slower, with the rest as fast as ever.",
       .confirms =
           "one type or operation 100 to 1000 times slower, the GPU idle meanwhile; the framework's log",
       .excludes = "aligned shapes are normal; the whole process runs on the processor",
       .confused_with = {{"tc_misaligned_dims", "is the neighbouring aligned shape normal?"},
                         {"kernel_specific", "is the GPU busy while it runs?"},
                         {"ort_cuda_ep_fallback", "does any operation run on the GPU?"}},
       .subject = Subject::software,
       .next = "watch nvidia-smi dmon while it runs; nsys profile shows no kernel for it",
       .reading = {"https://onnxruntime.ai/docs/performance/tune-performance/troubleshooting.html"},
       .examine = examine_cpu_operation},
  };
}

}  // namespace gpugauge::diagnose

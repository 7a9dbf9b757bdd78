// Tensor Cores that are there and not used, or not there at all.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {
namespace {

const Words fp32_classes{"gemm32", "gemmtf32"};
const Words plain_fp32_kernels{"sgemm", "simt", "fp32_fp32"};
const Words tensor_core_kernels{"tf32",     "s1688",  "s16816", "s161616", "hmma",
                                "tensorop", "h16816", "wgmma",  "884"};

/// Work that is declared as fp32 is slower, wherever it stands.
Fact slow_fp32(const Seen& seen) {
  if (Fact fact = seen.slower(fp32_classes)) return fact;
  for (const std::string_view type : {"tf32", "fp32", "float32"})
    if (Fact fact = seen.slower({}, {.dtype = type})) return fact;
  return std::nullopt;
}

/// A kernel without Tensor Cores ran, and none with them.
Fact no_tensor_core_kernel(const Seen& seen) {
  for (const std::string& name : seen.it().kernels)
    if (contains_any(name, tensor_core_kernels)) return std::nullopt;
  return seen.kernel(plain_fp32_kernels);
}

/// fp32's own rounding error where TF32's would be a thousand times larger.
Fact exact_fp32(const Seen& seen) {
  constexpr double tf32_never_below = 2e-5;
  for (const Numerics& one : seen.it().numerics)
    if (one.relative_error && *one.relative_error < tf32_never_below &&
        (one.dtype.empty() || contains_any(one.dtype, {"32"})))
      return fmt::format("relative error {:.1e}: that is fp32, not TF32", *one.relative_error);
  return std::nullopt;
}

/// The largest rate of a class where only absolute figures are given; the same unit for both.
Fact as_fast_as(const Seen& seen, std::string_view narrow, std::string_view wide) {
  const auto best = [&](std::string_view name) {
    const Metric* out = nullptr;
    for (const Metric* metric : seen.metrics({name}))
      if (metric->value && contains_any(metric->unit, {"flop", "op/", "ops"}) &&
          (out == nullptr || *metric->value > *out->value))
        out = metric;
    return out;
  };
  const Metric* a = best(narrow);
  const Metric* b = best(wide);
  if (a == nullptr || b == nullptr || a->unit != b->unit) return std::nullopt;
  const double ratio = *a->value / *b->value;
  if (ratio < .5 || ratio > 1.15) return std::nullopt;
  return fmt::format("{} reaches {:g} {}, {} {:g}: one pipeline for both", narrow, *a->value, a->unit, wide,
                     *b->value);
}

void examine_framework_default(const Seen& seen, Argument& it) {
  const Fact slow = either(slow_fp32(seen), seen.slower({"conv", "application", "framework_op"}));
  it.confirms(weight::hint, slow_fp32(seen));
  it.confirms(weight::good, either(seen.setting_off("allow_tf32"),
                                   seen.setting("matmul_precision", {"highest", "float32", "ieee"})));
  it.confirms(weight::good,
              either(seen.setting("fp32_precision", {"ieee"}), seen.setting_off("tensor_float_32")));
  it.confirms(weight::strong, seen.word_lost("tf32"));
  it.confirms(weight::proof, seen.recovers_by({"allow_tf32", "matmul_precision", "tensor_float_32",
                                               "fp32_precision", "tf32=on", "tf32=true", "tf32=1"}));
  it.confirms(weight::good, seen.told({"TensorFloat32 tensor cores*available but not enabled"}));
  it.confirms(weight::fair, no_tensor_core_kernel(seen));
  it.confirms(weight::fair, exact_fp32(seen));
  if (slow_fp32(seen)) it.confirms(weight::fair, seen.changed({"framework"}));
  if (!slow && seen.compared()) without_slowness(it, .2, "fp32 work", is_compared(seen, fp32_classes));
  // The switch is about a GPU's Tensor Cores.
  it.at_most(.2, gpu_not_used(seen));
  it.at_most(.3, seen.environment("NVIDIA_TF32_OVERRIDE", {"0"}));
  it.at_most(.3, seen.unmoved_by({"allow_tf32", "matmul_precision"}));
  it.at_most(.35, seen.slower({"gemm16", "gemm8"}));
  it.at_most(.4, seen.probe("other_library", {"recovers", "normal"}, {"lt", "cublaslt"}));
  it.at_most(.3, low_clock(seen));
  if (seen.slower({"hbm", "h2d", "d2h"})) it.at_most(.4, seen.slower({"hbm", "h2d", "d2h"}));
}

void examine_environment(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, either(seen.environment("NVIDIA_TF32_OVERRIDE", {"0"}),
                                    seen.environment("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", {"0"})));
  it.confirms(weight::proof, seen.recovers_by({"TF32_OVERRIDE"}));
  it.confirms(weight::good, seen.told({"TF32_OVERRIDE"}, {"TF32_OVERRIDE=1", "TF32_OVERRIDE: 1"}));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, slow_fp32(seen));
    it.confirms(weight::faint, exact_fp32(seen));
  }
  it.at_most(.2, seen.environment("NVIDIA_TF32_OVERRIDE", {"1"}));
  it.at_most(.3, seen.unmoved_by({"TF32_OVERRIDE"}));
}

void examine_math_mode(const Seen& seen, Argument& it) {
  const Fact slow = either(seen.slower(fp32_classes), seen.slower({"gemm16"}));
  const Fact lt_normal = either(seen.unchanged({}, {.library = "cublaslt"}),
                                seen.probe("other_library", {"recovers", "normal"}, {"lt", "cublaslt"}));
  it.confirms(weight::good, seen.setting("math_mode", {"default", "pedantic"}));
  it.confirms(weight::proof, seen.recovers_by({"math_mode", "cublasSetMathMode", "MATH_MODE"}));
  it.confirms(weight::good, seen.told({"cublasSetMathMode", "math mode", "CUBLAS_PEDANTIC",
                                       "CUBLAS_TENSOR_OP_MATH", "CUBLAS_DEFAULT_MATH"}));
  if (slow) it.confirms(weight::strong, lt_normal);
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, slow);
    it.confirms(weight::hint, no_tensor_core_kernel(seen));
  }
  it.at_most(.2, seen.slower({}, {.library = "cublaslt"}));
  it.at_most(.3, seen.environment("NVIDIA_TF32_OVERRIDE", {"0"}));
  it.at_most(.4, seen.recovers_by({"allow_tf32", "matmul_precision"}));
  // Read back from the handle itself.
  it.at_most(.2, seen.setting("math_mode", {"tf32"}));
}

/// A size was made a multiple of 8 that was none, and it recovered: "vocab_size=50304 instead of 50257".
Fact made_multiple(const Seen& seen) {
  constexpr int multiple = 8;
  for (const Probe& probe : seen.it().probes) {
    if (probe.name != "change_setting" || probe.outcome != "recovers" ||
        !contains_any(probe.detail.substr(0, probe.detail.find('=')),
                      {"size", "dim", "vocab", "hidden", "channel", "width", "length", "heads", "features"}))
      continue;
    std::vector<int> sizes;
    int number = -1;
    for (const char c : probe.detail + " ") {
      const bool digit = c >= '0' && c <= '9';
      if (digit && number < 100'000'000) number = std::max(number, 0) * 10 + (c - '0');
      if (digit) continue;
      if (number >= multiple) sizes.push_back(number);
      number = -1;
    }
    if (sizes.size() == 2 && sizes[0] % multiple == 0 && sizes[1] % multiple != 0)
      return recovering(
          fmt::format("tried: {} recovers, and only the new size is a multiple of 8", probe.detail));
  }
  return std::nullopt;
}

void examine_misaligned(const Seen& seen, Argument& it) {
  const Fact slow = seen.slower({}, {.aligned = false});
  const Fact normal = seen.unchanged({}, {.aligned = true});
  it.confirms(weight::good, slow);
  if (slow) it.confirms(weight::good, normal);
  it.confirms(weight::strong, seen.probe("aligned_shape", {"recovers", "normal"}));
  it.confirms(weight::strong, made_multiple(seen));
  it.confirms(weight::strong, seen.recovers_by({"padded", "padding", "pad_", "pad to", "align", "multiple of",
                                                "multiple_of", "divisible", "vocab*pad", "vocab_pad"}));
  it.confirms(weight::good,
              seen.told({"multiple of 8", "multiples of 8", "divisible by 8", "multiple of 16",
                         "multiple of 64", "divisible by 64", "not aligned", "misaligned dim"}));
  it.confirms(weight::hint, seen.kernel({"align1", "align2", "_a1_", "_a2_"}));
  it.rules_out(seen.slower({}, {.aligned = true}));
  it.rules_out(seen.probe("aligned_shape", {"no_change", "slow", "worse"}));
}

/// The same product in the other 16-bit type is faster: the hardware runs both at one rate, the library
/// chose.
Fact unequal_halves(const Seen& seen) {
  for (const Metric* metric : seen.metrics({"gemm16", "framework_op", "application"})) {
    const bool product = metric->metric_class == "gemm16" ||
                         contains_any(metric->scope.op, {"matmul", "einsum", "gemm", "bmm", "linear", "dot"});
    if (!slower_by_figure(*metric) || !product || seen.it().about.compared_with != "other_configuration")
      continue;
    const bool brain = contains_any(metric->scope.dtype, {"bf16", "bfloat16"});
    const bool half = !brain && contains_any(metric->scope.dtype, {"fp16", "float16", "half"});
    if ((brain && contains_any(metric->note, {"fp16", "float16", "half"})) ||
        (half && contains_any(metric->note, {"bf16", "bfloat16"})))
      return sentence(*metric) + " than in the other 16-bit type";
  }
  return std::nullopt;
}

void examine_not_selected(const Seen& seen, Argument& it) {
  Fact unused;
  Fact used;
  for (const Numerics& one : seen.it().numerics) {
    if (one.tf32_switch_changes_result == false)
      unused = fmt::format("{}: the TF32 switch does not change the result", one.op);
    if (one.tf32_switch_changes_result == true)
      used = fmt::format("{}: the TF32 switch changes the result", one.op);
  }
  it.confirms(used ? weight::strong : weight::good, unused);
  if (unused) it.confirms(weight::fair, used);
  const Fact plain =
      either(seen.kernel({"simt", "hgemm_nn", "magma", "gemv", "gemmk1", "implicit_convolve_sgemm",
                          "volta_sgemm", "ampere_sgemm", "maxwell"}),
             no_tensor_core_kernel(seen));
  if (seen.slower({"gemm16", "gemm8", "conv"}, {}) || split_class(seen, {"gemm16", "gemm32", "conv"}))
    it.confirms(weight::good, plain);
  it.confirms(weight::fair, split_types(seen, {"gemm16"}));
  const Fact half = either(seen.slower({}, {.dtype = "fp16"}), seen.slower({}, {.dtype = "bf16"}));
  it.confirms(weight::good,
              both(half, seen.told({"no kernel*884", "no kernel*16816", "no Tensor Core kernel"})));
  it.confirms(weight::good, unequal_halves(seen));
  if (plain) it.confirms(weight::hint, split_class(seen, {"gemm16", "conv", "gemmtf32"}));
  it.at_most(.3, seen.slower({}, {.aligned = false}));
  it.at_most(.3, seen.slower({}, {.dtype = {}, .layout = "NCHW"}));
  it.at_most(.4, seen.environment("NVIDIA_TF32_OVERRIDE", {"0"}));
  it.at_most(.4, seen.setting_off("allow_tf32"));
  it.at_most(.4, seen.recovers_by({"allow_tf32", "math_mode", "matmul_precision"}));
  it.at_most(.4, seen.gpu_is({"GTX 16", "MX450"}));
  if (seen.slower({"gemm16"}, {}, 50)) it.at_most(.3, seen.slower({"gemm16"}, {}, 50));
}

/// A product of 8 bits that is slower, and that is not told to be of integers.
Fact slow_fp8(const Seen& seen) {
  for (const Metric* metric : seen.metrics({"gemm8"})) {
    const bool integers = contains_any(metric->scope.op, {"int8", "i8", "dp4a"}) ||
                          contains_any(metric->scope.dtype, {"int8", "i8"});
    if (!integers && (metric->fails || slower_by_figure(*metric) || is_noted_slower(*metric)))
      return sentence(*metric);
  }
  return either(seen.slower({}, {.dtype = "fp8"}), seen.slower({}, {.dtype = "float8"}));
}

/// It is compared with an earlier time, and it is known that no software changed: what the hardware never had
/// makes no difference.
Fact same_hardware_and_software(const Seen& seen) {
  if (seen.it().about.compared_with != "earlier" || !seen.it().changed || !seen.changed_components().empty())
    return std::nullopt;
  return "the GPU was the same when it was faster";
}

void examine_fp8(const Seen& seen, Argument& it) {
  const Fact slow = slow_fp8(seen);
  const Fact rate = as_fast_as(seen, "gemm8", "gemm16");
  it.confirms(weight::proof, rate);
  // Where it has its own instructions fp8 is up to twice as fast.
  it.confirms(weight::good, either(seen.no_gain({.dtype = "fp8"}), seen.no_gain({.dtype = "float8"})));
  it.confirms(weight::proof, seen.told({"not have native support for FP8", "no native fp8", "Weight-only FP8",
                                        "fp8*marlin", "marlin*fp8", "fp8*not supported",
                                        "requires compute capability 8.9", "emulat*fp8"}));
  it.confirms(weight::strong, seen.kernel({"marlin", "w8a16", "fp8*bf16", "dequant"}));
  const std::string& capability = seen.it().about.compute_capability;
  const bool older = !capability.empty() && compare_versions(capability, "8.9") < 0;
  // The model says the same as the capability: it counts where that one is not known.
  const Fact without = older ? Fact(fmt::format("compute capability {} has no fp8 instructions", capability))
                       : capability.empty()
                           ? seen.gpu_is({"A100", "A800", "A40", "A30", "A10", "V100", "T4", "RTX 30",
                                          "RTX 20", "3090", "3080", "A6000", "A5000"})
                           : Fact();
  if (slow || rate) it.confirms(weight::strong, without);
  if (!it.evidence().empty()) it.confirms(weight::hint, slow);
  if (!it.evidence().empty() && slow) it.confirms(weight::hint, seen.unchanged({"gemm16"}));
  it.at_most(.3, seen.slower({"gemm16"}));
  if (!capability.empty() && !older)
    it.at_most(.3, Fact(fmt::format("compute capability {} has fp8 instructions", capability)));
  it.at_most(.4, same_hardware_and_software(seen));
}

void examine_without_tensor_cores(const Seen& seen, Argument& it) {
  it.confirms(weight::strong, seen.gpu_is({"GTX 16", "MX450", "MX550", "T500", "T550", "T600", "T1000",
                                           "T1200", "T400", "CMP 30HX", "CMP 40HX"}));
  if (!it.evidence().empty()) {
    it.confirms(weight::fair, seen.slower({"gemm16", "gemm8"}));
    it.confirms(weight::fair, seen.probe("swap_gpu", {"recovers", "normal"}));
    it.confirms(weight::hint, seen.unchanged({"gemm32"}));
  }
  if (!seen.slower({"gemm16", "gemm8", "conv", "application", "framework_op", "attention"}))
    without_slowness(it, .3, "16-bit work", is_compared(seen, {"gemm16", "gemm8", "conv", "attention"}));
  it.at_most(.4, same_hardware_and_software(seen));
  // Of Turing alone there are chips with and without.
  const std::string& capability = seen.it().about.compute_capability;
  if (!capability.empty() && compare_versions(capability, "7.5") != 0)
    it.rules_out(Fact(fmt::format("GPUs of compute capability {} do not differ in that", capability)));
}

}  // namespace

Signatures tensor_core_causes() {
  return {
      {.name = "tf32_disabled_by_framework_default",
       .title = "The framework keeps fp32 products away from Tensor Cores",
       .what = "A framework decides whether products declared as fp32 may be rounded to TF32. Where an "
               "upgrade turned "
               "that off, they run on the CUDA cores: exact, and about eight times as slow.",
       .moves = "gemm32 --, conv ?, gemm16 0, hbm 0, launch 0, h2d 0",
       .confirms = "the framework's switch is off, fp32 accuracy in the result, a kernel without Tensor "
                   "Cores, and the "
                   "speed is back with the switch on",
       .excludes =
           "16-bit products are slower too; the environment overrides TF32; the switch changes nothing",
       .confused_with = {{"tf32_env_override", "is NVIDIA_TF32_OVERRIDE=0 in the process's environment?"},
                         {"cublas_math_mode_lost", "is cuBLASLt as slow as cuBLAS on the same shape?"},
                         {"sw_power_cap", "are 16-bit products slower too?"}},
       .subject = Subject::software,
       .next = "python -c \"import torch; print(torch.backends.cuda.matmul.allow_tf32, "
               "torch.get_float32_matmul_precision())\"; then torch.set_float32_matmul_precision('high') "
               "where TF32 is "
               "accurate enough",
       .reading = {"https://pytorch.org/docs/stable/notes/"
                   "cuda.html#tensorfloat-32-tf32-on-ampere-and-later-devices"},
       .examine = examine_framework_default},
      {.name = "tf32_env_override",
       .title = "NVIDIA_TF32_OVERRIDE=0 turns TF32 off for every library",
       .what = "The variable overrides what framework and library ask for: fp32 products and convolutions "
               "leave the "
               "Tensor Cores, whatever the framework's switch says.",
       .moves = "gemm32 --, conv --, gemm16 0",
       .stands_on = {"TF32_OVERRIDE", "ALLOW_TF32"},
       .confirms = "NVIDIA_TF32_OVERRIDE=0 in the process's environment; the speed is back without it",
       .excludes = "unsetting it changes nothing",
       .confused_with = {{"tf32_disabled_by_framework_default",
                          "is the variable set, and does unsetting it help?"}},
       .next = "tr '\\0' '\\n' < /proc/PID/environ | grep TF32; unset NVIDIA_TF32_OVERRIDE",
       .reading = {"https://docs.nvidia.com/cuda/cublas/index.html#floating-point-computation"},
       .examine = examine_environment},
      {.name = "cublas_math_mode_lost",
       .title = "The cuBLAS handle no longer asks for Tensor Cores",
       .what = "A handle's math mode decides whether cuBLAS may use TF32 or Tensor Cores. Code that stopped "
               "setting it, "
               "or that sets the pedantic mode, is slow through cuBLAS and normal through cuBLASLt, which "
               "has no such "
               "handle.",
       .moves = "gemm32 --, gemm16 0",
       .confirms =
           "the cuBLAS path is slow while cuBLASLt is normal on the same shape; setting the mode recovers",
       .excludes = "cuBLASLt is as slow",
       .confused_with = {{"tf32_disabled_by_framework_default", "are cuBLAS and cuBLASLt both slow?"},
                         {"tf32_env_override", "is NVIDIA_TF32_OVERRIDE=0 set?"}},
       .subject = Subject::software,
       .next = "run with CUBLAS_LOGINFO_DBG=1 CUBLAS_LOGDEST_DBG=stdout and look for cublasSetMathMode; "
               "compare with "
               "cuBLASLt",
       .reading = {"https://docs.nvidia.com/cuda/cublas/index.html#cublassetmathmode"},
       .examine = examine_math_mode},
      {.name = "tc_misaligned_dims",
       .title = "A dimension is not a multiple of what Tensor Core kernels need",
       .what = "Tensor Core kernels load 16 bytes at a time. A leading dimension that is odd, or no multiple "
               "of 8 in a "
               "16-bit type, sends the product to a slow kernel; its neighbour shape is normal.",
       .moves = "gemm16 --",
       .confirms = "misaligned shapes are slow, aligned neighbours normal; padding recovers",
       .excludes = "aligned shapes are slow too",
       .confused_with = {{"tc_not_selected_for_shape", "is the neighbouring aligned shape normal?"},
                         {"cpu_fallback_per_op", "is the GPU busy while it runs?"}},
       .severity = Severity::note,
       .subject = Subject::software,
       .next = "pad the dimension to the next multiple of 8 (16-bit) or 16 (8-bit) and time both",
       .reading = {"https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication/"
                   "index.html"},
       .examine = examine_misaligned},
      {.name = "tc_not_selected_for_shape",
       .title = "The library picks a kernel without Tensor Cores for this shape or type",
       .what = "The library's heuristic takes a kernel without Tensor Cores for one operation, shape or "
               "type; others of "
               "the same class use them. The result does not change when TF32 is switched.",
       .moves = "gemm16 ?",
       .confirms = "switching TF32 changes another operation's result and not this one's; the kernel's name "
                   "tells of no "
                   "Tensor Core; another type of the same width is normal",
       .excludes = "the dimensions are misaligned; TF32 is switched off altogether",
       .confused_with = {{"tc_misaligned_dims", "are the dimensions multiples of 8?"},
                         {"cublas_version_regression", "was the same shape faster with an older library?"},
                         {"gpu_without_tensor_cores_same_cc", "does this GPU have Tensor Cores?"}},
       .severity = Severity::note,
       .subject = Subject::software,
       .next = "nsys profile -t cuda,cublas,cudnn ./program, and read the kernel's name; compare results bit "
               "for bit "
               "with NVIDIA_TF32_OVERRIDE=0",
       .reading = {"https://docs.nvidia.com/deeplearning/cudnn/latest/developer/core-concepts.html"},
       .examine = examine_not_selected},
      {.name = "fp8_not_native",
       .title = "fp8 runs on the 16-bit pipeline",
       .what = "A GPU without fp8 instructions, or a path that unpacks the weights first (W8A16, Marlin), "
               "computes fp8 at "
               "16-bit speed: the best fp8 rate is the bf16 peak.",
       .moves = "gemm8 --, gemm16 0",
       .confirms = "the best fp8 rate equals the bf16 peak; the kernel is a weight-only one; the compute "
                   "capability is "
                   "below 8.9",
       .excludes = "16-bit products are slower too",
       .confused_with = {{"sw_power_cap", "are other types slower too?"},
                         {"feature_unsupported_silent_fallback",
                          "does the best fp8 rate equal the bf16 peak?"}},
       .severity = Severity::note,
       .next = "nvidia-smi --query-gpu=compute_cap --format=csv; fp8 needs 8.9 or newer",
       .reading = {"https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#compute-capabilities"},
       .examine = examine_fp8},
      {.name = "gpu_without_tensor_cores_same_cc",
       .title = "This GPU has no Tensor Cores, though others of its compute capability do",
       .what = "GTX 16 and some small boards report compute capability 7.5 like the T4 and have no Tensor "
               "Cores. A library "
               "that chooses by capability takes kernels that are slow there.",
       .moves = "gemm16 --, gemm32 0",
       .confirms = "the model's name; another GPU of the same capability is normal; fp32 is unaffected",
       .excludes = "the model has Tensor Cores",
       .confused_with = {{"tc_not_selected_for_shape", "does this model have Tensor Cores?"},
                         {"cublas_version_regression", "is another GPU of the same capability normal?"}},
       .severity = Severity::note,
       .next = "nvidia-smi --query-gpu=name,compute_cap --format=csv; compute in fp32 there",
       .reading = {"https://www.nvidia.com/en-us/geforce/graphics-cards/16-series/"},
       .examine = examine_without_tensor_cores},
  };
}

}  // namespace gpugauge::diagnose

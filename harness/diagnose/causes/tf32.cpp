// Products declared as fp32 that could run on Tensor Cores as TF32 but do not.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "diagnose/causes/tensor_cores.hpp"
#include "stack/compat/version.hpp"

namespace gpugauge::diagnose {
namespace {

const Words fp32_classes{"gemm32", "gemmtf32"};
const Words plain_fp32_kernels{"sgemm", "simt", "fp32_fp32", "f32f32_f32f32_f32", "_ffma_"};
const Words tensor_core_kernels{"tf32",     "s1688",  "s16816", "s161616", "hmma",
                                "tensorop", "h16816", "wgmma",  "884"};

/// Work declared as fp32 is slower, in any class.
Fact slow_fp32(const Seen& seen) {
  if (Fact fact = seen.slower(fp32_classes)) return fact;
  for (const std::string_view type : {"tf32", "fp32", "float32"})
    if (Fact fact = seen.slower({}, {.dtype = type})) return fact;
  return std::nullopt;
}

/// The rounding error is that of fp32; TF32's would be a thousand times larger.
Fact exact_fp32(const Seen& seen) {
  constexpr double tf32_never_below = 2e-5;
  for (const Numerics& one : seen.it().numerics)
    if (one.relative_error && *one.relative_error < tf32_never_below &&
        (one.dtype.empty() || contains_any(one.dtype, {"32"})))
      return fmt::format("relative error {:.1e}: that is fp32, not TF32", *one.relative_error);
  return std::nullopt;
}

/// Every slower fp32 figure names the library that it calls, and no framework is involved.
Fact calls_library_itself(const Seen& seen) {
  Fact out;
  for (const Metric* metric : seen.metrics(fp32_classes)) {
    if (!metric->fails && !slower_by_figure(*metric)) continue;
    if (metric->scope.library.empty() && !metric->scope.op.starts_with("class/")) return std::nullopt;
    if (!metric->scope.library.empty()) out = "no framework runs there: " + sentence(*metric);
  }
  return out;
}

/// TF32 begins with compute capability 8.0.
Fact before_tf32(const Seen& seen) {
  const std::string& capability = seen.it().about.compute_capability;
  if (const auto known = stack::Version::parse(capability))
    return *known < stack::Version({8, 0}) ? Fact("compute capability " + capability + " has no TF32")
                                           : Fact();
  return in_words("it has no TF32", seen.gpu_named({"V100", "P100", "P40", "K80", "T4", "GTX", "TITAN",
                                                    "RTX 2060", "RTX 2070", "RTX 2080", "Quadro RTX"}));
}

/// PyTorch was upgraded to 1.12 or later, which leaves TF32 of matrix products off, from a version that has it on:
/// https://docs.pytorch.org/docs/stable/notes/cuda.html#tensorfloat-32-tf32-on-ampere-and-later-devices.
Fact crossed_default(const Seen& seen) {
  if (!seen.it().changed) return std::nullopt;
  const auto changed = seen.it().changed->find("framework");
  if (changed == seen.it().changed->end()) return std::nullopt;
  const auto version = [](const Value& side) {
    const std::string text = side.text();
    return stack::Version::parse(
        std::string_view(text).substr(std::min(text.find_first_of("0123456789"), text.size())));
  };
  const auto before = version(changed->second.before), after = version(changed->second.after);
  const bool torch = seen.framework_is({"torch"}) || contains(changed->second.after.text(), "torch");
  const stack::Version first({1, 12});
  if (!torch || !before || !after || *before >= first || *after < first) return std::nullopt;
  return seen.changed({"framework"});
}

/// The variable stands in a text as it is set: "export NVIDIA_TF32_OVERRIDE=0".
Fact told_override(const Seen& seen) {
  return seen.told(
      {"TF32_OVERRIDE=0", "TF32_OVERRIDE=\"0", "TF32_OVERRIDE='0", "TF32_OVERRIDE: 0", "TF32_OVERRIDE: \"0",
       "TF32_OVERRIDE = 0"},
      {"unless", "not set", "if ", "tried", "same", "no change", "without", "with NVIDIA", "would", "docs"});
}

/// A framework's switch for TF32 was tried in vain.
Fact switch_in_vain(const Seen& seen) {
  return seen.unmoved_by(
      {"allow_tf32", "matmul_precision", "tensor_float_32", "enable_tensor_float_32", "fp32_precision"});
}

void examine_framework_default(const Seen& seen, Argument& it) {
  it.rules_out(before_tf32(seen));
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
  const bool of_framework = it.evidence().size() > (slow_fp32(seen) ? 1U : 0U) || framework_known(seen) ||
                            seen.changed({"framework"}) || seen.slower(application_classes);
  it.confirms(weight::fair, no_tensor_core_kernel(seen));
  it.confirms(weight::fair, exact_fp32(seen));
  if (slow_fp32(seen))
    it.confirms(crossed_default(seen) ? weight::good : weight::fair, seen.changed({"framework"}));
  if (!slow && seen.compared())
    without_slowness(it, bound::remote, "fp32 work", is_compared(seen, fp32_classes));
  // The switch concerns a GPU's Tensor Cores.
  it.at_most(bound::remote, gpu_not_used(seen));
  it.at_most(bound::unnamed, either(seen.environment("NVIDIA_TF32_OVERRIDE", {"0"}), told_override(seen)));
  it.at_most(bound::unnamed, switch_in_vain(seen));
  it.at_most(bound::last_named, seen.slower({"gemm16", "gemm8"}));
  it.at_most(bound::weak, seen.probe("other_library", {"recovers", "normal"}, {"lt", "cublaslt"}));
  it.at_most(bound::unnamed, low_clock(seen));
  it.at_most(bound::weak, seen.slower({"hbm", "h2d", "d2h"}));
  if (!of_framework) {
    it.rules_out(calls_library_itself(seen));
    it.unproven(bound::unnamed, Fact("no framework is known to have run"));
  }
}

void examine_environment(const Seen& seen, Argument& it) {
  it.rules_out(before_tf32(seen));
  it.confirms(weight::proof, either(seen.environment("NVIDIA_TF32_OVERRIDE", {"0"}),
                                    seen.environment("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", {"0"})));
  it.confirms(weight::proof, seen.recovers_by({"TF32_OVERRIDE"}));
  it.confirms(weight::strong, told_override(seen));
  it.confirms(weight::good,
              seen.told({"TF32_OVERRIDE"}, {"unless", "not set", "tried", "same", "no change", "docs",
                                            "TF32_OVERRIDE=1", "TF32_OVERRIDE=\"1", "TF32_OVERRIDE='1",
                                            "TF32_OVERRIDE: 1", "TF32_OVERRIDE: \"1", "TF32_OVERRIDE = 1"}));
  // Something of the environment keeps fp32 slow against the framework's own switch.
  const Fact cleared = seen.probe("unset_environment", {"recovers"},
                                  {"all", "env -i", "NVIDIA_", "everything", "clean", "envFrom"});
  if (it.confirms(weight::good, both(both(slow_fp32(seen), switch_in_vain(seen)), cleared)))
    it.confirms(weight::fair, Fact("it is fp32 that a cleared environment mends"));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, slow_fp32(seen));
    it.confirms(weight::faint, exact_fp32(seen));
  }
  it.at_most(bound::remote, seen.environment("NVIDIA_TF32_OVERRIDE", {"1"}));
  it.at_most(bound::unnamed, seen.unmoved_by({"TF32_OVERRIDE"}));
}

void examine_math_mode(const Seen& seen, Argument& it) {
  const Fact slow = either(seen.slower(fp32_classes), seen.slower({"gemm16"}));
  const Fact lt_normal = either(seen.unchanged({}, {.library = "cublaslt"}),
                                seen.probe("other_library", {"recovers", "normal"}, {"lt", "cublaslt"}));
  it.confirms(weight::good, seen.setting("math_mode", {"default", "pedantic"}));
  it.confirms(weight::proof, seen.recovers_by({"math_mode", "math mode", "cublasSetMathMode"}));
  it.confirms(weight::good, seen.told({"cublasSetMathMode", "math mode", "CUBLAS_PEDANTIC",
                                       "CUBLAS_TENSOR_OP_MATH", "CUBLAS_DEFAULT_MATH"}));
  if (slow) it.confirms(weight::strong, lt_normal);
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, slow);
    it.confirms(weight::hint, no_tensor_core_kernel(seen));
  }
  it.at_most(bound::remote, seen.slower({}, {.library = "cublaslt"}));
  it.at_most(bound::unnamed, seen.environment("NVIDIA_TF32_OVERRIDE", {"0"}));
  it.at_most(bound::weak, seen.recovers_by({"allow_tf32", "matmul_precision"}));
  // The mode was read back from the handle itself.
  it.at_most(bound::remote, seen.setting("math_mode", {"tf32"}));
}

}  // namespace

Fact no_tensor_core_kernel(const Seen& seen) {
  for (const std::string& name : seen.it().kernels)
    if (contains_any(name, tensor_core_kernels)) return std::nullopt;
  return seen.kernel(plain_fp32_kernels);
}

Fact exact_without_tensor_cores(const Seen& seen) {
  return both(slow_fp32(seen), both(no_tensor_core_kernel(seen), exact_fp32(seen)));
}

Signatures tf32_causes() {
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
           "16-bit products are slower too; the environment overrides TF32; the switch changes nothing; "
           "no framework runs",
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
  };
}

}  // namespace gpugauge::diagnose

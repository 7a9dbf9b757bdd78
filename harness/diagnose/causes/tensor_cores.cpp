// Tensor Cores that a product does not use, or that the GPU does not have.
#include "diagnose/causes/tensor_cores.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "result/metric_key.hpp"
#include "result/number.hpp"
#include "stack/compat/version.hpp"

namespace gpugauge::diagnose {
namespace {

/// The largest absolute rate of `narrow` is only 0.5 to 1.15 times that of `wide`, in the same unit.
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

/// A size was changed to a multiple of 8, and the harm went away: "vocab_size=50304 instead of 50257".
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

/// The sizes in a product's name, "8192x4096x64"; empty where it has none.
std::vector<int> sizes_of(const std::string& name) {
  std::vector<int> sizes;
  std::istringstream parts(result::benchmark_of(name));
  for (std::string part; std::getline(parts, part, '/');) {
    if (part.find('x') == std::string::npos || part.find_first_not_of("0123456789x") != std::string::npos)
      continue;
    std::istringstream numbers(part);
    for (std::string number; std::getline(numbers, number, 'x');)
      if (const auto size = result::number_in<int>(number)) sizes.push_back(*size);
  }
  return sizes;
}

/// The sizes of the slower products are all multiples of 16, which suits Tensor Cores for 8-bit and all wider
/// types.
Fact sizes_are_multiples(const Seen& seen) {
  constexpr int multiple = 16;
  Fact out;
  for (const Metric* metric : seen.metrics({"gemm16", "gemm8", "gemmtf32", "gemm32", "gemm64"})) {
    if (!slower_by_figure(*metric)) continue;
    const std::vector<int> sizes = sizes_of(metric->scope.op);
    if (std::any_of(sizes.begin(), sizes.end(), [](int size) { return size % multiple != 0; }))
      return std::nullopt;
    if (!sizes.empty()) out = fmt::format("its sizes are multiples of {}: {}", multiple, sentence(*metric));
  }
  return out;
}

void examine_misaligned(const Seen& seen, Argument& it) {
  const Fact slow = seen.slower({}, {.aligned = false});
  const Fact normal = seen.unchanged({}, {.aligned = true});
  it.confirms(weight::good, slow);
  if (slow) it.confirms(weight::good, normal);
  it.confirms(weight::strong, seen.probe("aligned_shape", {"recovers", "normal"}));
  it.confirms(weight::strong, made_multiple(seen));
  it.confirms(weight::strong, seen.recovers_by({"padded", "padding", "pad_", "pad to", "align", "multiple of",
                                                "round_to", "round to", "channel_divisor", "make_divisible",
                                                "multiple_of", "divisible", "vocab*pad", "vocab_pad"}));
  it.confirms(weight::good,
              seen.told({"multiple of 8", "multiples of 8", "divisible by 8", "multiple of 16",
                         "multiple of 64", "divisible by 64", "not aligned", "misaligned dim"},
                        {"everything*multiple", "everything is*divisible", "all*multiple of",
                         "all*multiples of", "are multiples of", "is a multiple of", "are divisible by",
                         "is divisible by", "already a multiple", "already multiples"}));
  it.confirms(weight::hint, seen.kernel({"align1", "align2", "_a1_", "_a2_"}));
  it.rules_out(seen.slower({}, {.aligned = true}));
  it.rules_out(sizes_are_multiples(seen));
  it.rules_out(seen.probe("aligned_shape", {"no_change", "slow", "worse"}));
}

/// The same product is faster in the other 16-bit type. The hardware runs both at one rate, so the library
/// made the choice.
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
  if (seen.slower({"gemm16", "gemm8", "conv"}, {}) ||
      split_class(seen, {"gemm16", "gemm32", "gemmtf32", "conv"}))
    it.confirms(weight::good, plain);
  it.confirms(weight::fair, split_types(seen, {"gemm16"}));
  const Fact half = either(seen.slower({}, {.dtype = "fp16"}), seen.slower({}, {.dtype = "bf16"}));
  it.confirms(weight::good,
              both(half, seen.told({"no kernel*884", "no kernel*16816", "no Tensor Core kernel"})));
  it.confirms(weight::good, unequal_halves(seen));
  // One operation runs such a kernel, and others of the program do not.
  const Fact told = both(
      seen.slower({"framework_op", "application", "conv", "gemm16"}),
      both(seen.told({"sgemm_", "gemmSN", "gemmk1", "simt_sgemm", "implicit_convolve_sgemm", "ampere_sgemm",
                      "volta_sgemm", "maxwell_sgemm", "turing_sgemm"}),
           seen.told({"s16816", "h16816", "s1688", "h1688", "s884", "h884", "tensorop", "wgmma", "hmma"})));
  it.confirms(weight::good, told);
  if (told)
    it.confirms(weight::fair,
                seen.unmoved_by({"allow_tf32", "matmul_precision", "tensor_float_32", "autocast"}));
  if (plain) it.confirms(weight::hint, split_class(seen, {"gemm16", "conv", "gemmtf32"}));
  it.at_most(bound::unnamed, only_misaligned(seen));
  // Grouped convolutions have kernels of their own, in either layout.
  const Fact grouped =
      either(seen.slower({"conv"}, {.op = "group"}), seen.slower({"conv"}, {.op = "depthwise"}));
  if (!(grouped && plain && split_class(seen, {"conv"})))
    it.at_most(bound::unnamed, only_channels_first(seen));
  it.at_most(bound::weak, seen.environment("NVIDIA_TF32_OVERRIDE", {"0"}));
  it.at_most(bound::weak, seen.setting_off("allow_tf32"));
  it.at_most(bound::weak, seen.recovers_by({"allow_tf32", "math_mode", "matmul_precision"}));
  it.at_most(bound::weak, seen.gpu_is({"GTX 16", "MX450"}));
  it.at_most(bound::unnamed, seen.slower({"gemm16"}, {}, 50));
}

/// An 8-bit product is slower and is not known to use integers.
Fact slow_fp8(const Seen& seen) {
  for (const Metric* metric : seen.metrics({"gemm8"})) {
    const bool integers = contains_any(metric->scope.op, {"int8", "i8", "dp4a"}) ||
                          contains_any(metric->scope.dtype, {"int8", "i8"});
    if (!integers && (metric->fails || slower_by_figure(*metric) || is_noted_slower(*metric)))
      return sentence(*metric);
  }
  for (const Metric* metric : seen.metrics(application_classes)) {
    // The cache's type is another switch than the weights'.
    std::string note = lower(metric->note);
    for (const std::string_view cache :
         {"kv-cache-dtype fp8", "kv_cache_dtype=fp8", "kv cache in fp8", "fp8 kv"})
      if (const std::size_t at = note.find(cache); at != std::string::npos) note.erase(at, cache.size());
    if (slower_by_figure(*metric) && contains_any_word(note, {"fp8", "float8", "w8a8-fp8"}))
      return sentence(*metric);
  }
  return either(seen.slower({}, {.dtype = "fp8"}), seen.slower({}, {.dtype = "float8"}));
}

/// It is compared with an earlier time, and no software changed. A feature that the hardware never had cannot
/// explain the difference.
Fact same_hardware_and_software(const Seen& seen) {
  if (seen.it().about.compared_with != "earlier" || !seen.it().changed || !seen.changed_components().empty())
    return std::nullopt;
  return "the GPU was the same when it was faster";
}

void examine_fp8(const Seen& seen, Argument& it) {
  const Fact slow = slow_fp8(seen);
  const Fact rate = as_fast_as(seen, "gemm8", "gemm16");
  it.confirms(weight::proof, rate);
  // With its own instructions fp8 is up to twice as fast.
  it.confirms(weight::good, either(seen.no_gain({.dtype = "fp8"}), seen.no_gain({.dtype = "float8"})));
  it.confirms(weight::proof, seen.told({"not have native support for FP8", "no native fp8", "Weight-only FP8",
                                        "fp8*marlin", "marlin*fp8", "fp8*not supported",
                                        "requires compute capability 8.9", "emulat*fp8"}));
  it.confirms(weight::strong, seen.kernel({"marlin", "w8a16", "fp8*bf16", "dequant"}));
  const std::string& capability = seen.it().about.compute_capability;
  const auto known = stack::Version::parse(capability);
  const bool older = known && *known < stack::Version({8, 9});
  // The model tells the same as the compute capability, so it counts only where the capability is unknown.
  const Fact without = older ? Fact(fmt::format("compute capability {} has no fp8 instructions", capability))
                       : !known ? seen.gpu_is({"A100", "A800", "A40", "A30", "A10", "V100", "T4", "RTX 30",
                                               "RTX 20", "3090", "3080", "A6000", "A5000"})
                                : Fact();
  if (slow || rate) it.confirms(weight::strong, without);
  if (!it.evidence().empty()) it.confirms(weight::hint, slow);
  if (!it.evidence().empty() && slow) it.confirms(weight::hint, seen.unchanged({"gemm16"}));
  it.at_most(bound::unnamed, seen.slower({"gemm16"}));
  if (known && !older)
    it.at_most(bound::unnamed, Fact(fmt::format("compute capability {} has fp8 instructions", capability)));
  it.at_most(bound::weak, same_hardware_and_software(seen));
}

void examine_without_tensor_cores(const Seen& seen, Argument& it) {
  it.confirms(weight::strong, seen.gpu_is({"GTX 16", "MX450", "MX550", "T500", "T550", "T600", "T1000",
                                           "T1200", "T400", "CMP 30HX", "CMP 40HX"}));
  it.confirms(weight::strong, seen.told({"suboptimal performance due to a lack of tensor cores",
                                         "GTX 16*compute capability 7.5", "GTX 16*has no tensor cores"}));
  if (!it.evidence().empty()) {
    it.confirms(weight::fair, seen.slower({"gemm16", "gemm8"}));
    it.confirms(weight::fair, seen.probe("swap_gpu", {"recovers", "normal"}));
    it.confirms(weight::hint, seen.unchanged({"gemm32"}));
  }
  if (!seen.slower({"gemm16", "gemm8", "conv", "application", "framework_op", "attention"}))
    without_slowness(it, bound::unnamed, "16-bit work",
                     is_compared(seen, {"gemm16", "gemm8", "conv", "attention"}));
  it.at_most(bound::weak, same_hardware_and_software(seen));
  it.at_most(bound::weak, in_words("on the same GPU other code is fast",
                                   seen.probe("other_library", {"recovers", "normal"})));
  // Only Turing has chips both with and without Tensor Cores.
  const std::string& capability = seen.it().about.compute_capability;
  if (const auto known = stack::Version::parse(capability); known && *known != stack::Version({7, 5}))
    it.rules_out(Fact(fmt::format("GPUs of compute capability {} do not differ in that", capability)));
}

}  // namespace

Signatures tensor_core_causes() {
  return {
      {.name = "tc_misaligned_dims",
       .title = "A dimension is not a multiple of what Tensor Core kernels need",
       .what = "Tensor Core kernels load 16 bytes at a time. A leading dimension that is odd, or no multiple "
               "of 8 in a "
               "16-bit type, sends the product to a slow kernel; its neighbour shape is normal.",
       .moves = "gemm16 --",
       .confirms = "misaligned shapes are slow, aligned neighbours normal; padding recovers",
       .excludes = "aligned shapes are slow too; the slow sizes are multiples of 16",
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

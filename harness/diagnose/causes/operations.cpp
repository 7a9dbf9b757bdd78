// One operation of a framework, or one kernel of a library, is slow.
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/causes/own_code.hpp"
#include "diagnose/causes/printed.hpp"
#include "diagnose/causes/tensor_cores.hpp"
#include "diagnose/causes/told_figures.hpp"

namespace gpugauge::diagnose {
namespace {

/// Every figure is slower in at least two compute classes; so many do not share one kernel.
Fact slow_as_a_whole(const Seen& seen) {
  std::vector<std::string_view> slow;
  for (const std::string_view name : compute_classes)
    if (const Movement movement = seen.movement(name);
        movement == Movement::slower || movement == Movement::much_slower)
      slow.push_back(name);
  if (slow.size() < 2) return std::nullopt;
  return fmt::format("{} are slower as a whole", fmt::join(slow, ", "));
}

/// One class is slower in part. Primitives are bound by the core clock (a sort) or by memory (a sum), so a
/// slowdown of either splits that class. They count only where nothing else with one of these bounds is
/// slower.
Fact one_kernel_slow(const Seen& seen) {
  if (Fact part = split_class(seen, {"gemm16", "gemm32", "gemm8", "conv", "attention", "fft", "gemm64"}))
    return part;
  if (seen.slower(compute_classes) || seen.slower({"hbm", "l2", "smem", "atomic", "gemmtf32"}))
    return std::nullopt;
  return split_class(seen, {"primitive"});
}

/// The kernel of the slow work. Kernels in an observation carry no figure, so there must be only one kernel
/// and only one slow class.
Fact kernel_of(const Seen& seen) {
  if (seen.it().kernels.size() != 1) return std::nullopt;
  std::set<std::string_view> slow;
  for (const Metric& metric : seen.it().metrics)
    if (metric.fails || slower_by_figure(metric) || is_noted_slower(metric)) slow.insert(metric.metric_class);
  if (slow.size() != 1) return std::nullopt;
  return "kernel " + seen.it().kernels.front();
}

void examine_kernel(const Seen& seen, Argument& it) {
  const Fact part = one_kernel_slow(seen);
  const Fact tuned =
      either(seen.probe("autotune", {"recovers", "normal"}),
             seen.recovers_by({"algo", "algorithm", "heuristic", "backend=", "sdp", "gpu_kernel="}));
  const bool compute =
      seen.slower({"gemm16", "gemm32", "gemm8", "gemm64", "attention", "fft", "primitive", "conv"})
          .has_value();
  if (compute) {
    it.confirms(weight::fair, part);
    if (part) it.confirms(weight::hint, Fact("the same class is normal elsewhere"));
    it.confirms(seen.slower({"conv"}) ? weight::fair : weight::good, tuned);
    it.confirms(weight::fair, seen.probe("other_library", {"recovers", "normal"}));
    it.confirms(weight::good, other_shape_recovers(seen));
    // The layout that Tensor Cores prefer is the slow one, so its kernel is at fault and not a conversion.
    it.confirms(weight::good, both(either(seen.slower({"conv"}, {.layout = "channels_last"}),
                                          seen.slower({"conv"}, {.layout = "NHWC"})),
                                   seen.recovers_by({"contiguous", "channels_first", "NCHW"})));
    if (part) it.confirms(weight::hint, kernel_of(seen));
  } else {
    it.confirms(weight::fair, both(seen.slower({"framework_op", "application"}),
                                   either(seen.probe("other_library", {"recovers", "normal"}), tuned)));
  }
  if (seen.metrics({}).empty() && it.confirms(weight::good, one_size_slow(seen)))
    it.confirms(weight::fair, Fact("larger and smaller sizes are normal"));
  it.at_most(bound::unnamed, only_misaligned(seen));
  it.at_most(bound::unnamed, only_channels_first(seen));
  it.at_most(bound::last_named, split_types(seen, {"gemm16", "gemm8", "gemm32"}));
  // Such a large slowdown means work on the processor, unless a kernel was seen.
  if (seen.it().kernels.empty()) it.at_most(bound::unnamed, seen.slower(compute_classes, {}, 50));
  it.at_most(bound::weak, seen.setting("math_mode", {"default", "pedantic"}));
  it.at_most(bound::weak, seen.changed({"cudnn", "cublas"}));
  it.at_most(bound::last_named, both(seen.slower({"conv"}), seen.probe("autotune", {"recovers"})));
  it.at_most(bound::unnamed, seen.gpu_is({"GTX 16"}));
  it.at_most(bound::unnamed, slow_own_code(seen));
  // If all work bound by the core clock is slower, no kernel is at fault.
  it.at_most(bound::unnamed, low_clock(seen));
  it.at_most(bound::unnamed, slow_as_a_whole(seen));
}

void examine_framework_op(const Seen& seen, Argument& it) {
  const Fact op = seen.slower({"framework_op"});
  Fact in_framework = op;
  for (const Metric* metric : seen.metrics({"application", "conv", "attention", "gemm16", "gemm32"}))
    if (!in_framework && !metric->scope.framework.empty() && (metric->fails || slower_by_figure(*metric)))
      in_framework = sentence(*metric);
  const Fact changed = seen.changed({"framework"});
  if (in_framework || (changed && slow_application(seen))) {
    it.confirms(weight::fair, op);
    it.confirms(weight::fair, split_class(seen, {"framework_op"}));
    it.confirms(weight::fair, changed);
    it.confirms(weight::fair, seen.undone("framework", {"recovers"}));
    it.confirms(weight::good,
                both(either(op, changed), seen.probe("native_benchmark", {"normal", "succeeds"})));
  }
  if (it.confirms(weight::good, both(changed, some_operations_longer(seen))))
    it.confirms(weight::fair, Fact("other operations of the same profile take as long as before"));
  it.rules_out(seen.undone("framework", {"no_change", "worse"}));
  // What a variable of the environment mends is no version's.
  it.at_most(bound::half, seen.probe("unset_environment", {"recovers"}));
  it.at_most(bound::half, exact_without_tensor_cores(seen));
  // What passes by itself would have passed with the old version, too.
  it.at_most(bound::unnamed, seen.probe("repeat_later", {"recovers", "normal"}));
  it.at_most(bound::below_half, seen.instruction_lost());
  it.at_most(bound::below_half, seen.probe("autotune", {"recovers"}));
  it.at_most(bound::half, seen.changed({"cudnn", "cublas", "nccl"}));
  it.unproven(bound::unnamed, changed_together(seen));
  it.at_most(bound::unnamed, gpu_not_used(seen));
  it.at_most(bound::weak, seen.slower({"launch"}));
  // It is slower than something else. Nothing says that it was ever faster, or that the framework is at
  // fault.
  if (seen.it().about.compared_with == "other_configuration" && !changed && it.evidence().size() == 1)
    it.unproven(bound::unnamed,
                op ? Fact("it is slower than other work, and nothing tells whether it always was") : Fact());
  it.at_most(bound::half, both(seen.slower({"framework_op"}, {.size = "small"}),
                               seen.unchanged({"framework_op"}, {.size = "large"})));
  it.at_most(bound::half, kernels_as_before(seen));
  it.at_most(bound::unnamed, seen.setting_off("allow_tf32"));
  it.at_most(bound::weak, seen.word_lost("tf32"));
  it.at_most(bound::weak, slow_start(seen));
  it.at_most(bound::unnamed, two_programs(seen, "framework"));
}

}  // namespace

Signatures operation_causes() {
  return {
      {.name = "framework_op_regression",
       .title = "One operation of the framework became slower; the same work natively did not",
       .what = "The framework's implementation of an operation, or the path it chooses, is slower than "
               "another one of the "
               "same arithmetic. Machine and libraries are in order.",
       .moves = "gemm16 0, hbm 0, launch 0",
       .confirms =
           "the native benchmark is normal; the older framework recovers; another implementation is normal",
       .excludes = "a library below it changed or explains it; the older framework is as slow",
       .confused_with = {{"cudnn_version_regression", "did the library below change?"},
                         {"cudnn_heuristic_regression", "does autotuning recover?"},
                         {"app_kernel_regression", "is it the framework's operation, or the application's?"}},
       .subject = Subject::software,
       .next =
           "time the operation alone in both versions of the framework, and the same work with gpugauge run",
       .reading = {"https://pytorch.org/tutorials/recipes/recipes/benchmark.html"},
       .examine = examine_framework_op},
      {.name = "kernel_specific",
       .title = "One kernel or shape is slow; its neighbours are normal",
       .what = "A library's kernel for one shape, size or algorithm is slow while the same class is normal "
               "at others: no fault "
               "of the machine.",
       .confirms = "the class is normal at other shapes; another algorithm or library recovers",
       .excludes = "the whole class is slower, other compute classes are too, or the clock is low",
       .confused_with = {{"tc_misaligned_dims", "are the dimensions multiples of 8?"},
                         {"cublas_version_regression", "was the same shape faster with the earlier library?"},
                         {"tc_not_selected_for_shape", "does its kernel use Tensor Cores?"}},
       .severity = Severity::note,
       .subject = Subject::software,
       .next =
           "measure neighbouring shapes; try another algorithm (cublasLtMatmulAlgoGetHeuristic, autotuning)",
       .reading = {"https://docs.nvidia.com/cuda/cublas/index.html#cublasltmatmulalgogetheuristic"},
       .examine = examine_kernel},
  };
}

}  // namespace gpugauge::diagnose

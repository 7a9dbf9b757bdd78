// Convolutions: layout, choice of algorithm, and version of cuDNN; and what cuDNN has no plan for.
#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "diagnose/causes/logged.hpp"
#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {
namespace {

/// cuDNN was given a graph that it cannot run at all.
Fact no_plan(const Seen& seen) {
  return seen.told({"No execution plans support the graph", "No valid execution plans",
                    "No execution plans built successfully", "No valid engine configs for"});
}

/// A convolution is slow, or an application made of them.
Fact slow_convolution(const Seen& seen) {
  if (Fact fact = seen.slower({"conv"})) return fact;
  for (const std::string_view op :
       {"conv", "resnet", "vgg", "cnn", "inception", "unet", "yolo", "efficientnet", "image", "batch_norm",
        "mobilenet", "densenet", "diffusion"})
    if (Fact fact = seen.slower(application_classes, {.op = op})) return fact;
  return std::nullopt;
}

/// A profile gives conversions of the layout a large share of the time: "24.1  812,331,120  ... nchwToNhwcKernel".
Fact conversions_take_time(const Seen& seen) {
  constexpr double much = 15;
  constexpr double whole = 100;
  double share = 0;
  for (const std::string& line : seen.it().log)
    if (contains_any(line, {"nchwToNhwc", "nhwcToNchw"}))
      share += Value(line.substr(std::min(line.find_first_not_of(" |"), line.size()))).number().value_or(0);
  if (share < much || share > whole) return std::nullopt;
  return fmt::format("log: {:.3g}% of the time converts layouts", share);
}

void examine_layout(const Seen& seen, Argument& it) {
  Fact first;
  Fact last;
  for (const std::string_view name : {"NCHW", "channels_first", "NCDHW"})
    first = either(first, seen.slower({}, {.layout = name}));
  for (const std::string_view name : {"NHWC", "channels_last", "NDHWC"})
    last = either(last, seen.unchanged({}, {.layout = name}));
  it.confirms(weight::fair, first);
  if (first) it.confirms(weight::strong, last);
  it.confirms(weight::good, seen.kernel({"nchwToNhwc", "nhwcToNchw", "nchw2nhwc", "nhwc2nchw", "nchw_to_nhwc",
                                         "nhwc_to_nchw"}));
  it.confirms(weight::hint, seen.kernel({"transpose", "permute"}));
  it.confirms(weight::proof, seen.recovers_by({"channels_last", "NHWC", "layout", "memory_format"}));
  it.confirms(weight::good, seen.told({"nchwToNhwc", "layout optimizer", "prefers NHWC"}));
  it.confirms(weight::strong, conversions_take_time(seen));
  for (const std::string_view name : {"NHWC", "channels_last"})
    it.rules_out(seen.slower({}, {.layout = name}));
  it.at_most(bound::remote, seen.unmoved_by({"channels_last", "NHWC", "layout", "memory_format"}));
}

/// Without a search it recovers: what costs is the search itself, made anew for each shape.
Fact search_costs(const Seen& seen) {
  return seen.recovers_by({"algo_search=HEURISTIC", "algo_search=heuristic", "benchmark=False",
                           "benchmark=false", "benchmark=off", "benchmark=0"});
}

/// A log times the same work with and without a search: "cudnn.benchmark=False: 61.3 ms", "...=True: 12.9 ms".
Fact faster_in_log(const Seen& seen) {
  constexpr double clearly = 1.15;
  std::optional<double> guessed;
  std::optional<double> searched;
  for (const std::string& line : seen.it().log) {
    if (!contains_any(line, {"benchmark", "algo_search", "autotune"})) continue;
    const bool off =
        contains_any(line, {"benchmark=False", "benchmark = False", "benchmark: False", "benchmark False",
                            "benchmark=0", "benchmark off", "HEURISTIC", "autotune=0"});
    const bool on =
        contains_any(line, {"benchmark=True", "benchmark = True", "benchmark: True", "benchmark True",
                            "benchmark=1", "benchmark on", "EXHAUSTIVE", "autotune=1"});
    if (off != on)
      if (const auto rate = rate_of(line)) (on ? searched : guessed) = rate;
  }
  if (!guessed || !searched || *searched < clearly * *guessed) return std::nullopt;
  return recovering(fmt::format("log: with a search it is {:.3g} times as fast", *searched / *guessed));
}

Fact tuned(const Seen& seen) {
  if (search_costs(seen)) return std::nullopt;
  if (Fact fact = faster_in_log(seen)) return fact;
  if (Fact fact = seen.probe("autotune", {"recovers", "normal"})) return fact;
  return seen.recovers_by(
      {"benchmark=", "cudnn_benchmark", "cudnn.benchmark", "autotune", "conv_algo_search", "EXHAUSTIVE"});
}

void examine_heuristic(const Seen& seen, Argument& it) {
  const Fact slow = slow_convolution(seen);
  if (slow) {
    it.confirms(weight::proof, tuned(seen));
    it.confirms(weight::hint,
                either(seen.setting_off("cudnn_benchmark"), seen.setting("algo_search", {"HEURISTIC"})));
    it.confirms(weight::fair,
                seen.recovers_by({"cudnn.enabled", "cudnn_enabled", "use_cudnn", "without cudnn", "cudnn=off",
                                  "cudnn=false", "cudnn disabled"}));
    // The guess is good for a neighbouring shape or type.
    it.confirms(weight::fair, both(seen.slower({"conv"}), other_shape_recovers(seen)));
    it.confirms(weight::hint, seen.changed({"cudnn", "framework"}));
    it.confirms(weight::fair, seen.told({"heuristic mode", "CUDNN_HEUR", "algo search*heuristic"}));
    if (!it.evidence().empty()) it.confirms(weight::faint, split_class(seen, {"conv"}));
  } else {
    it.confirms(
        weight::fair,
        both(tuned(seen), either(seen.changed({"cudnn"}),
                                 seen.inventory("cudnn.version") ? Fact("cuDNN is in use") : Fact())));
    // Only convolutions have such a search.
    it.confirms(weight::good,
                both(seen.slower(application_classes),
                     either(seen.recovers_by({"cudnn.benchmark", "cudnn_benchmark", "conv_algo_search",
                                              "CUDNN_USE_AUTOTUNE", "CUDNN_AUTOTUNE"}),
                            seen.probe("autotune", {"recovers"}, {"cudnn"}))));
  }
  it.rules_out(seen.probe("autotune", {"no_change", "slow", "worse"}));
  it.at_most(bound::weak, seen.undone("cudnn", {"no_change"}));
  it.at_most(bound::weak, seen.slower({"gemm16", "gemm32", "hbm"}));
  it.at_most(bound::unnamed, only_queued_at_first(seen));
}

void examine_cudnn_version(const Seen& seen, Argument& it) {
  const Fact slow = slow_convolution(seen);
  if (it.confirms(weight::good, seen.changed({"cudnn"}))) {
    it.confirms(weight::fair, slow);
    // cuDNN comes in the framework's wheel, so a rollback of the framework also rolls back cuDNN.
    it.confirms(weight::hint, seen.undone("framework", {"recovers"}));
    if (seen.changed_only({"cudnn"}))
      it.confirms(weight::hint, Fact("no other version is known to have changed"));
  }
  it.confirms(weight::strong, seen.undone("cudnn", {"recovers"}));
  if (!it.evidence().empty()) it.confirms(weight::faint, seen.unchanged({"gemm16"}));
  it.rules_out(seen.undone("cudnn", {"no_change", "worse"}));
  it.rules_out(seen.same_version("cudnn"));
  it.at_most(bound::last_named, tuned(seen));
  it.at_most(bound::unnamed, gpu_not_used(seen));
  it.at_most(bound::unnamed, seen.told({"only CPUExecutionProvider", "['CPUExecutionProvider']"}));
  // None of them can be blamed alone; only a probe can tell which it was.
  it.unproven(bound::unnamed, changed_together(seen));
  it.at_most(bound::weak, seen.slower({"gemm16", "gemm32", "hbm", "h2d"}));
  it.at_most(bound::unnamed, either(seen.fails({}), no_plan(seen)));
  if (!seen.undone("cudnn", {"recovers"}) && !seen.undone("framework", {"recovers"}))
    it.unproven(bound::unconfident, Fact("the old version was not measured again"));
  // It leaves only some algorithms, of which another version may have others.
  it.unproven(bound::likely, in_words("cuDNN was asked for deterministic algorithms only",
                                      seen.setting("deterministic", {"true", "on", "1"})));
}

const Words plan_not_the_end{"Warning*execution plans", "Warning*engine configs",  "execution plans*fall",
                             "engine configs*fall",     "SKIPPED*execution plans", "SKIPPED*engine configs",
                             "WARN*execution plans",    "WARN*engine configs"};

void examine_plan(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, no_plan(seen));
  if (it.evidence().empty()) return;
  it.explains_failure();
  it.is_an_event();
  it.confirms(weight::strong, seen.recovers_by({"cudnn_sdp", "CUDNN_ATTENTION", "cudnn="}));
  it.at_most(bound::likely, in_words("cuDNN makes such kernels with nvrtc",
                                     seen.told({"libnvrtc~: cannot open shared object"})));
  it.at_most(bound::likely, seen.told({"VERSION_MISMATCH"}));
  // A warning, a way that is tried first, or a test that is left out.
  it.at_most(bound::below_half,
             in_words("another way was gone, or it was left out", seen.told(plan_not_the_end)));
}

}  // namespace

Signatures convolution_causes() {
  return {
      {.name = "conv_layout_path",
       .title = "Convolutions pay for converting the layout of their input",
       .what = "Tensor Core convolutions and normalisations work on NHWC. With NCHW input the library "
               "inserts kernels "
               "that convert there and back, which are bound by memory bandwidth.",
       .moves = "conv --",
       .confirms = "NHWC is normal where NCHW is slow; conversion kernels in the profile",
       .excludes = "NHWC is as slow",
       .confused_with = {{"cudnn_heuristic_regression", "does autotuning recover, with the layout as it is?"},
                         {"cudnn_version_regression", "is NHWC normal on the same library?"}},
       .severity = Severity::note,
       .subject = Subject::software,
       .next = "give the model and its input channels last (torch: .to(memory_format=torch.channels_last)) "
               "and time both",
       .reading =
           {"https://docs.nvidia.com/deeplearning/performance/dl-performance-convolutional/index.html"},
       .examine = examine_layout},
      {.name = "cudnn_heuristic_regression",
       .title = "cuDNN's heuristic picks a slow algorithm; autotuning finds a fast one",
       .what = "Without autotuning cuDNN, or the framework above it, guesses an algorithm from the shape. A "
               "new version "
               "guesses otherwise; the fast kernel is still there, as a search shows.",
       .moves = "conv --",
       .confirms = "autotuning (cudnn.benchmark, exhaustive search) recovers",
       .excludes = "autotuning changes nothing",
       .confused_with = {{"cudnn_version_regression", "does autotuning recover?"},
                         {"conv_layout_path", "is another layout normal?"}},
       .subject = Subject::software,
       .next = "time it with torch.backends.cudnn.benchmark = True (ONNX Runtime: "
               "cudnn_conv_algo_search=EXHAUSTIVE)",
       .reading =
           {"https://docs.nvidia.com/deeplearning/cudnn/latest/developer/core-concepts.html#heuristics"},
       .examine = examine_heuristic},
      {.name = "cudnn_version_regression",
       .title = "This version of cuDNN is slower at these convolutions",
       .what = "The kernels or the engines of another cuDNN are slower for these shapes, whatever algorithm "
               "is chosen.",
       .moves = "conv --, gemm16 0, hbm 0",
       .confirms = "the version differs between the two sides, the old one recovers, in both orders",
       .excludes = "autotuning recovers; the old version is as slow; cuDNN is of one version on both sides",
       .confused_with = {{"cudnn_heuristic_regression", "does autotuning recover?"},
                         {"mixed_library_versions", "do all cuDNN files come from one folder and version?"},
                         {"framework_op_regression", "was cuDNN itself exchanged?"}},
       .subject = Subject::software,
       .next = "install the earlier cuDNN beside the same framework and measure old, new, old",
       .reading = {"https://docs.nvidia.com/deeplearning/cudnn/latest/release-notes.html"},
       .examine = examine_cudnn_version},
      {.name = "cudnn_without_plan",
       .title = "cuDNN has no plan for an operation that it is given",
       .what =
           "A framework gives attention, or another fused operation, to cuDNN as a graph. Where no engine of this version "
           "takes it on this GPU, with these shapes, types and masks, the call ends with an error, and most frameworks do "
           "not go another way by themselves.",
       .moves = "attention x",
       .confirms = "cuDNN's frontend says that no plan or engine supports the graph",
       .excludes = "the loader cannot open nvrtc, or cuDNN's files are of unlike versions",
       .confused_with = {{"missing_cuda_libraries", "does the log name a library that cannot be opened?"},
                         {"mixed_library_versions", "does the log name a version mismatch?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next =
           "take another way: torch.backends.cuda.enable_cudnn_sdp(False); try a newer cuDNN of the same major version; "
           "CUDNN_LOGERR_DBG=1 CUDNN_LOGDEST_DBG=stderr ./program says why",
       .reading = {"https://github.com/pytorch/pytorch/issues/140930",
                   "https://github.com/NVIDIA/cudnn-frontend/issues/75"},
       .examine = examine_plan},
  };
}

}  // namespace gpugauge::diagnose

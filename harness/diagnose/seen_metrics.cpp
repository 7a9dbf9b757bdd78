// Questions about figures.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/error_codes.hpp"
#include "diagnose/seen.hpp"
#include "diagnose/vocabulary.hpp"

namespace gpugauge::diagnose {
namespace {

bool fits(const std::string& said, std::string_view wanted) {
  return wanted.empty() || contains(said, wanted);
}

bool fits(const Scope& scope, const Where& where) {
  return fits(scope.op, where.op) && fits(scope.dtype, where.dtype) && fits(scope.layout, where.layout) &&
         fits(scope.size, where.size) && fits(scope.library, where.library) && fits(scope.gpu, where.gpu) &&
         fits(scope.framework, where.framework) && fits(scope.phase, where.phase) &&
         fits(scope.path, where.path) && (!where.aligned || scope.aligned == where.aligned);
}

/// A start that takes this many seconds is slow in any comparison.
constexpr double slow_start_seconds = 15;

/// The class that the scope of a coarse figure implies: an "application" whose operation is all_reduce is a
/// collective. "" where it implies none. Only work between devices counts, because arithmetic in a framework
/// is no benchmark of the device.
std::string_view told_class(const Metric& metric) {
  if (metric.metric_class != "application" && metric.metric_class != "framework_op") return "";
  const Scope& scope = metric.scope;
  if (contains(scope.library, "nccl") ||
      contains_any(scope.op, {"all_reduce", "allreduce", "all-reduce", "all_gather", "allgather",
                              "all-gather", "reduce_scatter", "reducescatter", "reduce-scatter", "alltoall",
                              "all_to_all", "all-to-all", "collective", "nccl", "sendrecv"}))
    return scope.size == "small" ? "coll_small" : "coll_large";
  // From one machine's device to another's it is the network's work.
  if (scope.path == "net" ||
      contains_any(scope.op, {"between two nodes", "between nodes", "between two machines"}))
    return "";
  constexpr std::array<std::string_view, 6> between{"p2p",          "nvlink",      "same_switch",
                                                    "cross_socket", "host_bridge", "chipset"};
  if (contains_any(scope.op,
                   {"device to device", "device-to-device", "p2p", "peer to peer", "peer-to-peer"}) ||
      std::find(between.begin(), between.end(), scope.path) != between.end())
    return "p2p";
  if (scope.direction == "d2h" || contains_any(scope.op, {"device to host", "device-to-host", "d2h", "dtoh"}))
    return "d2h";
  if (!scope.direction.empty() || contains_any(scope.op, {"host to device", "host-to-device", "h2d", "htod"}))
    return "h2d";
  return "";
}

bool is_slower(const Metric& metric, double at_least) {
  if (metric.fails) return true;
  if (!metric.factor) return at_least <= slower_from && is_noted_slower(metric);
  return slower_by_figure(metric) && (at_least <= slower_from || *metric.factor >= at_least);
}

}  // namespace

bool tells_of_harm(const std::string& line) {
  // The kernel writes this once for a module without a known signature, and loads the module.
  if (contains(line, "module verification failed*tainting kernel")) return false;
  const std::string told = without_none_counted(without_inactive(line));
  const bool harm = tells_any_xid(told) || contains_any_stated(told, {"fail",
                                                                      "error",
                                                                      "could not",
                                                                      "couldn't",
                                                                      "cannot",
                                                                      "can't",
                                                                      "unable",
                                                                      "warn",
                                                                      "not found",
                                                                      "disabled",
                                                                      "mismatch",
                                                                      "don't match",
                                                                      "not available",
                                                                      "not in available",
                                                                      "not compiled",
                                                                      "timeout",
                                                                      "timed out",
                                                                      "assert",
                                                                      "denied",
                                                                      "rejected",
                                                                      "refused",
                                                                      "falling back",
                                                                      "fallback",
                                                                      "fell back",
                                                                      "unsupported",
                                                                      "sxid",
                                                                      "not support",
                                                                      "throttl",
                                                                      "slowdown",
                                                                      "no device",
                                                                      "no plugin",
                                                                      "<inactive>",
                                                                      "oom_kill",
                                                                      "oom-kill",
                                                                      "OOM Killed",
                                                                      "corrupted",
                                                                      "Duplicate GPU",
                                                                      ": Degraded",
                                                                      "unhealthy",
                                                                      "CUDA out of memory",
                                                                      "OOM when allocating"});
  // States, settings and headings that healthy machines print.
  return harm &&
         !contains_any(line, {": Not Active", "using internal", ": Disabled", "Disabled |", "Slowdown T",
                              "Recovery : False", ": 0 us", "without errors", "without any errors",
                              "mismatch check passed", "Error Record Serialization", "errors=remount-ro",
                              "ASPM is disabled", "throttled=0", "Running pip as the 'root' user"});
}

bool slower_by_figure(const Metric& metric) {
  if (!metric.factor) return false;
  return metric.judged.empty() ? *metric.factor >= slower_from : metric.judged == "slower";
}

bool faster_by_figure(const Metric& metric) {
  if (!metric.factor) return false;
  return metric.judged.empty() ? *metric.factor <= 1 / slower_from : metric.judged == "faster";
}

std::optional<double> seconds_of(const Metric& metric) {
  if (!metric.value) return std::nullopt;
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr std::array<Unit, 10> units{{{"s", 1},
                                        {"sec", 1},
                                        {"second", 1},
                                        {"seconds", 1},
                                        {"ms", 1e-3},
                                        {"us", 1e-6},
                                        {"min", 60},
                                        {"minute", 60},
                                        {"minutes", 60},
                                        {"h", 3600}}};
  const std::string unit = lower(metric.unit);
  for (const Unit& known : units)
    if (unit == known.name) return *metric.value * known.seconds;
  return std::nullopt;
}

bool is_noted_slower(const Metric& metric) {
  if (metric.factor || metric.fails) return false;
  if (metric.judged == "slower") return true;
  const std::string& phase = metric.scope.phase;
  const bool start = metric.metric_class == "init" || metric.metric_class == "first_launch" ||
                     phase == "startup" || phase == "first_call";
  if (start && seconds_of(metric).value_or(0) >= slow_start_seconds) return true;
  // Excludes "throttle reasons: none", and "Lagrange", which contains "lag".
  const bool throttled = contains_any_affirmed(without_inactive(metric.note), {"throttl"}) &&
                         !contains_any(metric.note, {"throttl*: no", "throttl*=no", "throttl*= no",
                                                     "throttle reasons no", "throttl*: 0"});
  if (throttled || contains_any_affirmed(metric.note + " ", {"lag ", "lag,", "lag.", "lag;"})) return true;
  return contains_any_affirmed(metric.note, {"slow",
                                             "regress",
                                             "degrad",
                                             "crawl",
                                             "worse",
                                             "rose",
                                             "dropped",
                                             "drops",
                                             "longer",
                                             "extremely long",
                                             "stutter",
                                             "lags",
                                             "laggy",
                                             "sluggish",
                                             "underperf",
                                             "poor",
                                             "low fps",
                                             "low frame",
                                             "halved",
                                             "bottleneck",
                                             "utiliz*low",
                                             "utilis*low",
                                             "low*utiliz",
                                             "low*utilis",
                                             "use only",
                                             "uses only",
                                             "mostly idle",
                                             "takes*minutes",
                                             "needs*minutes",
                                             "minutes to start",
                                             "minutes until",
                                             "takes ages",
                                             "takes long",
                                             "takes very long",
                                             "delay of",
                                             "takes*hours",
                                             "takes forever",
                                             "bad performance",
                                             "less than half",
                                             "rate goes down",
                                             "fps goes down",
                                             "speed goes down",
                                             "performance goes down",
                                             "throughput goes down",
                                             "speed falls",
                                             "rate falls",
                                             "lower than before",
                                             "lower than usual",
                                             "lower than normal",
                                             "lower than it",
                                             "lower*expect",
                                             "less than*expect",
                                             "below*expect",
                                             "below the rated",
                                             "below*nominal",
                                             "% below",
                                             "percent below",
                                             "falls short",
                                             "does not reach",
                                             "several times as",
                                             "several times the",
                                             "times as long",
                                             "times the normal",
                                             "times the usual",
                                             "unplayable",
                                             "unusable",
                                             "choppy",
                                             "jerky",
                                             "stall",
                                             "pauses",
                                             "starv",
                                             "time*doubled",
                                             "doubled*time",
                                             "latency*doubled",
                                             "time*tripled",
                                             "half the",
                                             "half of the speed",
                                             "half of the rate",
                                             "half of the through",
                                             "half of the perf",
                                             "half of the band",
                                             "half of the expect",
                                             "half of the rated",
                                             "half of the other"});
}

std::string sentence(const Metric& metric) {
  constexpr double percent = 100;
  std::vector<std::string> narrowed;
  const Scope& scope = metric.scope;
  for (const std::string* word : {&scope.op, &scope.dtype, &scope.layout, &scope.size, &scope.library,
                                  &scope.gpu, &scope.node, &scope.framework, &scope.phase, &scope.path})
    if (!word->empty()) narrowed.push_back(*word);
  if (scope.aligned) narrowed.emplace_back(*scope.aligned ? "aligned" : "not aligned");
  std::string out = metric.metric_class;
  if (!narrowed.empty()) out += fmt::format(" ({})", fmt::join(narrowed, ", "));
  if (metric.fails) return out + " does not run";
  if (!metric.factor && is_noted_slower(metric))
    return metric.note.empty() ? out + " is slower, by how much is not told"
                               : fmt::format("{}: \"{}\"", out, metric.note);
  if (!metric.factor)
    return metric.value ? fmt::format("{} is {:g} {}", out, *metric.value, metric.unit) : out + " was seen";
  if (metric.note == against_physical_limit && *metric.factor > 1)
    return fmt::format("{} reaches {:.3g}% of the physical limit", out, percent / *metric.factor);
  if (slower_by_figure(metric))
    return fmt::format("{} is {:.{}g} times as slow", out, *metric.factor,
                       *metric.factor < slower_from ? 4 : 3);
  if (faster_by_figure(metric)) return fmt::format("{} is faster, {:.3g} of the time", out, *metric.factor);
  return out + " is unchanged";
}

std::vector<const Metric*> Seen::metrics(Words classes, const Where& where) const {
  std::vector<const Metric*> out;
  for (const Metric& metric : it_->metrics) {
    const auto is_one = [&](std::string_view name) {
      return std::find(classes.begin(), classes.end(), name) != classes.end();
    };
    const bool named = classes.size() == 0 || is_one(metric.metric_class) || is_one(told_class(metric));
    if (named && fits(metric.scope, where)) out.push_back(&metric);
  }
  return out;
}

Fact Seen::slower(Words classes, const Where& where, double at_least) const {
  const Metric* slowest = nullptr;
  for (const Metric* metric : metrics(classes, where)) {
    if (!is_slower(*metric, at_least)) continue;
    if (slowest == nullptr ||
        (!slowest->fails && (metric->fails || metric->factor.value_or(1) > slowest->factor.value_or(1))))
      slowest = metric;
  }
  if (slowest == nullptr) return std::nullopt;
  return sentence(*slowest);
}

Fact Seen::no_gain(const Where& where) const {
  for (const Metric* metric : metrics({}, where)) {
    const bool same = !metric->fails && !slower_by_figure(*metric) && !faster_by_figure(*metric);
    // Being as fast as before is normal for a healthy machine.
    const bool as_it_was =
        contains_any_word(metric->note, {"before", "earlier", "previous", "last", "yesterday", "usual",
                                         "ever", "always", "baseline", "reference"});
    if (same && !as_it_was &&
        contains_any_word(metric->note, {"no faster",
                                         "not faster",
                                         "no speedup",
                                         "no speed-up",
                                         "no speed up",
                                         "not speed up",
                                         "not any faster",
                                         "same speed as*bf16",
                                         "same speed as*fp16",
                                         "same speed as*bfloat",
                                         "same speed as*float",
                                         "same speed as*half",
                                         "same speed as*fp32",
                                         "same speed as*tf32",
                                         "no improvement over",
                                         "not noticeably faster",
                                         "no noticeable speed",
                                         "no noticeable gain",
                                         "no noticeable improvement over",
                                         "no gain over",
                                         "no benefit"}))
      return fmt::format("{}: \"{}\"", metric->metric_class, metric->note);
  }
  return std::nullopt;
}

Fact Seen::fails(Words classes, const Where& where) const {
  for (const Metric* metric : metrics(classes, where))
    if (metric->fails) return sentence(*metric);
  return std::nullopt;
}

Fact Seen::unchanged(Words classes, const Where& where) const {
  const Metric* one = nullptr;
  for (const Metric* metric : metrics(classes, where)) {
    if (is_slower(*metric, slower_from)) return std::nullopt;
    if (metric->factor) one = metric;
  }
  if (one == nullptr) return std::nullopt;
  return sentence(*one);
}

Movement Seen::movement(std::string_view metric_class) const {
  bool unchanged = false;
  bool faster = false;
  double slowest = 0;
  bool fails = false;
  for (const Metric* metric : metrics({metric_class})) {
    if (metric->fails) fails = true;
    if (is_noted_slower(*metric)) slowest = std::max(slowest, slower_from);
    if (!metric->factor) continue;
    if (is_slower(*metric, slower_from))
      slowest = std::max(slowest, *metric->factor);
    else
      (faster_by_figure(*metric) ? faster : unchanged) = true;
  }
  if ((fails || slowest > 0) && unchanged) return Movement::mixed;
  if (fails) return Movement::fails;
  if (slowest >= much_slower_from) return Movement::much_slower;
  if (slowest > 0) return Movement::slower;
  if (unchanged) return Movement::unchanged;
  return faster ? Movement::faster : Movement::not_measured;
}

bool Seen::compared() const {
  return std::any_of(it_->metrics.begin(), it_->metrics.end(),
                     [](const Metric& metric) { return metric.factor || metric.fails; });
}

bool Seen::harm_beside_lines() const {
  if (slower({}) || no_gain() || !it_->errors.empty() || on("ran_on", {"cpu"}) || on("libraries.missing"))
    return true;
  for (const Probe& probe : it_->probes)
    for (const std::string_view outcome : {"recovers", "slow", "worse", "fails", "no_overlap"})
      if (probe.outcome == outcome) return true;
  for (const Numerics& numerics : it_->numerics)
    if (numerics.tf32_switch_changes_result == false) return true;
  return false;
}

bool Seen::harm() const {
  return harm_beside_lines() || std::any_of(it_->log.begin(), it_->log.end(), tells_of_harm);
}

}  // namespace gpugauge::diagnose

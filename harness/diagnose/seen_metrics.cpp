// Questions about figures.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/seen.hpp"

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

/// No figure, but the report's word for it.
bool is_noted_slower(const Metric& metric) {
  return !metric.factor && !metric.fails &&
         contains_any_word(metric.note, {"slow", "regress", "degrad", "crawl", "worse", "rose", "dropped"}) &&
         !contains_any_word(metric.note, {"not slow", "no slower", "never slow"});
}

bool is_slower(const Metric& metric, double at_least) {
  return metric.fails ||
         (metric.factor ? *metric.factor >= at_least : at_least <= slower_from && is_noted_slower(metric));
}

bool is_faster(const Metric& metric) {
  return metric.factor && *metric.factor <= 1 / slower_from;
}

}  // namespace

std::string sentence(const Metric& metric) {
  std::vector<std::string> narrowed;
  const Scope& scope = metric.scope;
  for (const std::string* word : {&scope.op, &scope.dtype, &scope.layout, &scope.size, &scope.library,
                                  &scope.gpu, &scope.node, &scope.framework, &scope.phase, &scope.path})
    if (!word->empty()) narrowed.push_back(*word);
  if (scope.aligned) narrowed.emplace_back(*scope.aligned ? "aligned" : "not aligned");
  std::string out = metric.metric_class;
  if (!narrowed.empty()) out += fmt::format(" ({})", fmt::join(narrowed, ", "));
  if (metric.fails) return out + " does not run";
  if (is_noted_slower(metric)) return fmt::format("{}: \"{}\"", out, metric.note);
  if (!metric.factor)
    return metric.value ? fmt::format("{} is {:g} {}", out, *metric.value, metric.unit) : out + " was seen";
  if (is_slower(metric, slower_from)) return fmt::format("{} is {:.3g} times as slow", out, *metric.factor);
  if (is_faster(metric)) return fmt::format("{} is faster, {:.3g} of the time", out, *metric.factor);
  return out + " is unchanged";
}

std::vector<const Metric*> Seen::metrics(Words classes, const Where& where) const {
  std::vector<const Metric*> out;
  for (const Metric& metric : it_->metrics) {
    const bool named = classes.size() == 0 ||
                       std::find(classes.begin(), classes.end(), metric.metric_class) != classes.end();
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
    if (!metric->factor) continue;
    if (is_slower(*metric, slower_from))
      slowest = std::max(slowest, *metric->factor);
    else
      (is_faster(*metric) ? faster : unchanged) = true;
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

bool Seen::harm() const {
  if (slower({}) || !it_->errors.empty() || on("ran_on", {"cpu"}) || on("libraries.missing")) return true;
  for (const Probe& probe : it_->probes)
    for (const std::string_view outcome : {"recovers", "slow", "worse", "fails", "no_overlap"})
      if (probe.outcome == outcome) return true;
  for (const Numerics& numerics : it_->numerics)
    if (numerics.tf32_switch_changes_result == false) return true;
  return said({"fail",        "error",         "could not",     "couldn't",         "cannot",
               "can't",       "unable",        "warn",          "not found",        "disabled",
               "mismatch",    "don't match",   "not available", "not in available", "not compiled",
               "timeout",     "timed out",     "assert",        "denied",           "rejected",
               "refused",     "falling back",  "fallback",      "fell back",        "xid",
               "unsupported", "not supported", "throttl",       "slowdown",         "no device",
               "no plugin"})
      .has_value();
}

}  // namespace gpugauge::diagnose

// Blank verdicts of the physical judges. Each covers one round until the caller counts more.
#pragma once

#include <string>
#include <utility>

#include "judge/collect.hpp"
#include "judge/statistics.hpp"
#include "judge/verdict.hpp"

namespace gpugauge::judge {

/// A verdict without a figure, on something that did not run, disappeared or went wrong. `name` identifies
/// it: "gpu/lost", a family, a benchmark's id.
inline Verdict physical_verdict(std::string name, VerdictKind kind, std::string reason) {
  Verdict out;
  out.kind = kind;
  out.judge = Judge::physical;
  out.metric = std::move(name);
  out.rounds = 1;
  out.reason = std::move(reason);
  return out;
}

/// A verdict on a metric, with the median of its processes, ok and without a reason. `metric` must have
/// values.
inline Verdict physical_verdict(std::string key, const MetricValues& metric) {
  Verdict out = physical_verdict(std::move(key), VerdictKind::ok, "");
  out.metric_class = metric.form.metric_class;
  out.unit = metric.form.unit;
  out.better = metric.form.better;
  out.value = median(metric.values);
  return out;
}

}  // namespace gpugauge::judge

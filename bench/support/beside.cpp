#include "support/beside.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "result/metric_of.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench {
namespace {

const result::BenchmarkResult* measured(const result::Samples& samples, const std::string& id) {
  for (const result::BenchmarkResult& result : samples.benchmarks)
    if (result.id == id && result.status == result::Status::ok) return &result;
  return nullptr;
}

/// The median of a rate over that of the other benchmark; nullopt where it has none.
std::optional<result::Metric> over(const result::Metric& own, const result::BenchmarkResult& other,
                                   const Definition& definition, const std::string& name) {
  if (own.statistic != to_string(Statistic::median) || own.unit != definition.unit()) return std::nullopt;
  const result::Metric* const reference = result::metric_of(other, own.name);
  if (reference == nullptr || reference->unit != own.unit) return std::nullopt;
  const bool lower = own.better == result::Direction::lower;
  const double value = lower ? reference->value / own.value : own.value / reference->value;
  if (!std::isfinite(value)) return std::nullopt;
  result::Metric metric;
  metric.name = fmt::format("{}_over_{}", own.name, name);
  metric.unit = "1";
  metric.better = result::Direction::higher;
  metric.metric_class = own.metric_class;
  metric.statistic = "ratio";
  metric.value = rounded(value);
  metric.judged = false;
  metric.note =
      fmt::format("recorded only: what it reaches of {}; it falls as well where that got faster", other.id);
  return metric;
}

}  // namespace

void add_beside(result::Samples& samples, const std::vector<Instance>& known) {
  for (const Instance& instance : known) {
    const std::string id = instance.beside();
    if (id.empty()) continue;
    const auto own = std::find_if(
        samples.benchmarks.begin(), samples.benchmarks.end(),
        [&](const auto& result) { return result.id == instance.id && result.status == result::Status::ok; });
    const result::BenchmarkResult* const other = measured(samples, id);
    if (own == samples.benchmarks.end() || other == nullptr) continue;
    std::vector<result::Metric> found;
    for (const result::Metric& metric : own->metrics)
      if (auto share = over(metric, *other, *instance.definition, instance.definition->beside_name))
        found.push_back(std::move(*share));
    own->metrics.insert(own->metrics.end(), found.begin(), found.end());
  }
}

}  // namespace gpugauge::bench

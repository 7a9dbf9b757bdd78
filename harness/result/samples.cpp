#include "result/samples.hpp"

#include "result/json_array.hpp"
#include "result/samples_json.hpp"

namespace gpugauge::result {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const Limit& limit) {
  ordered_json out{{"value", limit.value}, {"source", limit.source}, {"saturating", limit.saturating}};
  if (limit.floor) out["floor"] = *limit.floor;
  return out;
}

ordered_json json_of(const Metric& metric) {
  ordered_json out{{"name", metric.name},
                   {"unit", metric.unit},
                   {"better", to_string(metric.better)},
                   {"class", metric.metric_class},
                   {"statistic", metric.statistic},
                   {"value", metric.value},
                   {"resolution", metric.resolution},
                   {"judged", metric.judged},
                   {"note", metric.note}};
  if (metric.limit) out["limit"] = json_of(*metric.limit);
  return out;
}

ordered_json json_of(const Verification& check) {
  ordered_json out{{"method", check.method}, {"passed", check.passed}};
  if (check.error) out["error"] = *check.error;
  if (check.tolerance) out["tolerance"] = *check.tolerance;
  return out;
}

ordered_json json_of(const Batches& batches) {
  return {{"operations_per_batch", batches.operations_per_batch},
          {"seconds_per_operation", batches.seconds_per_operation},
          {"cpu_seconds_per_operation", batches.cpu_seconds_per_operation},
          {"sm_clock_hz", batches.sm_clock_hz},
          {"window_seconds", batches.window_seconds},
          {"cpu_seconds", batches.cpu_seconds}};
}

ordered_json json_of(const Timeline& timeline) {
  ordered_json out{{"began", timeline.began}};
  if (timeline.warming) out["warming"] = *timeline.warming;
  if (timeline.timed) out["timed"] = *timeline.timed;
  out["ended"] = timeline.ended;
  return out;
}

ordered_json json_of(const BenchmarkResult& result) {
  ordered_json out{
      {"id", result.id},
      {"status", to_string(result.status)},
      {"reason", result.reason},
      {"parameters", result.parameters},
      {"notes", result.notes},
      {"work", {{"bytes", result.work.bytes}, {"flops", result.work.flops}, {"items", result.work.items}}},
      {"metrics", array_of(result.metrics, json_of)},
      {"verifications", array_of(result.verifications, json_of)},
      {"batches", json_of(result.batches)}};
  if (result.timeline) out["timeline"] = json_of(*result.timeline);
  return out;
}

}  // namespace

ordered_json json_of(const Samples& samples) {
  return {{"schema", samples_schema},
          {"family", samples.family},
          {"status", to_string(samples.status)},
          {"reason", samples.reason},
          {"suite_version", samples.suite_version},
          {"source_hash", samples.source_hash},
          {"seed", samples.seed},
          {"context", samples.context},
          {"benchmarks", array_of(samples.benchmarks, json_of)}};
}

std::string to_json(const Samples& samples) {
  validate(samples);
  return dump_json(json_of(samples));
}

}  // namespace gpugauge::result

#include "result/samples.hpp"

#include <stdexcept>

#include "result/file.hpp"
#include "result/samples_json.hpp"

namespace gpugauge::result {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// A word of the vocabulary; an unknown one is refused at its place.
template <typename From>
auto word(ObjectReader& reader, const std::string& key, const From& from) {
  try {
    return from(reader.text(key));
  } catch (const std::invalid_argument& error) {
    reader.place().key(key).refuse(error.what());
  }
}

ordered_json json_of(const Limit& limit) {
  ordered_json out{{"value", limit.value}, {"source", limit.source}, {"saturating", limit.saturating}};
  if (limit.floor) out["floor"] = *limit.floor;
  return out;
}

Limit limit_from(const json& value, const Place& place) {
  ObjectReader reader(value, place);
  Limit limit{reader.number("value"), reader.text("source"), reader.boolean("saturating"),
              reader.optional_number("floor")};
  reader.done();
  return limit;
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

Metric metric_from(const json& value, const Place& place) {
  ObjectReader reader(value, place);
  Metric metric;
  metric.name = reader.text("name");
  metric.unit = reader.text("unit");
  metric.better = word(reader, "better", direction_from);
  metric.metric_class = reader.text("class");
  metric.statistic = reader.text("statistic");
  metric.value = reader.number("value");
  metric.resolution = reader.number("resolution");
  metric.judged = reader.boolean("judged");
  metric.note = reader.text("note");
  if (const json* limit = reader.optional("limit")) metric.limit = limit_from(*limit, place.key("limit"));
  reader.done();
  return metric;
}

ordered_json json_of(const Verification& check) {
  ordered_json out{{"method", check.method}, {"passed", check.passed}};
  if (check.error) out["error"] = *check.error;
  if (check.tolerance) out["tolerance"] = *check.tolerance;
  return out;
}

Verification verification_from(const json& value, const Place& place) {
  ObjectReader reader(value, place);
  Verification check{reader.text("method"), reader.boolean("passed"), reader.optional_number("error"),
                     reader.optional_number("tolerance")};
  reader.done();
  return check;
}

ordered_json json_of(const Batches& batches) {
  return {{"operations_per_batch", batches.operations_per_batch},
          {"seconds_per_operation", batches.seconds_per_operation},
          {"cpu_seconds_per_operation", batches.cpu_seconds_per_operation},
          {"sm_clock_hz", batches.sm_clock_hz},
          {"window_seconds", batches.window_seconds},
          {"cpu_seconds", batches.cpu_seconds}};
}

Batches batches_from(const json& value, const Place& place) {
  ObjectReader reader(value, place);
  Batches batches;
  batches.operations_per_batch = reader.integer("operations_per_batch");
  batches.seconds_per_operation = reader.numbers("seconds_per_operation");
  batches.cpu_seconds_per_operation = reader.numbers("cpu_seconds_per_operation");
  batches.sm_clock_hz = reader.numbers("sm_clock_hz");
  batches.window_seconds = reader.number("window_seconds");
  batches.cpu_seconds = reader.number("cpu_seconds");
  reader.done();
  return batches;
}

Work work_from(const json& value, const Place& place) {
  ObjectReader reader(value, place);
  const Work work{reader.number("bytes"), reader.number("flops"), reader.number("items")};
  reader.done();
  return work;
}

ordered_json json_of(const BenchmarkResult& result);

template <typename T>
ordered_json array_of(const std::vector<T>& values) {
  ordered_json out = ordered_json::array();
  for (const T& value : values) out.push_back(json_of(value));
  return out;
}

ordered_json json_of(const BenchmarkResult& result) {
  return {
      {"id", result.id},
      {"status", to_string(result.status)},
      {"reason", result.reason},
      {"parameters", result.parameters},
      {"notes", result.notes},
      {"work", {{"bytes", result.work.bytes}, {"flops", result.work.flops}, {"items", result.work.items}}},
      {"metrics", array_of(result.metrics)},
      {"verifications", array_of(result.verifications)},
      {"batches", json_of(result.batches)}};
}

BenchmarkResult benchmark_from(const json& value, const Place& place) {
  ObjectReader reader(value, place);
  BenchmarkResult result;
  result.id = reader.text("id");
  result.status = word(reader, "status", status_from);
  result.reason = reader.text("reason");
  result.parameters = reader.text_map("parameters");
  result.notes = reader.text_map("notes");
  result.work = work_from(reader.object("work"), place.key("work"));
  reader.each("metrics", [&](const json& element, const Place& where) {
    result.metrics.push_back(metric_from(element, where));
  });
  reader.each("verifications", [&](const json& element, const Place& where) {
    result.verifications.push_back(verification_from(element, where));
  });
  result.batches = batches_from(reader.object("batches"), place.key("batches"));
  reader.done();
  return result;
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
          {"benchmarks", array_of(samples.benchmarks)}};
}

Samples samples_from(const json& value, const Place& place) {
  ObjectReader reader(value, place);
  require_schema(reader, samples_schema);
  Samples samples;
  samples.family = reader.text("family");
  samples.status = word(reader, "status", status_from);
  samples.reason = reader.text("reason");
  samples.suite_version = reader.text("suite_version");
  samples.source_hash = reader.text("source_hash");
  samples.seed = reader.unsigned_integer("seed");
  samples.context = reader.text_map("context");
  reader.each("benchmarks", [&](const json& element, const Place& where) {
    samples.benchmarks.push_back(benchmark_from(element, where));
  });
  reader.done();
  try {
    validate(samples);
  } catch (const std::invalid_argument& error) {
    place.refuse(error.what());
  }
  return samples;
}

std::string to_json(const Samples& samples) {
  validate(samples);
  return dump_json(json_of(samples));
}

Samples parse_samples(const std::string& text, const std::string& origin) {
  return samples_from(parse_json(text, origin), Place{origin, ""});
}

Samples read_samples(const std::filesystem::path& file) {
  return parse_samples(read_file(file), file.string());
}

}  // namespace gpugauge::result

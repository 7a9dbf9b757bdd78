// Reads sample files, alone or inside a run file.
#include <stdexcept>

#include <fmt/format.h>

#include "result/counted.hpp"
#include "result/file.hpp"
#include "result/samples_json.hpp"

namespace gpugauge::result {
namespace {

Limit limit_from(JsonCursor& in) {
  Limit limit;
  in.object(member("value", limit.value), member("source", limit.source),
            member("saturating", limit.saturating), optional_member("floor", limit.floor));
  return limit;
}

// Each of these sets every field, because the object may hold old values.

void read(JsonCursor& in, Metric& metric) {
  metric.limit.reset();
  in.object(member("name", metric.name), member("unit", metric.unit),
            member("better", [&] { metric.better = word(in, direction_from); }),
            member("class", metric.metric_class), member("statistic", metric.statistic),
            member("value", metric.value), member("resolution", metric.resolution),
            member("judged", metric.judged), member("note", metric.note),
            optional_member("limit", [&] { metric.limit = limit_from(in); }));
}

void read(JsonCursor& in, Verification& check) {
  check.error.reset();
  check.tolerance.reset();
  in.object(member("method", check.method), member("passed", check.passed),
            optional_member("error", check.error), optional_member("tolerance", check.tolerance));
}

Work work_from(JsonCursor& in) {
  Work work;
  in.object(member("bytes", work.bytes), member("flops", work.flops), member("items", work.items));
  return work;
}

void read(JsonCursor& in, Batches& batches, Detail detail) {
  std::size_t count = 0;
  std::size_t cpu_count = 0;
  std::size_t clock_count = 0;
  const auto series = [&](std::vector<double>& values, std::size_t& length) {
    values.clear();
    return [&in, &values, &length, detail] {
      if (detail == Detail::all)
        in.read(values);
      else
        length = in.skip_numbers();
    };
  };
  in.object(member("operations_per_batch", batches.operations_per_batch),
            member("seconds_per_operation", series(batches.seconds_per_operation, count)),
            member("cpu_seconds_per_operation", series(batches.cpu_seconds_per_operation, cpu_count)),
            member("sm_clock_hz", series(batches.sm_clock_hz, clock_count)),
            member("window_seconds", batches.window_seconds), member("cpu_seconds", batches.cpu_seconds));
  for (const std::size_t length : {cpu_count, clock_count})
    if (length != 0 && length != count)
      in.refuse(fmt::format("a series has {} for {}", counted(length, "entry", "entries"),
                            counted(count, "batch", "batches")));
}

Timeline timeline_from(JsonCursor& in) {
  Timeline timeline;
  in.object(member("began", timeline.began), optional_member("warming", timeline.warming),
            optional_member("timed", timeline.timed), member("ended", timeline.ended));
  return timeline;
}

/// Its notes hold the checksums, which GPUs of one model must share.
constexpr std::string_view compared_by_notes = "integrity/";

void read(JsonCursor& in, BenchmarkResult& result, Detail detail) {
  result.id.clear();
  result.parameters.clear();
  result.notes.clear();
  result.timeline.reset();
  const auto read_parameters = [&] {
    if (detail == Detail::all)
      in.read(result.parameters);
    else
      in.skip();
  };
  // Writers put the id and the status first. If the id is still unknown, the notes are kept. So are those of
  // what could not be measured: they say whether its device was only in use.
  const auto read_notes = [&] {
    if (detail == Detail::all || result.id.empty() || result.id.starts_with(compared_by_notes) ||
        result.status == Status::unavailable)
      in.read(result.notes);
    else
      in.skip();
  };
  in.object(member("id", result.id), member("status", [&] { result.status = word(in, status_from); }),
            member("reason", result.reason), member("parameters", read_parameters),
            member("notes", read_notes), member("work", [&] { result.work = work_from(in); }),
            member("metrics", [&] { in.again(result.metrics, [&](Metric& metric) { read(in, metric); }); }),
            member("verifications",
                   [&] { in.again(result.verifications, [&](Verification& check) { read(in, check); }); }),
            member("batches", [&] { read(in, result.batches, detail); }),
            optional_member("timeline", [&] { result.timeline = timeline_from(in); }));
}

}  // namespace

void read(JsonCursor& in, Samples& samples, Detail detail) {
  const Place place = in.place();
  in.object(member("schema", [&] { require_schema(in.text(), samples_schema, place); }),
            member("family", samples.family),
            member("status", [&] { samples.status = word(in, status_from); }),
            member("reason", samples.reason), member("suite_version", samples.suite_version),
            member("source_hash", samples.source_hash), member("seed", samples.seed),
            member("context", samples.context), member("benchmarks", [&] {
              in.again(samples.benchmarks, [&](BenchmarkResult& result) { read(in, result, detail); });
            }));
  try {
    validate(samples);
  } catch (const std::invalid_argument& error) {
    place.refuse(error.what());
  }
}

Samples parse_samples(const std::string& text, const std::string& origin) {
  JsonCursor in(text, origin);
  Samples samples;
  read(in, samples, Detail::all);
  in.end();
  return samples;
}

Samples read_samples(const std::filesystem::path& file) {
  return parse_samples(read_file(file), file.string());
}

}  // namespace gpugauge::result

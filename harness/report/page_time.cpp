// Builds the HTML page's data on the course of a device's rounds.
#include <cmath>

#include "report/over_time.hpp"
#include "report/page_data.hpp"
#include "report/sustained.hpp"
#include "result/json_array.hpp"

namespace gpugauge::report {
namespace {

using nlohmann::ordered_json;

/// Telemetry is read twice a second, and a pixel is longer than this.
double hundredths(double seconds) {
  return std::round(seconds * 100) / 100;
}

ordered_json span_json(const Span& span) {
  return {hundredths(span.from), hundredths(span.to)};
}

/// The moments of all rounds; a null between two rounds breaks the line.
ordered_json drawn_line(const std::vector<std::vector<Moment>>& rounds) {
  ordered_json out = ordered_json::array();
  for (const std::vector<Moment>& round : rounds) {
    if (!out.empty() && !round.empty()) out.push_back({hundredths(round.front().seconds), nullptr});
    for (const Moment& one : round) out.push_back({hundredths(one.seconds), six_digits(one.value)});
  }
  return out;
}

ordered_json round_json(const RoundSpan& round) {
  const double limit = round.power_limit_watt;
  return {{"span", span_json(round.span)},
          {"power_limit", limit > 0 ? ordered_json(six_digits(limit)) : ordered_json(nullptr)}};
}

ordered_json family_json(const FamilySpans& family) {
  ordered_json benchmarks = ordered_json::array();
  for (const auto& [id, spans] : family.benchmarks)
    benchmarks.push_back({{"label", id}, {"spans", result::array_of(spans, span_json)}});
  return {{"label", family.family},
          {"spans", result::array_of(family.spans, span_json)},
          {"benchmarks", std::move(benchmarks)}};
}

ordered_json quantity_json(const Quantity& quantity) {
  return {{"title", quantity.title},
          {"unit", quantity.unit},
          {"lowest", six_digits(quantity.lowest)},
          {"median", six_digits(quantity.median)},
          {"highest", six_digits(quantity.highest)},
          {"samples", quantity.samples},
          {"points", drawn_line(quantity.rounds)}};
}

ordered_json reason_json(const ReasonSpans& reason) {
  return {{"label", reason.word},
          {"fault", reason.fault},
          {"samples", reason.samples},
          {"of", reason.of},
          {"spans", result::array_of(reason.spans, span_json)}};
}

ordered_json six_digits_of(const std::optional<double>& value) {
  return value ? ordered_json(six_digits(*value)) : ordered_json(nullptr);
}

ordered_json point_json(const SustainedPoint& point) {
  return {hundredths(point.seconds), six_digits(point.rate), six_digits_of(point.slowest_batch),
          six_digits_of(point.fastest_batch), six_digits_of(point.sm_clock_hz)};
}

ordered_json course_json(const Sustained& course) {
  return {{"benchmark", course.benchmark},         {"of", course.of},
          {"text", course_text(course)},           {"unit", course.unit},
          {"seconds", six_digits(course.seconds)}, {"points", result::array_of(course.points, point_json)}};
}

}  // namespace

ordered_json page_time(const std::vector<result::Run>& rounds) {
  const OverTime time = over_time(rounds);
  if (time.quantities.empty()) return nullptr;
  return {{"rounds", result::array_of(time.rounds, round_json)},
          {"left_out", time.left_out},
          {"families", result::array_of(time.families, family_json)},
          {"quantities", result::array_of(time.quantities, quantity_json)},
          {"reasons", result::array_of(time.reasons, reason_json)}};
}

ordered_json page_sustained(const std::vector<result::Run>& rounds) {
  return result::array_of(sustained(rounds), course_json);
}

}  // namespace gpugauge::report

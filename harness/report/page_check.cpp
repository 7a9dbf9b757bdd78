// Builds the HTML page's data for a check or compare.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include <fmt/format.h>

#include "diagnose/catalogue.hpp"
#include "report/diagnosis.hpp"
#include "report/digest.hpp"
#include "report/page_data.hpp"
#include "result/json_array.hpp"

namespace gpugauge::report {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_batches = 60;  ///< drawn per process

ordered_json optional(const std::optional<double>& value) {
  return value ? ordered_json(six_digits(*value)) : ordered_json(nullptr);
}

ordered_json verdict_json(const judge::Verdict& verdict) {
  return {{"verdict", to_string(verdict.kind)},
          {"judge", to_string(verdict.judge)},
          {"advisory", verdict.advisory},
          {"value", optional(verdict.value)},
          {"baseline", optional(verdict.baseline)},
          {"change", optional(verdict.change)},
          {"interval", optional(verdict.interval)},
          {"detects", optional(verdict.minimum_detectable_drop)},
          {"share", optional(verdict.share)},
          {"tolerance", six_digits(verdict.tolerance)},
          {"reason", verdict.reason}};
}

/// batch_values(), thinned evenly.
ordered_json batches_of(const result::BenchmarkResult& benchmark, const result::Metric& metric) {
  ordered_json out = ordered_json::array();
  const std::vector<double> values = batch_values(benchmark, metric);
  const std::size_t shown = std::min(most_batches, values.size());
  for (std::size_t i = 0; i < shown; ++i) out.push_back(six_digits(values[i * values.size() / shown]));
  return out;
}

/// Per metric: one array per run, with one entry per process.
struct Seen {
  std::map<std::string, ordered_json> values;
  std::map<std::string, ordered_json> batches;  ///< only of the first run that has it
};

Seen look_at(const std::vector<result::Run>& runs) {
  Seen out;
  for (const result::Run& run : runs) {
    std::map<std::string, ordered_json> here, batches;
    for (const result::Process& process : run.processes) {
      if (!process.samples) continue;
      for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) {
        if (benchmark.status != result::Status::ok) continue;
        for (const result::Metric& metric : benchmark.metrics) {
          const std::string key = result::metric_key(benchmark.id, metric.name);
          here[key].push_back(six_digits(metric.value));
          if (out.batches.count(key) == 0) batches[key].push_back(batches_of(benchmark, metric));
        }
      }
    }
    out.batches.merge(batches);
    for (auto& [key, values] : here) out.values[key].push_back(std::move(values));
  }
  return out;
}

ordered_json metrics_of(const DeviceReport& device) {
  const Seen now = look_at(device.rounds);
  const Seen then = look_at(device.reference);
  std::map<std::string, ordered_json> rows;
  for (const Measured& metric : summarise(device)) {
    ordered_json& row = rows[metric.key];
    row = {{"key", metric.key},
           {"class", metric.metric_class},
           {"unit", metric.unit},
           {"better", to_string(metric.better)},
           {"statistic", metric.statistic},
           {"judged", metric.judged},
           {"note", metric.note},
           {"value", six_digits(metric.value)},
           {"range", optional(metric.range)},
           {"best_batch", optional(metric.best_batch)},
           {"batch_spread", optional(metric.batch_spread)},
           {"share", optional(metric.share_of_limit)},
           {"verdicts", ordered_json::array()},
           {"now", now.values.at(metric.key)},
           {"batches", now.batches.at(metric.key)}};
    if (const auto found = then.values.find(metric.key); found != then.values.end())
      row["then"] = found->second;
  }
  // Verdicts of all judges, gravest first.
  std::vector<const judge::Verdict*> verdicts = gravest_verdicts(device.verdicts);
  const std::set<const judge::Verdict*> first(verdicts.begin(), verdicts.end());
  for (const judge::Verdict& verdict : device.verdicts)
    if (first.count(&verdict) == 0) verdicts.push_back(&verdict);
  for (const judge::Verdict* verdict : verdicts) {
    ordered_json& row = rows[verdict->metric];
    if (row.is_null())
      row = {{"key", verdict->metric},
             {"class", verdict->metric_class},
             {"unit", verdict->unit},
             {"better", to_string(verdict->better)},
             {"verdicts", ordered_json::array()}};
    row["verdicts"].push_back(verdict_json(*verdict));
  }
  for (const Trend& trend : device.trends)
    if (const auto found = rows.find(trend.metric); found != rows.end())
      for (const TrendPoint& point : trend.points)
        found->second["trend"].push_back({point.started, six_digits(point.value), point.changed});
  ordered_json out = ordered_json::array();
  for (auto& [key, row] : rows) out.push_back(std::move(row));
  return out;
}

ordered_json needed_of(const diagnose::Diagnosis& diagnosis) {
  ordered_json out = ordered_json::array();
  for (const diagnose::Needed& one : diagnosis.needed) out.push_back(one.cause + ": " + one.question);
  return out;
}

ordered_json lines_of(const std::vector<diagnose::Excluded>& causes) {
  ordered_json out = ordered_json::array();
  for (const diagnose::Excluded& one : causes) out.push_back(one.cause + ": " + one.why);
  return out;
}

/// The causes that no finding names: those that are excluded, and those that are not proven.
ordered_json others_of(const diagnose::Diagnosis& diagnosis) {
  return {{"excluded", lines_of(beside_findings(diagnosis.excluded, diagnosis))},
          {"unproven", lines_of(beside_findings(diagnosis.unproven, diagnosis))}};
}

/// What going back told stands below what was found on the device itself.
ordered_json page_findings_of(const DeviceReport& device) {
  ordered_json out = device.diagnosis ? page_findings(*device.diagnosis) : ordered_json::array();
  if (device.going_back)
    for (ordered_json& finding : page_findings(device.going_back->diagnosis))
      out.push_back(std::move(finding));
  return out;
}

/// The doctor's, in the form of page_findings(): without a score, since they follow from rules.
ordered_json page_findings_of(const std::vector<stack::Finding>& doctor) {
  return result::array_of(doctor, [](const stack::Finding& finding) {
    return ordered_json{{"cause", finding.cause},
                        {"title", finding.title},
                        {"score", nullptr},
                        {"confident", true},
                        {"evidence", finding.evidence},
                        {"excluded", ordered_json::array()},
                        {"unproven", ordered_json::array()},
                        {"next", finding.next}};
  });
}

ordered_json families_of(const DeviceReport& device) {
  ordered_json out = ordered_json::array();
  if (device.rounds.empty()) return out;
  for (const FamilyState& state : family_states(device.rounds.front()))
    out.push_back({{"family", state.family},
                   {"processes", state.processes},
                   {"ok", state.ok},
                   {"benchmarks", state.benchmarks},
                   {"reason", state.reason},
                   {"skipped", state.skipped}});
  return out;
}

ordered_json device_json(const DeviceReport& device) {
  ordered_json remarks = ordered_json::array();
  if (!device.baseline_origin.empty()) remarks.push_back(device.baseline_origin);
  for (const std::string& remark : device.remarks) remarks.push_back(remark);
  for (const result::Run& round : device.rounds)
    if (std::string sentence = disturbance(round); !sentence.empty()) remarks.push_back(std::move(sentence));
  for (const ProbeAsked& asked : device.probes) remarks.push_back(sentence(asked));
  const bool said = device.diagnosis && device.diagnosis->state == diagnose::State::unknown;
  return {{"label", device.label},
          {"selection", device.selection},
          {"outcome", page_outcome(device.outcome)},
          {"started", device.rounds.empty() ? "" : device.rounds.front().started},
          {"profile", device.rounds.empty() ? "" : device.rounds.front().profile},
          {"rounds", device.rounds.size()},
          {"seconds", six_digits(device.seconds)},
          {"remarks", std::move(remarks)},
          {"findings", page_findings_of(device)},
          {"diagnosis", said ? device.diagnosis->sentence : ""},
          {"needed", said ? needed_of(*device.diagnosis) : ordered_json::array()},
          {"others", others_of(device.diagnosis.value_or(diagnose::Diagnosis{}))},
          {"families", families_of(device)},
          {"time", page_time(device.rounds)},
          {"sustained", page_sustained(device.rounds)},
          {"metrics", metrics_of(device)}};
}

}  // namespace

double six_digits(double value) {
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

ordered_json page_outcome(const judge::Outcome& outcome) {
  return {{"code", static_cast<int>(outcome.code)},
          {"word", outcome_word(outcome)},
          {"sentence", outcome.sentence}};
}

ordered_json page_findings(const diagnose::Diagnosis& diagnosis) {
  ordered_json out = findings_json(diagnosis);
  for (ordered_json& finding : out) {
    const auto* signature = diagnose::find_signature(finding["cause"].get<std::string>());
    finding["title"] = signature == nullptr ? "" : std::string(signature->title);
    finding["confident"] = finding["score"].get<double>() >= diagnose::confident;
  }
  return out;
}

ordered_json page_data(const Report& report) {
  ordered_json stack = ordered_json::array();
  for (const stack::Layer& layer : report.stack) stack.push_back({layer.name, layer.version, layer.detail});
  ordered_json node = ordered_json::array();
  for (const judge::Verdict& verdict : report.node) {
    node.push_back(verdict_json(verdict));
    node.back()["metric"] = verdict.metric;
  }
  ordered_json devices = result::array_of(report.devices, device_json);
  return {{"kind", "check"},
          {"command", report.command},
          {"host", report.host},
          {"outcome", page_outcome(report.outcome)},
          {"gpu_explanation", report.gpu_explanation},
          {"findings", page_findings_of(report.findings)},
          {"stack", std::move(stack)},
          {"node", std::move(node)},
          {"devices", std::move(devices)}};
}

ordered_json page_data(const DiagnosisReport& made) {
  ordered_json alike = result::array_of(
      made.diagnosis.alike, [](const diagnose::Alike& one) { return ordered_json(in_one_line(one)); });
  return {{"kind", "diagnosis"},
          {"outcome",
           page_outcome({static_cast<judge::ExitCode>(exit_code(made.diagnosis)), made.diagnosis.sentence})},
          {"source", made.observation.about.source},
          {"findings", page_findings(made.diagnosis)},
          {"others", others_of(made.diagnosis)},
          {"remarks", needed_of(made.diagnosis)},
          {"alike", std::move(alike)}};
}

}  // namespace gpugauge::report

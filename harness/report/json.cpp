#include "report/json.hpp"

#include "report/diagnosis.hpp"
#include "report/finding_json.hpp"
#include "result/build.hpp"
#include "result/json_array.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::report {
namespace {

using nlohmann::ordered_json;

void set(ordered_json& object, const char* key, const std::optional<double>& value) {
  if (value) object[key] = *value;
}

ordered_json json_of(const judge::Verdict& verdict) {
  ordered_json out{{"metric", verdict.metric},
                   {"verdict", to_string(verdict.kind)},
                   {"judge", to_string(verdict.judge)},
                   {"class", verdict.metric_class},
                   {"unit", verdict.unit},
                   {"better", to_string(verdict.better)},
                   {"advisory", verdict.advisory},
                   {"tolerance", verdict.tolerance},
                   {"rounds", verdict.rounds},
                   {"reason", verdict.reason}};
  if (verdict.beside_others) out["beside_others"] = true;
  set(out, "value", verdict.value);
  set(out, "baseline", verdict.baseline);
  set(out, "change", verdict.change);
  set(out, "interval", verdict.interval);
  set(out, "minimum_detectable_drop", verdict.minimum_detectable_drop);
  set(out, "share_of_limit", verdict.share);
  set(out, "share_of_peak_at_highest_clock", verdict.share_at_highest_clock);
  return out;
}

ordered_json json_of(const Measured& measured) {
  ordered_json out{{"metric", measured.key},          {"class", measured.metric_class},
                   {"unit", measured.unit},           {"better", to_string(measured.better)},
                   {"statistic", measured.statistic}, {"value", measured.value},
                   {"processes", measured.processes}, {"batches", measured.batches},
                   {"judged", measured.judged},       {"note", measured.note}};
  set(out, "range", measured.range);
  set(out, "best_batch", measured.best_batch);
  set(out, "batch_spread", measured.batch_spread);
  set(out, "share_of_limit", measured.share_of_limit);
  return out;
}

ordered_json json_of(const FamilyState& state) {
  return {{"family", state.family},         {"processes", state.processes}, {"ok", state.ok},
          {"benchmarks", state.benchmarks}, {"reason", state.reason},       {"not_measured", state.skipped}};
}

ordered_json json_of(const judge::Outcome& outcome) {
  return {{"exit_code", static_cast<int>(outcome.code)}, {"sentence", outcome.sentence}};
}

ordered_json json_of(const ProbeAsked& asked) {
  return {{"probe", asked.probe},
          {"question", asked.question},
          {"between", asked.between},
          {"outcome", asked.outcome.empty() ? ordered_json() : ordered_json(asked.outcome)},
          {"found", asked.found},
          {"seconds", asked.seconds}};
}

ordered_json json_of(const judge::Decline& decline) {
  ordered_json out{{"metric", decline.metric},
                   {"since", decline.since},
                   {"checks", decline.nights},
                   {"change", decline.change},
                   {"tolerance", decline.tolerance}};
  set(out, "again", decline.again);
  return out;
}

ordered_json json_of(const GoingBack& told) {
  return {{"outcome", told.outcome.empty() ? ordered_json() : ordered_json(told.outcome)},
          {"sentence", told.sentence},
          {"findings", findings_json(told.diagnosis)}};
}

ordered_json json_of(const DeviceReport& device) {
  ordered_json files = ordered_json::array();
  for (const auto& file : device.files) files.push_back(file.string());
  ordered_json out{{"device", device.selection},         {"label", device.label},
                   {"outcome", json_of(device.outcome)}, {"baseline", device.baseline_origin},
                   {"rounds", device.rounds.size()},     {"seconds", device.seconds},
                   {"run_files", std::move(files)},      {"remarks", device.remarks}};
  ordered_json disturbed = ordered_json::array();
  for (const result::Run& round : device.rounds)
    if (std::string sentence = disturbance(round); !sentence.empty())
      disturbed.push_back(std::move(sentence));
  out["disturbances"] = std::move(disturbed);
  out["families"] = device.rounds.empty() ? ordered_json::array()
                                          : result::array_of(family_states(device.rounds.front()), json_of);
  out["verdicts"] = result::array_of(device.verdicts, json_of);
  out["declines"] = result::array_of(device.declines, json_of);
  out["findings"] = device.diagnosis ? findings_json(*device.diagnosis) : ordered_json::array();
  if (device.going_back) out["going_back"] = json_of(*device.going_back);
  out["probes"] = result::array_of(device.probes, json_of);
  out["measured"] = result::array_of(summarise(device), json_of);
  return out;
}

}  // namespace

std::string to_json(const Report& report) {
  ordered_json stack = ordered_json::array();
  for (const stack::Layer& layer : report.stack)
    stack.push_back({{"layer", layer.name}, {"version", layer.version}, {"detail", layer.detail}});
  return result::dump_json({{"schema", report_schema},
                            {"gpugauge", result::build().version},
                            {"commit", result::build().commit},
                            {"host", report.host},
                            {"outcome", json_of(report.outcome)},
                            {"gpu_explanation", report.gpu_explanation},
                            {"findings", result::array_of(report.findings, json_of)},
                            {"stack", std::move(stack)},
                            {"node", result::array_of(report.node, json_of)},
                            {"devices", result::array_of(report.devices, json_of)}});
}

}  // namespace gpugauge::report

// Writes and reads stored verdicts.
#include "report/stored_verdict.hpp"

#include <algorithm>

#include "report/digest.hpp"
#include "result/build.hpp"
#include "result/json_array.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::report {
namespace {

using judge::StoredVerdict;
using nlohmann::ordered_json;
using result::ObjectReader;
using result::Place;

void set(ordered_json& object, const char* key, const std::optional<double>& value) {
  if (value) object[key] = *value;
}

ordered_json json_of(const judge::StoredMetric& metric) {
  ordered_json out{{"metric", metric.metric},
                   {"verdict", metric.verdict},
                   {"advisory", metric.advisory},
                   {"unit", metric.unit},
                   {"reason", metric.reason}};
  set(out, "value", metric.value);
  set(out, "baseline", metric.baseline);
  set(out, "change", metric.change);
  return out;
}

ordered_json json_of(const judge::StoredFinding& finding) {
  return {{"cause", finding.cause}, {"score", finding.score}, {"next", finding.next}};
}

ordered_json json_of(const judge::SeenGpu& gpu) {
  return {{"address", gpu.address}, {"uuid", gpu.uuid}, {"name", gpu.name}};
}

judge::StoredMetric read_metric(const nlohmann::json& value, Place place) {
  ObjectReader reader(value, std::move(place));
  judge::StoredMetric out;
  out.metric = reader.text("metric");
  out.verdict = reader.text("verdict");
  out.advisory = reader.boolean("advisory");
  out.unit = reader.text("unit");
  out.reason = reader.text("reason");
  out.value = reader.optional_number("value");
  out.baseline = reader.optional_number("baseline");
  out.change = reader.optional_number("change");
  reader.done();
  return out;
}

judge::StoredFinding read_finding(const nlohmann::json& value, Place place) {
  ObjectReader reader(value, std::move(place));
  judge::StoredFinding out{reader.text("cause"), reader.number("score"), reader.texts("next")};
  reader.done();
  return out;
}

judge::SeenGpu read_gpu(const nlohmann::json& value, Place place) {
  ObjectReader reader(value, std::move(place));
  judge::SeenGpu out{reader.text("address"), reader.text("uuid"), reader.text("name")};
  reader.done();
  return out;
}

judge::Outcome read_outcome(const nlohmann::json& value, Place place, std::string& word) {
  ObjectReader reader(value, std::move(place));
  judge::Outcome out;
  const auto code = reader.integer("exit_code");
  if (code < 0 || code > static_cast<int>(judge::ExitCode::inconclusive))
    reader.place().key("exit_code").refuse("is none of 0 to 4");
  out.code = static_cast<judge::ExitCode>(code);
  word = reader.text("word");
  out.sentence = reader.text("sentence");
  reader.done();
  return out;
}

bool worth_saying(const judge::Verdict& verdict) {
  return verdict.kind != judge::VerdictKind::ok && verdict.kind != judge::VerdictKind::new_metric;
}

}  // namespace

StoredVerdict stored_verdict(const DeviceReport& device) {
  StoredVerdict out;
  out.device = device.selection;
  out.label = device.label;
  out.outcome = device.outcome;
  // A stored pass is a pass; its sentence says that nothing could be decided.
  out.word = device.outcome.code == judge::ExitCode::pass ? std::string(judge::to_string(device.outcome.code))
                                                          : outcome_word(device.outcome);
  out.baseline = device.baseline_origin;
  std::vector<const judge::Verdict*> verdicts = gravest_verdicts(device.verdicts);
  for (const judge::Verdict* verdict : verdicts) ++out.counts[std::string(to_string(verdict->kind))];
  std::erase_if(verdicts, [](const judge::Verdict* verdict) { return !worth_saying(*verdict); });
  const auto rank = [](const judge::Verdict* verdict) {
    return std::tuple(verdict->advisory, !grave(*verdict), -verdict->change.value_or(1));
  };
  std::stable_sort(verdicts.begin(), verdicts.end(),
                   [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  verdicts.resize(std::min(verdicts.size(), stored_metrics_most));
  for (const judge::Verdict* verdict : verdicts)
    out.worst.push_back({verdict->metric, std::string(to_string(verdict->kind)), verdict->advisory,
                         verdict->unit, verdict->value, verdict->baseline, verdict->change, verdict->reason});
  if (device.diagnosis)
    for (const diagnose::Finding& finding : device.diagnosis->findings)
      out.findings.push_back({finding.cause, finding.score, finding.next});
  if (!device.rounds.empty()) {
    const result::Run& first = device.rounds.front();
    out.boot_id = first.boot_id;
    out.started = first.started;
    out.profile = first.profile;
    out.stack = first.fingerprint.stack;
  }
  for (const auto& file : device.files) out.files.push_back(file.string());
  out.version = result::build().version;
  out.commit = result::build().commit;
  return out;
}

std::string to_json(const StoredVerdict& verdict) {
  ordered_json out{{"schema", verdict_schema},
                   {"gpugauge", verdict.version},
                   {"commit", verdict.commit},
                   {"device", verdict.device},
                   {"label", verdict.label},
                   {"address", verdict.address},
                   {"outcome",
                    {{"exit_code", static_cast<int>(verdict.outcome.code)},
                     {"word", verdict.word},
                     {"sentence", verdict.outcome.sentence}}},
                   {"boot_id", verdict.boot_id},
                   {"started", verdict.started},
                   {"finished", verdict.finished},
                   {"profile", verdict.profile},
                   {"narrowed", verdict.narrowed},
                   {"baseline", verdict.baseline},
                   {"counts", verdict.counts},
                   {"worst", result::array_of(verdict.worst, json_of)},
                   {"findings", result::array_of(verdict.findings, json_of)},
                   {"driver_version", verdict.driver_version},
                   {"gpus", result::array_of(verdict.gpus, json_of)},
                   {"container", verdict.container},
                   {"stack", verdict.stack},
                   {"run_files", verdict.files}};
  if (verdict.index) out["index"] = *verdict.index;
  return result::dump_json(out);
}

StoredVerdict parse_stored_verdict(const std::string& text, const std::string& origin) {
  const nlohmann::json value = result::parse_json(text, origin);
  ObjectReader reader(value, {origin, ""});
  result::require_schema(reader, verdict_schema);
  StoredVerdict out;
  out.version = reader.text("gpugauge");
  out.commit = reader.text("commit");
  out.device = reader.text("device");
  out.label = reader.text("label");
  out.address = reader.text("address");
  out.index = reader.optional_integer("index");
  out.outcome = read_outcome(reader.object("outcome"), reader.place().key("outcome"), out.word);
  out.boot_id = reader.text("boot_id");
  out.started = reader.text("started");
  out.finished = reader.text("finished");
  out.profile = reader.text("profile");
  out.narrowed = reader.texts("narrowed");
  out.baseline = reader.text("baseline");
  ObjectReader counts(reader.object("counts"), reader.place().key("counts"));
  for (const auto& [word, count] : reader.number_map("counts")) out.counts[word] = counts.small_integer(word);
  reader.each("worst", [&](const nlohmann::json& one, const Place& place) {
    out.worst.push_back(read_metric(one, place));
  });
  reader.each("findings", [&](const nlohmann::json& one, const Place& place) {
    out.findings.push_back(read_finding(one, place));
  });
  out.driver_version = reader.text("driver_version");
  reader.each("gpus", [&](const nlohmann::json& one, const Place& place) {
    out.gpus.push_back(read_gpu(one, place));
  });
  out.container = reader.text("container");
  out.stack = reader.text_map("stack");
  out.files = reader.texts("run_files");
  reader.done();
  return out;
}

}  // namespace gpugauge::report

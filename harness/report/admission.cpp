#include "report/admission.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/format.hpp"
#include "report/peers_json.hpp"
#include "report/table.hpp"
#include "result/build.hpp"
#include "result/facts.hpp"
#include "result/json_array.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::report {
namespace {

using judge::Admission;
using judge::AdmissionState;
using judge::Drift;
using nlohmann::ordered_json;

Tone tone(AdmissionState state) {
  return state == AdmissionState::admitted  ? Tone::good
         : state == AdmissionState::refused ? Tone::bad
                                            : Tone::doubt;
}

std::string drift_text(const Drift& drift) {
  const std::string role = drift.declared ? "declared" : drift.must_match ? "must match" : "may be a cause";
  return fmt::format("{}: {} here, {} on {} of {} {} ({})", drift.field, result::or_absent(drift.here),
                     result::or_absent(drift.usual), drift.runs, drift.of,
                     drift.must_match ? "devices" : "runs", role);
}

std::string draw_one(const Admission& one, const Terminal& terminal) {
  constexpr std::size_t most_drift = 8;
  constexpr std::size_t most_verdicts = 5;
  std::string out = fmt::format("  {}  {}\n", terminal.paint(plain(one.label), Tone::strong),
                                terminal.paint(to_string(one.state), tone(one.state)));
  const auto line = [&](const std::string& text) {
    out += "    " + wrap(plain(text), terminal.width, 6) + "\n";
  };
  line(one.reason);
  if (!one.reference.empty())
    line(fmt::format("compared with {}: {}", judge::in_words(one.peers), one.reference));
  if (one.metrics > 0) {
    line(fmt::format("what these {} let see: a drop of {} in the middle metric, {} in the worst ({})",
                     one.peers.many, detectable(one.detects_median), detectable(one.detects_worst),
                     one.worst_metric));
    if (one.blunt > 0)
      line(fmt::format(
          "{} of {} metrics show a drop only from twice their tolerance on: more {} would sharpen them",
          one.blunt, one.metrics, one.peers.many));
  }
  for (std::size_t i = 0; i < std::min(most_drift, one.drift.size()); ++i) line(drift_text(one.drift[i]));
  if (one.drift.size() > most_drift)
    line(fmt::format("and {} more that differ; --json has them all", one.drift.size() - most_drift));
  for (const std::string& remark : one.remarks) line(remark);
  for (std::size_t i = 0; i < std::min(most_verdicts, one.verdicts.size()); ++i) {
    const judge::Verdict& verdict = one.verdicts[i];
    const bool said =
        one.reason.find(verdict.reason) != std::string::npos;  // the first line holds the gravest one's
    line(fmt::format("{}: {}{}", verdict.metric, to_string(verdict.kind), said ? "" : ": " + verdict.reason));
  }
  if (one.verdicts.size() > most_verdicts)
    line(fmt::format("and {} more; --json has them all", one.verdicts.size() - most_verdicts));
  return out;
}

ordered_json json_of(const Drift& drift) {
  return {{"field", drift.field},      {"here", drift.here}, {"usual", drift.usual},
          {"runs", drift.runs},        {"of", drift.of},     {"must_match", drift.must_match},
          {"declared", drift.declared}};
}

ordered_json json_of(const Admission& one) {
  ordered_json out{{"node", one.label},          {"identity", one.node},
                   {"device", one.device},       {"state", to_string(one.state)},
                   {"reason", one.reason},       {"files", one.files},
                   {"reference", one.reference}, {"peers", one.peers.devices},
                   {"metrics", one.metrics}};
  if (one.metrics > 0)
    out["detects"] = {{"median", one.detects_median},
                      {"worst", one.detects_worst},
                      {"worst_metric", one.worst_metric},
                      {"blunt_metrics", one.blunt}};
  out["drift"] = result::array_of(one.drift, json_of);
  out["verdicts"] = ordered_json::array();
  for (const judge::Verdict& verdict : one.verdicts) out["verdicts"].push_back(peer_verdict_json(verdict));
  out["remarks"] = one.remarks;
  return out;
}

}  // namespace

std::string draw(const judge::Admissions& admissions, const Terminal& terminal) {
  std::string out;
  for (const Admission& one : admissions.nodes) out += draw_one(one, terminal) + "\n";
  for (const std::string& remark : admissions.remarks)
    out += "  " + wrap(plain(remark), terminal.width, 4) + "\n";
  const judge::ExitCode code = admissions.outcome.code;
  const Tone shown = code == judge::ExitCode::pass        ? Tone::good
                     : code == judge::ExitCode::regressed ? Tone::bad
                                                          : Tone::doubt;
  return out + terminal.paint(wrap(plain(admissions.outcome.sentence), terminal.width), shown) + "\n";
}

std::string to_json(const judge::Admissions& admissions) {
  return result::dump_json({{"schema", admission_schema},
                            {"gpugauge", result::build().version},
                            {"commit", result::build().commit},
                            {"outcome",
                             {{"exit_code", static_cast<int>(admissions.outcome.code)},
                              {"sentence", admissions.outcome.sentence}}},
                            {"remarks", admissions.remarks},
                            {"nodes", result::array_of(admissions.nodes, json_of)}});
}

}  // namespace gpugauge::report

#include "conductor/fault_read.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "judge/judge.hpp"
#include "judge/verdict.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::conductor {
namespace {

void read_device(const nlohmann::json& value, const result::Place& place, Beside beside,
                 report::InjectTrial& out) {
  result::ObjectReader device(value, place);
  result::ObjectReader end(device.object("outcome"), place.key("outcome"));
  const int code = end.small_integer("exit_code");
  out.found = code == static_cast<int>(judge::ExitCode::regressed);
  if (!out.found && code != static_cast<int>(judge::ExitCode::pass)) out.problem = end.text("sentence");
  device.each("verdicts", [&](const nlohmann::json& one, const result::Place& at) {
    result::ObjectReader verdict(one, at);
    const auto kind = judge::verdict_kind(verdict.text("verdict"));
    if (!kind) at.key("verdict").refuse("is no verdict");
    const nlohmann::json* const slower_beside = verdict.optional("beside_others");
    const bool shown = beside == Beside::a_program && slower_beside != nullptr && *slower_beside == true;
    if (shown && code == static_cast<int>(judge::ExitCode::cannot_judge)) {
      out.found = true;
      out.problem.clear();
    }
    if ((!judge::grave(*kind) && !shown) || verdict.boolean("advisory")) return;
    const std::string metric = verdict.text("metric");  // both judges may name the same metric
    if (std::find(out.metrics.begin(), out.metrics.end(), metric) == out.metrics.end())
      out.metrics.push_back(metric);
  });
  out.disturbed = device.texts("disturbances");
  device.each("findings", [&](const nlohmann::json& one, const result::Place& at) {
    result::ObjectReader finding(one, at);
    out.causes.push_back(finding.text("cause"));
    if (out.causes.size() == 1) out.score = finding.number("score");
  });
}

}  // namespace

report::InjectTrial check_trial(const std::string& report, Beside beside) {
  const std::string origin = "the report of the check";
  const nlohmann::json document = result::parse_json(report, origin);
  result::ObjectReader reader(document, {origin, ""});
  report::InjectTrial out;
  std::size_t devices = 0;
  reader.each("devices", [&](const nlohmann::json& one, const result::Place& place) {
    ++devices;
    read_device(one, place, beside, out);
  });
  if (devices == 0) {
    result::ObjectReader end(reader.object("outcome"), reader.place().key("outcome"));
    out.problem = end.text("sentence");
  }
  return out;
}

std::vector<std::string> doctor_causes(const std::string& report) {
  const std::string origin = "the doctor's report";
  const nlohmann::json document = result::parse_json(report, origin);
  result::ObjectReader reader(document, {origin, ""});
  std::vector<std::string> out;
  reader.each("findings", [&](const nlohmann::json& one, const result::Place& place) {
    result::ObjectReader finding(one, place);
    out.push_back(finding.text("cause"));
  });
  return out;
}

report::InjectTrial doctor_trial(const std::string& report, const std::set<std::string>& healthy) {
  report::InjectTrial out;
  for (const std::string& cause : doctor_causes(report))
    if (!healthy.contains(cause)) out.causes.push_back(cause);
  out.found = !out.causes.empty();
  return out;
}

std::string last_said(const std::string& errors, const std::string& fault) {
  constexpr std::string_view own = "gpugauge: ";
  std::istringstream lines(errors);
  std::string last;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) last = line;
  if (last.starts_with(own)) last.erase(0, own.size());
  while (last.ends_with('.')) last.pop_back();
  if (!last.empty()) return last;
  return fault.empty() ? "it said nothing" : "the command " + fault;
}

std::string without_place(std::string sentence, const std::filesystem::path& folder) {
  sentence.resize(std::min(sentence.size(), sentence.find("; it is kept as " + folder.string())));
  return sentence;
}

}  // namespace gpugauge::conductor

// A text file for node_exporter's textfile collector, which reads Prometheus' text format 0.0.4. The same
// file is valid OpenMetrics 1.0: gauges only, no timestamps, units in the names, "# UNIT" and "# EOF". The
// older format takes these two for comments.
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "report/digest.hpp"
#include "result/build.hpp"
#include "result/time.hpp"

namespace gpugauge::report {
namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

std::string escaped_label(std::string_view text) {
  std::string out;
  for (const char c : tame(text, 500)) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

/// Families in the order in which they are first added. Keeps the samples of each together, as both formats
/// require.
class Exposition {
 public:
  /// `unit` is the end of the name, "" for none. Help must hold neither quotes nor backslashes.
  void family(const std::string& name, std::string_view unit, std::string_view help) {
    if (families_.count(name) > 0) return;
    order_.push_back(name);
    std::string& text = families_[name];
    text = fmt::format("# HELP {} {}\n# TYPE {} gauge\n", name, help, name);
    if (!unit.empty()) text += fmt::format("# UNIT {} {}\n", name, unit);
  }
  void sample(const std::string& name, const Labels& labels, double value) {
    std::string text;
    for (const auto& [label, said] : labels)
      text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", label, escaped_label(said));
    // Each series may occur only once; truncated names could coincide.
    std::string series = text.empty() ? name : fmt::format("{}{{{}}}", name, text);
    if (!std::isfinite(value) || !seen_.emplace(series, true).second) return;
    families_.at(name) += fmt::format("{} {}\n", series, value);
  }
  std::string finish() const {
    std::string out;
    for (const std::string& name : order_) out += families_.at(name);
    return out + "# EOF\n";
  }

 private:
  std::vector<std::string> order_;
  std::map<std::string, std::string> families_;
  std::map<std::string, bool> seen_;
};

/// "byte/second" -> "bytes_per_second": Prometheus' form of base units.
std::string unit_name(std::string_view unit) {
  if (unit == "1") return "ratio";
  if (unit == "hertz" || unit == "celsius") return std::string(unit);
  const std::size_t at = unit.find('/');
  const std::string first = std::string(unit.substr(0, at)) + "s";
  return at == std::string_view::npos ? first : first + "_per_" + std::string(unit.substr(at + 1));
}

/// `report` ("check", "compare", "fleet", "diagnosis") distinguishes the series of several files in one
/// folder.
void add_common(Exposition& out, const Digest& made, const std::string& report) {
  out.family("gpugauge_build_info", "", "Version of the command that wrote this file; always 1.");
  out.sample("gpugauge_build_info",
             {{"report", report}, {"version", result::build().version}, {"commit", result::build().commit}},
             1);
  out.family("gpugauge_host_info", "", "The node that was measured; always 1.");
  if (!made.host.empty()) out.sample("gpugauge_host_info", {{"report", report}, {"host", made.host}}, 1);
  out.family("gpugauge_exit_code", "",
             "0 pass, 1 regressed or failed, 2 error, 3 cannot judge, 4 inconclusive with strict.");
  out.sample("gpugauge_exit_code", {{"report", report}}, static_cast<double>(made.outcome.code));
  out.family("gpugauge_stack_info", "", "A layer of the stack and its version; always 1.");
  for (const auto& [layer, version] : made.facts)
    out.sample("gpugauge_stack_info", {{"report", report}, {"layer", layer}, {"version", version}}, 1);
  out.family("gpugauge_finding_score_ratio", "ratio",
             "A cause that was found, and how sure that is, 0 to 1.");
  for (const DigestPart& part : made.parts)
    for (const DigestFinding& finding : part.findings)
      if (finding.node.empty() && finding.score)
        out.sample("gpugauge_finding_score_ratio",
                   {{"report", report}, {"device", part.id}, {"cause", finding.cause}}, *finding.score);
  out.family("gpugauge_doctor_finding", "", "Why no GPU is usable, as the doctor found it; always 1.");
  for (const DigestPart& part : made.parts)
    for (const DigestFinding& finding : part.findings)
      if (!finding.score)
        out.sample("gpugauge_doctor_finding", {{"report", report}, {"cause", finding.cause}}, 1);
  out.family("gpugauge_cases", "", "Metrics, nodes or causes by what was said of them.");
  for (const DigestPart& part : made.parts) {
    std::map<std::string, double> counts;
    for (const Case& one : part.cases) counts[one.word] += 1;
    for (const auto& [word, count] : counts)
      out.sample("gpugauge_cases", {{"report", report}, {"device", part.id}, {"verdict", word}}, count);
  }
}

void add_device(Exposition& out, const DeviceReport& device, const DigestPart& part,
                const std::string& report) {
  const std::string& id = device.selection;
  out.family("gpugauge_device_exit_code", "", "The exit code of one device alone.");
  out.sample("gpugauge_device_exit_code", {{"report", report}, {"device", id}},
             static_cast<double>(device.outcome.code));
  out.family("gpugauge_measured_time_seconds", "seconds", "When the measuring began, in seconds since 1970.");
  if (const auto time = result::unix_seconds(part.started))
    out.sample("gpugauge_measured_time_seconds", {{"report", report}, {"device", id}}, *time);
  out.family("gpugauge_metric_verdict", "", "The verdict on a metric; always 1.");
  out.family("gpugauge_metric_change_ratio", "ratio",
             "Change of a metric against its baseline; above 0 is worse.");
  out.family("gpugauge_metric_limit_share_ratio", "ratio", "Share of the physical limit; 1 is at the limit.");
  for (const Case& one : part.cases) {
    const Labels labels{{"report", report}, {"device", id}, {"metric", one.name}, {"class", one.suite}};
    Labels with_verdict = labels;
    with_verdict.emplace_back("verdict", one.word);
    out.sample("gpugauge_metric_verdict", with_verdict, 1);
    if (one.change) out.sample("gpugauge_metric_change_ratio", labels, *one.change);
  }
  for (const Measured& metric : summarise(device)) {
    const Labels labels{
        {"report", report}, {"device", id}, {"metric", metric.key}, {"class", metric.metric_class}};
    if (metric.share_of_limit)
      out.sample("gpugauge_metric_limit_share_ratio", labels, *metric.share_of_limit);
    const std::string unit = unit_name(metric.unit);
    const std::string name = "gpugauge_metric_" + unit;
    out.family(name, unit,
               "Of the rounds that the change is of; without a change the median over the rounds.");
    out.sample(name, labels, metric.value);
  }
}

void add_fleet(Exposition& out, const FleetReport& fleet) {
  const judge::PeersJudgement& judgement = fleet.judgement;
  out.family("gpugauge_fleet_nodes", "", "Nodes by state.");
  std::map<judge::NodeState, double> counts;
  for (const judge::NodeState state :
       {judge::NodeState::found, judge::NodeState::unread, judge::NodeState::not_judged,
        judge::NodeState::suspect, judge::NodeState::healthy})
    counts[state] = 0;
  for (const judge::NodeJudgement& node : judgement.nodes) ++counts[node.state];
  for (const auto& [state, count] : counts)
    out.sample("gpugauge_fleet_nodes", {{"state", std::string(to_string(state))}}, count);
  if (!judgement.hosts.empty()) {
    std::map<judge::NodeState, double> hosts;
    for (const auto& [state, count] : counts) hosts[state] = 0;
    for (const judge::HostJudgement& host : judgement.hosts) ++hosts[host.state];
    out.family("gpugauge_fleet_hosts", "", "Machines by the gravest state of what they hold.");
    for (const auto& [state, count] : hosts)
      out.sample("gpugauge_fleet_hosts", {{"state", std::string(to_string(state))}}, count);
  }
  out.family("gpugauge_fleet_host_state", "", "The state of a named machine that is not healthy; always 1.");
  for (const judge::HostJudgement& host : judgement.hosts)
    if (!host.name.empty() && host.state != judge::NodeState::healthy)
      out.sample("gpugauge_fleet_host_state",
                 {{"host", host.name}, {"state", std::string(to_string(host.state))}}, 1);
  out.family("gpugauge_fleet_node_state", "", "The state of a node that is not healthy; always 1.");
  out.family(
      "gpugauge_fleet_node_worst_change_ratio", "ratio",
      "Largest change of a metric that stands out, against the median of the nodes; above 0 is worse.");
  for (const judge::NodeJudgement& node : judgement.nodes) {
    if (node.state == judge::NodeState::healthy) continue;
    const Labels labels{{"node", node.label}, {"device", node.device}};
    Labels with_state = labels;
    with_state.emplace_back("state", std::string(to_string(node.state)));
    out.sample("gpugauge_fleet_node_state", with_state, 1);
    std::optional<double> worst;
    for (const judge::Verdict& verdict : node.verdicts)
      if (verdict.change && (!worst || *verdict.change > *worst)) worst = verdict.change;
    if (worst) out.sample("gpugauge_fleet_node_worst_change_ratio", labels, *worst);
  }
  out.family("gpugauge_fleet_node_finding_score_ratio", "ratio",
             "A cause that was found of a node, and how sure that is, 0 to 1.");
  for (const auto& [place, causes] : fleet.causes)
    for (const diagnose::Finding& finding : causes.diagnosis.findings)
      out.sample("gpugauge_fleet_node_finding_score_ratio",
                 {{"node", judgement.nodes[place].label},
                  {"device", judgement.nodes[place].device},
                  {"cause", finding.cause}},
                 finding.score);
}

}  // namespace

std::string openmetrics_text(const Subject& subject) {
  const Digest made = digest(subject);
  Exposition out;
  add_common(out, made, made.command);
  if (const auto* report = std::get_if<const Report*>(&subject)) {
    for (const DeviceReport& device : (*report)->devices)
      for (const DigestPart& part : made.parts)
        if (part.id == device.selection) add_device(out, device, part, made.command);
  } else if (const auto* fleet = std::get_if<const FleetReport*>(&subject)) {
    add_fleet(out, **fleet);
  }
  return out.finish();
}

}  // namespace gpugauge::report

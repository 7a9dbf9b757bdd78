// Reduces reports to cases for the formats of CI servers.
#include "report/digest.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/catalogue.hpp"
#include "judge/declines.hpp"
#include "report/diagnosis.hpp"
#include "report/fleet.hpp"
#include "report/sustained.hpp"
#include "result/counted.hpp"
#include "result/metric_key.hpp"

namespace gpugauge::report {
namespace {

using judge::ExitCode;
using judge::Verdict;
using judge::VerdictKind;

CaseState state_of(const Verdict& verdict) {
  switch (verdict.kind) {
    case VerdictKind::failed:
    case VerdictKind::regressed:
    case VerdictKind::missing:
      return verdict.advisory ? CaseState::skipped : CaseState::failed;
    case VerdictKind::inconclusive:
    case VerdictKind::unstable:
      return CaseState::skipped;
    case VerdictKind::ok:
    case VerdictKind::improved:
    case VerdictKind::new_metric:
      break;
  }
  return CaseState::passed;
}

Case case_of(const Verdict& verdict) {
  Case out;
  out.suite = verdict.metric_class.empty() ? "node" : verdict.metric_class;
  out.name = verdict.metric;
  out.state = state_of(verdict);
  out.word = std::string(to_string(verdict.kind)) + (verdict.advisory ? ", advisory" : "");
  out.reason = verdict.reason;
  out.unit = verdict.unit;
  out.value = verdict.value;
  out.baseline = verdict.baseline;
  out.change = verdict.change;
  out.share = verdict.share;
  return out;
}

void sort_worst_first(std::vector<Case>& cases) {
  std::stable_sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) {
    if (a.state != b.state) return a.state < b.state;
    if (a.change.value_or(0) != b.change.value_or(0)) return a.change.value_or(0) > b.change.value_or(0);
    return a.name < b.name;
  });
}

/// Adds families and benchmarks without a number, unless a judge has already reported them.
void add_unmeasured(const result::Run& run, std::vector<Case>& cases) {
  std::set<std::string> said;
  for (const Case& one : cases) said.insert(result::benchmark_of(one.name));
  for (const FamilyState& family : family_states(run))
    if (family.benchmarks == 0 && said.insert(family.family).second)
      cases.push_back({family.family, family.family, CaseState::error, "not measured",
                       family.reason.empty() ? "every benchmark was skipped" : family.reason});
  for (const result::Process& process : run.processes) {
    if (!process.samples) continue;
    for (const result::BenchmarkResult& benchmark : process.samples->benchmarks)
      if (benchmark.status != result::Status::ok && said.insert(benchmark.id).second)
        cases.push_back({process.family, benchmark.id,
                         benchmark.status == result::Status::skipped ? CaseState::skipped : CaseState::error,
                         std::string(to_string(benchmark.status)), benchmark.reason});
  }
}

/// What the monitor alarms of is in doubt and counts nowhere. The metric itself has a case by its verdict.
Case case_of(const judge::Decline& decline, const std::vector<Verdict>& verdicts) {
  Case out;
  out.suite = "monitor";
  out.name = "monitor: " + decline.metric;
  out.state = CaseState::skipped;
  out.word = "declining";
  out.reason = "worse than the baseline from check to check, " + judge::decline_text(decline);
  out.change = decline.change;
  for (const Verdict& verdict : verdicts)
    if (verdict.metric == decline.metric) out.suite = verdict.metric_class;
  return out;
}

std::vector<DigestFinding> findings_of(const diagnose::Diagnosis& diagnosis) {
  std::vector<DigestFinding> out;
  for (const diagnose::Finding& finding : diagnosis.findings) {
    const diagnose::Signature* signature = diagnose::find_signature(finding.cause);
    out.push_back({finding.cause, signature == nullptr ? "" : std::string(signature->title), finding.score,
                   finding.score >= diagnose::confident, finding.evidence, finding.next});
  }
  return out;
}

std::vector<DigestFinding> findings_of(const std::vector<stack::Finding>& doctor) {
  std::vector<DigestFinding> out;
  out.reserve(doctor.size());
  for (const stack::Finding& finding : doctor)
    out.push_back({finding.cause, finding.title, std::nullopt, true, finding.evidence, finding.next});
  return out;
}

/// Keeps the invariant. An outcome that no case shows becomes a case of its own; errors in a passed part
/// become skipped cases.
void agree(DigestPart& part) {
  const bool pass = part.outcome.code == ExitCode::pass;
  const auto bad = [](const Case& one) { return one.state <= CaseState::error; };
  if (pass) {
    for (Case& one : part.cases)
      if (one.state == CaseState::error) one.state = CaseState::skipped;
  } else if (std::none_of(part.cases.begin(), part.cases.end(), bad)) {
    const bool failed =
        part.outcome.code == ExitCode::regressed || part.outcome.code == ExitCode::inconclusive;
    part.cases.push_back({"verdict", "verdict", failed ? CaseState::failed : CaseState::error,
                          outcome_word(part.outcome), part.outcome.sentence});
  }
  sort_worst_first(part.cases);
}

DigestPart part_of(const DeviceReport& device) {
  DigestPart out;
  out.id = device.selection;
  out.label = device.label;
  out.seconds = device.seconds;
  out.outcome = device.outcome;
  if (!device.baseline_origin.empty()) out.remarks.push_back(device.baseline_origin);
  out.remarks.insert(out.remarks.end(), device.remarks.begin(), device.remarks.end());
  for (const result::Run& round : device.rounds)
    if (std::string sentence = disturbance(round); !sentence.empty())
      out.remarks.push_back(std::move(sentence));
  for (const ProbeAsked& asked : device.probes) out.remarks.push_back(sentence(asked));
  for (const Sustained& course : sustained(device.rounds)) out.remarks.push_back(sentence(course));
  for (const Verdict* verdict : gravest_verdicts(device.verdicts)) out.cases.push_back(case_of(*verdict));
  for (const judge::Decline& decline : device.declines)
    out.cases.push_back(case_of(decline, device.verdicts));
  if (!device.rounds.empty()) {
    out.started = device.rounds.front().started;
    add_unmeasured(device.rounds.front(), out.cases);
  }
  if (device.diagnosis) {
    out.findings = findings_of(*device.diagnosis);
    if (device.diagnosis->state == diagnose::State::unknown)
      out.remarks.push_back(device.diagnosis->sentence);
  }
  if (device.going_back)
    for (DigestFinding& finding : findings_of(device.going_back->diagnosis))
      out.findings.push_back(std::move(finding));
  agree(out);
  return out;
}

struct Make {
  Digest operator()(const Report* report) const {
    Digest out;
    out.command = report->command;
    out.host = report->host;
    out.outcome = report->outcome;
    for (const stack::Layer& layer : report->stack) out.facts.emplace_back(layer.name, layer.version);
    for (const DeviceReport& device : report->devices) out.parts.push_back(part_of(device));
    DigestPart node;
    node.id = node.label = "node";
    for (const Verdict& verdict : report->node) node.cases.push_back(case_of(verdict));
    if (!report->gpu_explanation.empty())
      node.cases.push_back({"node", "usable GPU", CaseState::error, "cannot judge", report->gpu_explanation});
    node.findings = findings_of(report->findings);
    // An outcome that no device shows belongs to the node.
    const auto shows = [&](const DigestPart& part) { return part.outcome.code == report->outcome.code; };
    const bool shown = std::any_of(out.parts.begin(), out.parts.end(), shows);
    const bool bad = std::any_of(node.cases.begin(), node.cases.end(),
                                 [](const Case& one) { return one.state <= CaseState::error; });
    if (!shown && !bad && report->outcome.code != ExitCode::pass)
      node.cases.push_back(
          {"verdict", "verdict", CaseState::error, outcome_word(report->outcome), report->outcome.sentence});
    node.outcome = report->outcome;
    sort_worst_first(node.cases);
    if (!node.cases.empty()) out.parts.insert(out.parts.begin(), std::move(node));
    return out;
  }

  Digest operator()(const FleetReport* fleet) const {
    const judge::PeersJudgement& judgement = fleet->judgement;
    Digest out;
    out.command = "fleet";
    out.outcome = judgement.outcome;
    DigestPart part;
    part.id = part.label = "fleet";
    part.outcome = judgement.outcome;
    for (const judge::PeerGroup& group : judgement.groups)
      part.remarks.push_back(fmt::format("{}: {}", group.counted, group.description));
    part.remarks.insert(part.remarks.end(), judgement.remarks.begin(), judgement.remarks.end());
    constexpr std::size_t most_drift = 8;
    for (std::size_t i = 0; i < std::min(most_drift, judgement.drift.size()); ++i)
      part.remarks.push_back("differs: " + drift_line(judgement.drift[i]));
    add_causes(*fleet, part);
    for (const judge::NodeJudgement& node : judgement.nodes) part.cases.push_back(case_of_node(node));
    for (const judge::FabricJudgement& fabric : judgement.fabrics) add_fabric(fabric, part.cases);
    agree(part);
    out.parts.push_back(std::move(part));
    return out;
  }

  Digest operator()(const DiagnosisReport* made) const {
    Digest out;
    out.command = "diagnosis";
    out.outcome = {static_cast<ExitCode>(exit_code(made->diagnosis)), made->diagnosis.sentence};
    DigestPart part;
    part.id = "diagnosis";
    part.label = made->observation.about.source;
    part.outcome = out.outcome;
    part.findings = findings_of(made->diagnosis);
    for (const DigestFinding& finding : part.findings)
      part.cases.push_back({"diagnosis", finding.cause, CaseState::failed,
                            finding.confident ? "confident" : "likely, not proven",
                            fmt::format("{}", fmt::join(finding.evidence, " "))});
    for (const diagnose::Needed& needed : made->diagnosis.needed)
      part.remarks.push_back(fmt::format("{}: {}", needed.cause, needed.question));
    for (const diagnose::Finding& finding : made->diagnosis.findings)
      if (!finding.doubt.empty())
        part.remarks.push_back(fmt::format("doubt: {}: {}", finding.cause, finding.doubt));
    for (const diagnose::Alike& one : made->diagnosis.alike) part.remarks.push_back(in_one_line(one));
    for (const diagnose::Excluded& one : beside_findings(made->diagnosis.excluded, made->diagnosis))
      part.remarks.push_back(fmt::format("excluded: {}: {}", one.cause, one.why));
    for (const diagnose::Excluded& one : beside_findings(made->diagnosis.unproven, made->diagnosis))
      part.remarks.push_back(fmt::format("not proven: {}: {}", one.cause, one.why));
    if (part.cases.empty() && out.outcome.code == ExitCode::pass)
      part.cases.push_back({"diagnosis", "healthy", CaseState::passed, "ok", made->diagnosis.sentence});
    agree(part);
    out.parts.push_back(std::move(part));
    return out;
  }

  /// The causes of the first nodes that have some.
  static void add_causes(const FleetReport& fleet, DigestPart& part) {
    constexpr std::size_t most_nodes = 10;
    std::size_t told = 0;
    for (const auto& [node, causes] : fleet.causes) {
      if (causes.diagnosis.findings.empty() || ++told > most_nodes) continue;
      for (DigestFinding& finding : findings_of(causes.diagnosis)) {
        finding.node = fleet.judgement.nodes[node].label;
        part.findings.push_back(std::move(finding));
      }
    }
    if (told > most_nodes)
      part.remarks.push_back(fmt::format("Causes were found on {}, too; the JSON report holds them all.",
                                         result::counted(told - most_nodes, "node")));
  }

  /// One case per finding; one passed case if there is none.
  static void add_fabric(const judge::FabricJudgement& fabric, std::vector<Case>& cases) {
    for (const judge::FabricFinding& finding : fabric.findings) {
      const bool open = finding.fault == judge::FabricFault::undecided;
      Case one{"between nodes", fmt::format("{}: {}", judge::joined(finding.nodes), fabric.metric),
               open ? CaseState::skipped : CaseState::failed, std::string(to_string(finding.fault)),
               finding.sentence};
      one.change = finding.change;
      cases.push_back(std::move(one));
    }
    if (!fabric.judged)
      cases.push_back({"between nodes", fabric.metric, CaseState::error, "not judged",
                       fmt::format("{}", fmt::join(fabric.remarks, "; "))});
    else if (fabric.findings.empty())
      cases.push_back({"between nodes", fabric.metric, CaseState::passed, "ok",
                       fmt::format("{} nodes, {} sets: no slow node and no slow path", fabric.nodes.size(),
                                   fabric.sets.size())});
  }

  static Case case_of_node(const judge::NodeJudgement& node) {
    constexpr std::size_t most_verdicts = 3;
    Case out;
    out.suite = "nodes";
    out.name = node.label;
    out.word = to_string(node.state);
    switch (node.state) {
      case judge::NodeState::found:
        out.state = CaseState::failed;
        break;
      case judge::NodeState::unread:
      case judge::NodeState::not_judged:
        out.state = CaseState::error;
        break;
      case judge::NodeState::suspect:
        out.state = CaseState::skipped;
        break;
      case judge::NodeState::healthy:
        break;
    }
    std::vector<std::string> reasons;
    if (!node.reason.empty()) reasons.push_back(node.reason);
    if (!node.verdicts.empty()) out.change = node.verdicts.front().change;  // of the metric named first
    const std::size_t told = std::min(node.verdicts.size(), most_verdicts);
    for (const Verdict& verdict : std::span(node.verdicts).first(told))
      reasons.push_back(fmt::format("{}: {}: {}", verdict.metric, to_string(verdict.kind), verdict.reason));
    if (node.verdicts.size() > told)
      reasons.push_back(fmt::format("and {} more", node.verdicts.size() - told));
    out.reason = fmt::format("{}", fmt::join(reasons, "; "));
    return out;
  }
};

}  // namespace

std::string certainty(const DigestFinding& finding) {
  if (!finding.score) return "by the doctor";
  return fmt::format("{:.2f}, {}", *finding.score, finding.confident ? "confident" : "likely, not proven");
}

std::string title(const Digest& digest) {
  return "GPUGauge " + digest.command;
}

std::string headline(const Digest& digest) {
  return title(digest) + (digest.host.empty() ? "" : " of " + digest.host);
}

Digest digest(const Subject& subject) {
  return std::visit(Make{}, subject);
}

std::string outcome_word(const judge::Outcome& outcome) {
  switch (outcome.code) {
    case ExitCode::pass:
      return outcome.decided ? "pass" : "pass so far";
    case ExitCode::regressed:
      return outcome.found ? std::string(to_string(*outcome.found)) : "finding";
    case ExitCode::error:
      return "error";
    case ExitCode::cannot_judge:
      return "cannot judge";
    case ExitCode::inconclusive:
      break;
  }
  return "inconclusive";
}

std::vector<std::pair<const DigestPart*, const Case*>> worst_cases(const Digest& digest) {
  std::vector<std::pair<const DigestPart*, const Case*>> out;
  for (const DigestPart& part : digest.parts)
    for (const Case& one : part.cases)
      if (one.state != CaseState::passed) out.emplace_back(&part, &one);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    if (a.second->state != b.second->state) return a.second->state < b.second->state;
    return a.second->change.value_or(0) > b.second->change.value_or(0);
  });
  return out;
}

std::vector<const Verdict*> gravest_verdicts(const std::vector<Verdict>& verdicts) {
  const auto gravity = [](const Verdict& verdict) {
    return std::tuple(!verdict.advisory, -static_cast<int>(state_of(verdict)),
                      verdict.judge == judge::Judge::baseline, verdict.kind != VerdictKind::ok);
  };
  std::map<std::string, const Verdict*> by_metric;
  for (const Verdict& verdict : verdicts) {
    const Verdict*& kept = by_metric[verdict.metric];
    if (kept == nullptr || gravity(verdict) > gravity(*kept)) kept = &verdict;
  }
  std::vector<const Verdict*> out;
  out.reserve(by_metric.size());
  for (const auto& [metric, verdict] : by_metric) out.push_back(verdict);
  return out;
}

}  // namespace gpugauge::report

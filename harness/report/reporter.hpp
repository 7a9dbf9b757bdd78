// The registry of output formats: one entry per format.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "diagnose/observation.hpp"
#include "judge/judge_peers.hpp"
#include "report/node_causes.hpp"
#include "report/summary.hpp"

namespace gpugauge::report {

/// A comparison of nodes: the judgement and its input values.
struct FleetReport {
  judge::PeersJudgement judgement;  ///< the judgement on the nodes
  judge::PeersInput input;          ///< the rounds with their values
  CausesOfNodes causes = {};        ///< of nodes that were found or are suspect
  judge::Policy policy = {};        ///< that the nodes were judged by
};

/// An observation and its diagnosis.
struct DiagnosisReport {
  diagnose::Observation observation;  ///< what was seen
  diagnose::Diagnosis diagnosis;      ///< the conclusions
};

/// The subject of a report: a check or compare, a fleet, or a diagnosis. Never null.
using Subject = std::variant<const Report*, const FleetReport*, const DiagnosisReport*>;

/// One output format.
struct Reporter {
  std::string_view kind;                ///< as in --report KIND=FILE
  std::string_view meaning;             ///< its purpose, in a few words
  std::string (*text)(const Subject&);  ///< the whole file
  /// True if its lines may precede the table on a terminal; other formats need standard output for
  /// themselves.
  bool beside_the_table = false;
};

/// All reporters, in the order in which help lists them.
std::span<const Reporter> reporters();
/// nullptr for an unknown kind.
const Reporter* find_reporter(std::string_view kind);
/// "json", "junit", ...: the kinds in that order.
std::vector<std::string_view> reporter_kinds();

// Each is defined in a file of its own in this folder.
std::string json_text(const Subject& subject);
std::string junit_text(const Subject& subject);
std::string markdown_text(const Subject& subject);
std::string annotations_text(const Subject& subject);
std::string openmetrics_text(const Subject& subject);
std::string html_text(const Subject& subject);

}  // namespace gpugauge::report

// What a result can be written as: one registry, one entry a format.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "diagnose/observation.hpp"
#include "judge/judge_peers.hpp"
#include "report/summary.hpp"

namespace gpugauge::report {

/// Nodes against each other: the judgement, and the values that it rests on.
struct FleetReport {
  judge::PeersJudgement judgement;  ///< what the nodes are found to be
  judge::PeersInput input;          ///< the rounds with their values
};

/// An observation and what was concluded from it.
struct DiagnosisReport {
  diagnose::Observation observation;  ///< what was seen
  diagnose::Diagnosis diagnosis;      ///< what follows from it
};

/// What is reported: a check or compare, a fleet, a diagnosis. Never null.
using Subject = std::variant<const Report*, const FleetReport*, const DiagnosisReport*>;

/// One format that a result can be written as.
struct Reporter {
  std::string_view kind;                ///< as in --report KIND=FILE
  std::string_view meaning;             ///< what it is for, a few words
  std::string (*text)(const Subject&);  ///< the whole file
  /// Lines that may stand before the table on a terminal; the others take standard output for themselves.
  bool beside_the_table = false;
};

/// Every reporter there is, in the order in which help lists them.
std::span<const Reporter> reporters();
/// nullptr for a kind that does not exist.
const Reporter* find_reporter(std::string_view kind);
/// "json, junit, ...": for sentences.
std::string reporter_kinds();

// One a file of this room.
std::string json_text(const Subject& subject);
std::string junit_text(const Subject& subject);
std::string markdown_text(const Subject& subject);
std::string annotations_text(const Subject& subject);
std::string openmetrics_text(const Subject& subject);
std::string html_text(const Subject& subject);

}  // namespace gpugauge::report

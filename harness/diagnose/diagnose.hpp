// Turns an observation into ranked causes. Pure: no clock, no file, no random number.
#pragma once

#include <string>
#include <vector>

#include "diagnose/alike/alike.hpp"
#include "diagnose/catalogue.hpp"
#include "diagnose/observation.hpp"

namespace gpugauge::diagnose {

/// Scores are 0 to 1. A finding of `confident` or more must be right; a cause below `named` is not given.
inline constexpr double confident = .7;
inline constexpr double named = .35;
/// Most findings of one diagnosis; several faults at once give several findings.
inline constexpr std::size_t findings_most = 3;
/// A cause of the catalogue that is not among so many whose known reports read most like an observation is confident
/// only where an event was seen. A whole log (more than 20 lines) is not limited so: known reports hold few lines.
inline constexpr std::size_t alike_considered = 5;
/// Most causes in Diagnosis::alike.
inline constexpr std::size_t alike_most = 3;
/// Least likeness of those: below it known reports name the cause seldom (docs/diagnosis.md).
inline constexpr double alike_least = .2;
/// A confident cause with this lead over the next one needs no further question.
inline constexpr double clear_lead = .2;

/// Weights of a diagnosis; docs/diagnosis.md documents the defaults.
struct Weights {
  double pattern = .3;              ///< share of the remaining doubt that a perfect pattern removes
  double contradiction = .6;        ///< share of the score that a fully contradicting pattern removes
  double named = diagnose::named;   ///< lowest score of a finding
  double named_without_harm = .55;  ///< lowest score of a finding while nothing is slower or fails
};

/// A cause that was considered and is not a finding: what speaks against it, or what is missing.
struct Excluded {
  std::string cause;  ///< name in the catalogue
  std::string why;    ///< one sentence without a full stop; not a question
};

/// A named cause, with its evidence.
struct Finding {
  std::string cause;                  ///< name in the catalogue
  double score = 0;                   ///< 0 to 1, at least Weights::named; three decimals
  double from_evidence = 0;           ///< part of the score; the rest is from_pattern
  double from_pattern = 0;            ///< part of the score; 0 where the classes did not move as predicted
  std::vector<std::string> evidence;  ///< strongest first
  std::vector<Excluded> excluded;     ///< similar causes, and why each is not the cause
  std::vector<std::string> next;      ///< commands or steps to take
  std::vector<Excluded> unproven;     ///< other possible causes, and the missing evidence of each
  std::string doubt;                  ///< why it is not confident although its evidence is; "" for nothing
};

/// A cheap measurement that would separate the remaining causes.
struct Needed {
  std::string cause;     ///< the cause that it would confirm or drop
  std::string question;  ///< the question, and how to answer it
};

/// A question that separates two causes that are both still possible, worded by one of them.
struct Question {
  std::string cause;     ///< the cause that words the question
  std::string other;     ///< the other one
  std::string question;  ///< with a question mark
};

/// The result of a diagnosis.
enum class State {
  healthy,           ///< something was compared; nothing is slower or fails
  found,             ///< at least one finding
  unknown,           ///< something is wrong, but no cause can be named
  nothing_compared,  ///< nothing fails and no figure was compared, so whether anything is wrong is unknown
};

/// The conclusion from an observation.
struct Diagnosis {
  State state = State::healthy;    ///< found whenever there is a finding
  std::string sentence;            ///< the result in one sentence
  std::vector<Finding> findings;   ///< best first, at most findings_most
  std::vector<Excluded> excluded;  ///< causes that something pointed to but the facts rule out
  std::vector<Excluded> unproven;  ///< causes that something pointed to but whose proof was not seen
  std::vector<Needed> needed;      ///< at most three, for what is still open
  /// At most three, between leading causes when none is confident and clearly ahead.
  std::vector<Question> questions;
  /// Where something is wrong and no finding is confident: the causes whose known reports read most like it, at most
  /// alike_most, most alike first. No evidence.
  std::vector<Alike> alike;
};

/// Weighs every cause of the catalogue as docs/diagnosis.md says; gives at most findings_most findings.
Diagnosis diagnose(const Observation& observation, const Weights& weights = {});

/// The same of somebody's report, which is also read beside known ones: a cause that has known reports, none of which
/// reads like this one (alike_considered), gets at most bound::unconfident and Finding::doubt; and Diagnosis::alike.
/// What a `check` saw is no such report (is_of_a_command).
Diagnosis diagnose(const Observation& observation, const ReportIndex& known, const Weights& weights = {});

/// True for what one of our commands saw, whose about.source starts with "gpugauge "; false for somebody's report.
bool is_of_a_command(const Observation& observation);

/// One cause with its score before any finding is chosen; for tests and fitting.
struct Scored {
  /// never null; points into the catalogue, which lives as long as the program
  const Signature* signature = nullptr;
  double score = 0;                        ///< 0 to 1, three decimals
  double from_evidence = 0;                ///< part of the score
  double match = 0;                        ///< Fit::match of the pattern, -1 to 1
  Argument argument;                       ///< the evidence, and the lowest bound
  std::vector<std::string> fitting;        ///< Fit::fitting of the pattern
  std::vector<std::string> contradicting;  ///< Fit::contradicting of the pattern
  bool unlike = false;  ///< limited, since known reports of the cause do not read like this
};
/// All causes, best first; equal scores keep the order of the catalogue.
std::vector<Scored> score_all(const Observation& observation, const Weights& weights = {});

}  // namespace gpugauge::diagnose

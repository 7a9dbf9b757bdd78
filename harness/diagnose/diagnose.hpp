// From an observation to ranked causes. Pure: no clock, no file, no random number.
#pragma once

#include <string>
#include <vector>

#include "diagnose/catalogue.hpp"
#include "diagnose/observation.hpp"

namespace gpugauge::diagnose {

/// Scores are 0 to 1. From `confident` on a finding must be right; below `named` it is not given.
inline constexpr double confident = .7;
inline constexpr double named = .35;
/// Findings of one diagnosis: several faults at once are several findings.
inline constexpr std::size_t findings_most = 3;
/// A confident cause that is so far ahead of the next one leaves no question.
inline constexpr double clear_lead = .2;

/// What a diagnosis weighs with; the defaults are documented in docs/diagnosis.md.
struct Weights {
  double pattern = .3;              ///< share of the doubt that a perfect pattern takes away
  double contradiction = .6;        ///< share of the score that a wholly contradicting pattern takes away
  double named = diagnose::named;   ///< score from which a cause is given
  double named_without_harm = .55;  ///< for a state that was seen while no slowness was
};

/// A cause that was looked at, and why it is not a finding: what speaks against it, or what is missing.
struct Excluded {
  std::string cause;  ///< name in the catalogue
  std::string why;    ///< one sentence without a full stop, no question
};

/// A cause that is given, with what speaks for it.
struct Finding {
  std::string cause;                  ///< name in the catalogue
  double score = 0;                   ///< 0 to 1, at least Weights::named; three decimals
  double from_evidence = 0;           ///< part of the score; the rest is from_pattern
  double from_pattern = 0;            ///< 0 where the classes did not move as predicted
  std::vector<std::string> evidence;  ///< best first
  std::vector<Excluded> excluded;     ///< what it could be confused with, and why it is not that
  std::vector<std::string> next;      ///< what to type or do
  std::vector<Excluded> unproven;     ///< what else it could be, and what was not seen of that
};

/// A cheap measurement that would separate what is left.
struct Needed {
  std::string cause;     ///< that would be confirmed or dropped
  std::string question;  ///< and how to answer it
};

/// What separates two causes that are both still possible, in the words of one of them.
struct Question {
  std::string cause;     ///< whose words they are
  std::string other;     ///< the other one
  std::string question;  ///< with a question mark
};

/// How a diagnosis ends.
enum class State {
  healthy,           ///< something was compared, nothing is slower, nothing fails
  found,             ///< at least one finding
  unknown,           ///< something is wrong, and no cause can be named
  nothing_compared,  ///< nothing fails, and no figure was compared: it is not known whether anything is wrong
};

/// What is concluded from an observation.
struct Diagnosis {
  State state = State::healthy;    ///< found as soon as there is a finding
  std::string sentence;            ///< the result in one sentence
  std::vector<Finding> findings;   ///< best first, at most findings_most
  std::vector<Excluded> excluded;  ///< causes that the facts rule out, though something pointed to them
  std::vector<Excluded>
      unproven;                ///< causes that something pointed to, and what would show them was not seen
  std::vector<Needed> needed;  ///< at most three, for what is left open
  /// At most three, between leading causes of which none is confident and clearly ahead.
  std::vector<Question> questions;
};

/// Weighs every cause of the catalogue as docs/diagnosis.md says. Never more than findings_most findings.
Diagnosis diagnose(const Observation& observation, const Weights& weights = {});

/// One cause with its score, before any of them is chosen; for tests and for fitting.
struct Scored {
  const Signature* signature = nullptr;  ///< never null; of the catalogue, which lives as long as the program
  double score = 0;                      ///< 0 to 1, three decimals
  double from_evidence = 0;              ///< part of the score
  double match = 0;                      ///< of the pattern, -1 to 1
  Argument argument;                     ///< the evidence, and the lowest bound
  std::vector<std::string> fitting;      ///< Fit::fitting of the pattern
  std::vector<std::string> contradicting;  ///< Fit::contradicting of the pattern
};
/// All causes, best first; the order of the catalogue decides between equals.
std::vector<Scored> score_all(const Observation& observation, const Weights& weights = {});

}  // namespace gpugauge::diagnose

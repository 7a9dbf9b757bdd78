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
inline constexpr std::size_t findings_most = 3;

/// What a diagnosis weighs with; the defaults are documented in docs/diagnosis.md.
struct Weights {
  double pattern = .3;        ///< share of the doubt that a perfect pattern takes away
  double contradiction = .6;  ///< share of the score that a wholly contradicting pattern takes away
  double named = diagnose::named;
  double named_without_harm = .55;  ///< for a state that was seen while no slowness was
};

/// A cause that was looked at, and why it is not a finding.
struct Excluded {
  std::string cause;
  std::string why;
};

struct Finding {
  std::string cause;
  double score = 0;
  double from_evidence = 0;  ///< part of the score; the rest is from_pattern
  double from_pattern = 0;
  std::vector<std::string> evidence;  ///< best first
  std::vector<Excluded> excluded;     ///< what it could be confused with, and why it is not that
  std::vector<std::string> next;
};

/// A cheap measurement that would separate what is left.
struct Needed {
  std::string cause;     ///< that would be confirmed or dropped
  std::string question;  ///< and how to answer it
};

enum class State {
  healthy,  ///< nothing is slower, nothing fails
  found,    ///< at least one finding
  unknown,  ///< something is wrong, and no cause can be named
};

struct Diagnosis {
  State state = State::healthy;
  std::string sentence;            ///< the result in one sentence
  std::vector<Finding> findings;   ///< best first, at most findings_most
  std::vector<Excluded> excluded;  ///< causes that the facts rule out, though something pointed to them
  std::vector<Needed> needed;      ///< at most three, for what is left open
};

Diagnosis diagnose(const Observation& observation, const Weights& weights = {});

/// One cause with its score, before any of them is chosen; for tests and for fitting.
struct Scored {
  const Signature* signature = nullptr;
  double score = 0;
  double from_evidence = 0;
  double match = 0;  ///< of the pattern, -1 to 1
  Argument argument;
  std::vector<std::string> fitting;
  std::vector<std::string> contradicting;
};
/// All causes, best first; the order of the catalogue decides between equals.
std::vector<Scored> score_all(const Observation& observation, const Weights& weights = {});

}  // namespace gpugauge::diagnose

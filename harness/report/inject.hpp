// What became of injected faults: the gauge's certificate for a machine, for a person and for a program.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "report/terminal.hpp"

namespace gpugauge::report {

inline constexpr std::string_view inject_schema = "gpugauge.inject/1";

/// One measurement, with a fault set or without one.
struct InjectTrial {
  bool found = false;                ///< the judge said regressed or failed; the doctor said more than before
  std::vector<std::string> causes;   ///< that were named, first to last
  double score = 0;                  ///< of the first one; 0 where none was named, or where none is given
  std::vector<std::string> metrics;  ///< that were called regressed, failed or missing, and count
  std::vector<std::string> disturbed;  ///< what else went on meanwhile, as the check says it, once a round
  double seconds = 0;                  ///< all of it: setting, measuring, naming, removing
  std::string problem;                 ///< why it says nothing; "" where it does
};

/// One fault of the table, tried as often as was asked for.
struct InjectedFault {
  std::string id;                   ///< of the table
  std::string what;                 ///< what is done, one clause
  std::string device;               ///< selection of the device that shows it; "" where there is none
  std::vector<std::string> causes;  ///< any of them first counts as named
  std::string not_run;              ///< why it was not tried, one clause; "" where it was
  std::vector<InjectTrial> trials;  ///< in their order
};

int found(const InjectedFault& fault);        ///< Trials in which it was found.
int named_first(const InjectedFault& fault);  ///< Trials in which one of its causes was named first.
/// What was named first instead, and how often; "" counts the trials in which nothing was.
std::map<std::string, int> confusions(const InjectedFault& fault);

/// Healthy rounds of a device that the faults were judged against.
struct HealthyRounds {
  std::string device;   ///< selection
  std::string label;    ///< for people
  std::string profile;  ///< that they were measured with; "frameworks" for those of PyTorch
  int rounds = 0;       ///< that were pinned
  std::string problem;  ///< why there are none; "" where there are
};

/// All of it.
struct InjectReport {
  std::string profile;                 ///< that was measured with, but where a fault needed a deeper one
  int repeat = 1;                      ///< trials of each fault that were asked for
  std::vector<HealthyRounds> healthy;  ///< one a device and profile
  std::vector<InjectedFault> faults;   ///< in the order of the table
  std::vector<InjectTrial> quiet;      ///< trials without a fault; found, or a cause in one, is a false alarm
  std::vector<std::string> remarks;    ///< what was left behind, and the like
  bool interrupted = false;            ///< a signal ended it: what is missing was not tried
  double seconds = 0;                  ///< of the whole
};

/// 0: every fault that was tried was found and named first in each trial, and no quiet one was an alarm;
/// 1: one was not; 3: none could be tried, or it was interrupted before one was missed.
judge::Outcome outcome(const InjectReport& report);

/// One screen: the table, what was not run and why, the quiet runs.
std::string draw(const InjectReport& report, const Terminal& terminal);
/// JSON text, schema "gpugauge.inject/1" (docs/schema/inject.schema.json).
std::string to_json(const InjectReport& report);

}  // namespace gpugauge::report

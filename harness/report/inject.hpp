// The results of injected faults: the gauge's certificate for a machine, for a person and for a program.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "report/terminal.hpp"

namespace gpugauge::report {

inline constexpr std::string_view inject_schema = "gpugauge.inject/1";

/// One measurement, with or without an injected fault.
struct InjectTrial {
  /// The judge said regressed or failed, or the doctor said more than before.
  bool found = false;
  std::vector<std::string> causes;   ///< the named causes, first to last
  double score = 0;                  ///< of the first cause; 0 if none was named or it has no score
  std::vector<std::string> metrics;  ///< metrics that count and were called regressed, failed or missing
  /// Other activity meanwhile, in the check's words, one entry per round.
  std::vector<std::string> disturbed;
  double seconds = 0;   ///< total time: setting, measuring, naming, removing
  std::string problem;  ///< why the trial proves nothing; "" if it does
};

/// One fault of the table, with its trials.
struct InjectedFault {
  std::string id;                   ///< id in the table
  std::string what;                 ///< what the fault does, one clause
  std::string device;               ///< selection of the device that shows it; "" if there is none
  std::vector<std::string> causes;  ///< if the first cause is any of these, the fault counts as named
  std::string not_run;              ///< why it was not tried, one clause; "" if it was
  std::vector<InjectTrial> trials;  ///< in execution order
};

int found(const InjectedFault& fault);        ///< Number of trials in which it was found.
int named_first(const InjectedFault& fault);  ///< Number of trials in which one of its causes came first.
/// How often each other cause came first; "" counts the trials without any cause.
std::map<std::string, int> confusions(const InjectedFault& fault);

/// Healthy rounds of a device, with which the faulty ones were compared.
struct HealthyRounds {
  std::string device;   ///< selection
  std::string label;    ///< for people
  std::string profile;  ///< profile of the rounds; "frameworks" for those of PyTorch
  int rounds = 0;       ///< number of pinned rounds
  std::string problem;  ///< why there are no rounds; "" if there are
};

/// The whole report.
struct InjectReport {
  /// Profile of the measurements, except where a fault needed a deeper one.
  std::string profile;
  int repeat = 1;                      ///< requested trials per fault
  std::vector<HealthyRounds> healthy;  ///< one per device and profile
  std::vector<InjectedFault> faults;   ///< in the order of the table
  std::vector<InjectTrial> quiet;      ///< trials without a fault; a find or a cause in one is a false alarm
  std::vector<std::string> remarks;    ///< what was left behind, and similar
  bool interrupted = false;            ///< a signal ended it: what is missing was not tried
  double seconds = 0;                  ///< total time
};

/// 0: every fault tried was found and named first in each trial, and no quiet trial raised an alarm; 1: one
/// was not; 3: none could be tried, or an interruption came before one was missed.
judge::Outcome outcome(const InjectReport& report);

/// One screen: the table, the faults not run and why, the quiet trials.
std::string draw(const InjectReport& report, const Terminal& terminal);
/// JSON text, schema "gpugauge.inject/1" (docs/schema/inject.schema.json).
std::string to_json(const InjectReport& report);

}  // namespace gpugauge::report

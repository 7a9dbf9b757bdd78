// One fault set, measured through the command itself, named and removed: what fault_table.cpp describes.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "conductor/fault_bench.hpp"
#include "report/inject.hpp"
#include "run/child.hpp"
#include "run/loop.hpp"
#include "run/stop_watch.hpp"

namespace gpugauge::conductor {

/// Children of the command, measured one after the other. Signals are taken from its beginning to its end:
/// SIGINT, SIGTERM and SIGHUP end what runs, and everything that was set is removed before it comes back.
class FaultRunner {
 public:
  explicit FaultRunner(const FaultBench& bench);  ///< `bench` must outlive it
  ~FaultRunner();
  FaultRunner(const FaultRunner&) = delete;
  FaultRunner& operator=(const FaultRunner&) = delete;

  /// Called about once a second while something runs.
  std::function<void()> tick;

  /// Whether a signal asked it to stop.
  bool stopped() const { return signal_ != 0; }

  /// Pins the rounds of a healthy device, or says why not. `words` are classes, families and patterns that
  /// are measured; empty = all that the profile measures.
  report::HealthyRounds pin_healthy(const Target& target, const std::string& profile,
                                    const std::vector<std::string>& words);
  /// Keeps the rounds of a healthy PyTorch, or says why not.
  report::HealthyRounds pin_healthy_frameworks(const Target& target);
  /// Asks the doctor of the healthy machine. "" or, as a clause, why it gave no answer.
  std::string ask_healthy_doctor();
  /// What the doctor said of the healthy machine: causes.
  const std::set<std::string>& healthy_findings() const { return healthy_findings_; }

  /// One check without any fault.
  report::InjectTrial measure_quiet(const Target& target);
  /// Sets the fault, measures, removes it. What cannot be set is a trial with a problem and `refused`.
  report::InjectTrial measure(const Fault& fault, bool& refused);

  /// What could not be removed, one sentence each.
  const std::vector<std::string>& left_behind() const { return left_behind_; }

 private:
  struct Ended;

  Ended run(const std::vector<std::string>& words, const std::vector<std::string>& under,
            const std::map<std::string, std::string>& environment);
  std::vector<std::string> check_words(const Target& target, const std::string& profile,
                                       const std::vector<std::string_view>& measures) const;
  /// Rounds of PyTorch with these variables, the run files of one side.
  Ended run_frameworks(const std::string& side, int rounds,
                       const std::map<std::string, std::string>& environment);
  report::InjectTrial read_check(const Ended& ended) const;
  report::InjectTrial read_doctor(const Ended& ended) const;
  /// What the faulty commands said: run, read, and nothing found where the fault took no effect.
  report::InjectTrial ask(const Fault& fault, const Target& target, const std::vector<std::string>& under,
                          bool& refused);

  const FaultBench& bench_;
  run::Loop loop_;
  std::set<std::string> healthy_findings_;
  std::vector<std::string> left_behind_;
  std::function<void(int)> on_signal_;
  int signal_ = 0;
  run::StopWatch watch_;  // after all that a stop touches
};

}  // namespace gpugauge::conductor

// Sets one fault of fault_table.cpp, measures it with the gpugauge command itself, and removes it.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "conductor/fault_bench.hpp"
#include "conductor/fault_read.hpp"
#include "report/inject.hpp"
#include "run/child.hpp"
#include "run/loop.hpp"
#include "run/stop_signals.hpp"

namespace gpugauge::conductor {

/// Runs child commands one after the other. While it exists it handles SIGINT, SIGTERM and SIGHUP. A signal
/// ends the running child, and everything that was set is removed before the call returns.
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

  /// Pins a baseline of the healthy device, or says why not. `words` are the classes, families and patterns
  /// to measure; empty = all that the profile measures.
  report::HealthyRounds pin_healthy(const Target& target, const std::string& profile,
                                    const std::vector<std::string>& words);
  /// Keeps rounds of a healthy PyTorch as reference, or says why not.
  report::HealthyRounds pin_healthy_frameworks(const Target& target);
  /// Runs the doctor on the healthy machine. Returns "" or, as a clause, why it gave no answer.
  std::string ask_healthy_doctor();
  /// The causes that the doctor named on the healthy machine.
  const std::set<std::string>& healthy_findings() const { return healthy_findings_; }

  /// One check without any fault.
  report::InjectTrial measure_quiet(const Target& target);
  /// One measurement under a fault.
  struct UnderFault {
    report::InjectTrial trial;  ///< with a problem where the fault could not be set
    bool refused = false;       ///< it could not be set
  };
  /// Sets the fault, measures, and removes it.
  UnderFault measure(const Fault& fault);

  /// What could not be removed, one sentence each.
  const std::vector<std::string>& left_behind() const { return left_behind_; }

 private:
  struct Ended;
  struct Setting;

  Ended run(const std::vector<std::string>& words, const std::vector<std::string>& under,
            const std::map<std::string, std::string>& environment);
  std::vector<std::string> check_words(const Target& target, const std::string& profile,
                                       const std::vector<std::string_view>& measures) const;
  /// Runs PyTorch with these variables for the given rounds; writes the run files of one side.
  Ended run_frameworks(const std::string& side, int rounds,
                       const std::map<std::string, std::string>& environment);
  report::InjectTrial read_check(const Ended& ended, Beside beside) const;
  report::InjectTrial read_doctor(const Ended& ended) const;
  /// What a command under the fault found: `trial` reads it. Nothing counts as found where the fault took no
  /// effect.
  static UnderFault read(const Ended& ended, const Setting& setting,
                         const std::function<report::InjectTrial()>& trial);
  UnderFault ask_check(const Fault& fault, const Target& target, const Setting& setting);
  UnderFault ask_doctor(const Setting& setting);
  UnderFault ask_frameworks(const Fault& fault, const Setting& setting);
  /// Runs the commands under the fault and reads them.
  UnderFault ask(const Fault& fault, const Target& target, std::vector<std::string> under);

  const FaultBench& bench_;
  run::Loop loop_;
  std::set<std::string> healthy_findings_;
  std::vector<std::string> left_behind_;
  std::function<void(int)> on_signal_;
  int signal_ = 0;
  run::StopSignals watch_;  // declared last: it uses everything above that a stop touches
};

}  // namespace gpugauge::conductor

// One fault set, measured through the command itself, named and removed: what fault_table.cpp describes.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "conductor/catalogue.hpp"
#include "conductor/fault_table.hpp"
#include "report/inject.hpp"
#include "run/child.hpp"
#include "run/loop.hpp"

namespace gpugauge::conductor {

/// Where and with what faults are tried.
struct FaultBench {
  std::string profile;           ///< of every check
  int rounds = 5;                ///< healthy ones that a device is judged against
  std::vector<Target> targets;   ///< what there is to measure: the host, a GPU, links; one of a kind
  std::string no_gpu;            ///< why there is no GPU among them
  Catalogue catalogue;           ///< what can be measured
  std::filesystem::path folder;  ///< for everything that is written; its owner removes it
  std::filesystem::path executable = "/proc/self/exe";  ///< the command
  double budget_seconds = 300;                          ///< of one check
  std::filesystem::path root = "/";  ///< prefix of /proc and /sys where control groups are looked for
};

/// The target of a kind; nullptr where there is none.
const Target* target_of_kind(const FaultBench& bench, DeviceKind kind);

/// Why the fault cannot be tried here, as a clause; "" where nothing known speaks against it.
std::string why_not_here(const Fault& fault, const FaultBench& bench);

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

  /// Pins the rounds of a healthy device, or says why not.
  report::HealthyRounds pin_healthy(const Target& target);
  /// Asks the doctor of the healthy machine. "" or, as a clause, why it gave no answer.
  std::string ask_healthy_doctor();

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
  std::vector<std::string> check_words(const Target& target,
                                       const std::vector<std::string_view>& measures) const;
  report::InjectTrial read_check(const Ended& ended) const;
  report::InjectTrial read_doctor(const Ended& ended) const;
  std::vector<run::Command> neighbours(const Fault& fault, const std::vector<int>& confined) const;

  const FaultBench& bench_;
  run::Loop loop_;
  std::vector<std::unique_ptr<run::SignalWatch>> watches_;
  std::set<std::string> healthy_findings_;
  std::vector<std::string> left_behind_;
  std::function<void(int)> on_signal_;
  int signal_ = 0;
};

}  // namespace gpugauge::conductor

// What works beside a measurement on purpose: other processes, in groups of their own, that end with it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "run/child.hpp"

namespace gpugauge::conductor {

/// One or several commands that run until it goes: each is started again where it ends by itself. Going, it
/// kills all of them and waits until nothing of them is left.
class NeighbourProcesses {
 public:
  /// Starts them. `loop` must outlive it.
  NeighbourProcesses(run::Loop& loop, std::vector<run::Command> commands);
  ~NeighbourProcesses();
  NeighbourProcesses(const NeighbourProcesses&) = delete;
  NeighbourProcesses& operator=(const NeighbourProcesses&) = delete;

  /// Waits until each is at work: it wrote `mark` on a line, or, with "", lives after `settle_seconds`.
  /// Returns "" or, as a clause, why one is not. Stops waiting when `stop()` holds.
  std::string wait_until_at_work(std::string_view mark, double settle_seconds,
                                 const std::function<bool()>& stop);

  /// "" or, as a clause, why one could not be kept at work: it ended several times in a row as soon as it was
  /// started.
  const std::string& fault() const { return fault_; }

 private:
  struct Member;

  void start(Member& member);
  void look_after();

  run::Loop& loop_;
  std::vector<std::unique_ptr<Member>> members_;
  std::string fault_;
  bool ending_ = false;
  run::Timer tick_;
};

}  // namespace gpugauge::conductor

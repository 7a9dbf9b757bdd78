// Processes that deliberately run beside a measurement, in their own process groups, and end with it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "run/child.hpp"

namespace gpugauge::conductor {

/// Runs commands until it is destroyed, and restarts each one that ends by itself. The destructor kills all
/// of them and waits until they are gone.
class NeighbourProcesses {
 public:
  /// Starts the commands. `loop` must outlive this object.
  NeighbourProcesses(run::Loop& loop, std::vector<run::Command> commands);
  ~NeighbourProcesses();
  NeighbourProcesses(const NeighbourProcesses&) = delete;
  NeighbourProcesses& operator=(const NeighbourProcesses&) = delete;

  /// Waits at most 30 s until each command is at work: it wrote `mark` on a line or, if `mark` is "", lived
  /// for `settle_seconds`. Returns "" or, as a clause, why one is not at work. Returns early when `stop()` is
  /// true.
  std::string wait_until_at_work(std::string_view mark, double settle_seconds,
                                 const std::function<bool()>& stop);

  /// "" or, as a clause, why a command could not be kept running: it ended right after its start several
  /// times in a row.
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

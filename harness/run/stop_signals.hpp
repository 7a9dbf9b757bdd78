// Watches the signals that ask the command to stop, while a loop runs.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "run/loop.hpp"

namespace gpugauge::run {

/// Takes over the signals of stop_signals() during its lifetime.
class StopSignals {
 public:
  /// Begins now. `call` gets the signal's number, from within the loop or end(), and must not throw. `loop`
  /// must outlive it.
  StopSignals(Loop& loop, std::function<void(int)> call);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Restores the earlier dispositions without losing a signal. `call` has been called for each signal that
  /// came before; later ones act as they did originally. Harmless when called again.
  void end();

 private:
  Loop& loop_;
  std::function<void(int)> call_;
  std::vector<std::unique_ptr<SignalWatch>> watches_;
};

/// Takes the first of stop_signals() that came while result::StopsHeldBack held signals back in this thread.
/// That signal then has no further effect. Returns 0 if none came.
int take_held_stop();

}  // namespace gpugauge::run

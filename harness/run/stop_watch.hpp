// What asks the command to stop, while a loop runs.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "run/loop.hpp"

namespace gpugauge::run {

/// Takes over the signals that ask the command to stop (stop_signals()) for as long as it lives.
class StopWatch {
 public:
  /// Begins now. `call` gets the signal's number, from within the loop or end(), and must not throw. `loop`
  /// must outlive it.
  StopWatch(Loop& loop, std::function<void(int)> call);
  ~StopWatch();
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;

  /// None is lost between the loop and what was there before: each that came until now has been called for,
  /// and a later one does what it did before. Harmless when it has ended.
  void end();

 private:
  Loop& loop_;
  std::function<void(int)> call_;
  std::vector<std::unique_ptr<SignalWatch>> watches_;
};

/// Takes the first of stop_signals() that came while result::StopsHeldBack held them back in this thread: it
/// has no effect afterwards. 0 where none came.
int take_held_stop();

}  // namespace gpugauge::run

#include "conductor/pause.hpp"

#include <algorithm>

#include <signal.h>

#include "result/stopwatch.hpp"
#include "run/processes.hpp"

namespace gpugauge::conductor {

bool pause(double seconds, const std::function<void(double left)>& progress) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : run::stop_signals()) sigaddset(&signals, number);
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  const result::Stopwatch waiting;
  bool stopped = false;
  for (double left = seconds; left > 0 && !stopped; left = seconds - waiting.seconds()) {
    progress(left);
    const double step = std::min(left, 1.0);
    const timespec wait{static_cast<time_t>(step),
                        static_cast<long>((step - static_cast<double>(static_cast<time_t>(step))) * 1e9)};
    stopped = sigtimedwait(&signals, nullptr, &wait) > 0;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return !stopped;
}

}  // namespace gpugauge::conductor

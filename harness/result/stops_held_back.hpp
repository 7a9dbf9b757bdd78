// Delays stop signals while something must not be interrupted.
#pragma once

#include <csignal>

#include <signal.h>

namespace gpugauge::result {

/// While it lives, SIGINT, SIGTERM and SIGHUP to this thread wait; they take effect at its end. Give a child
/// started meanwhile a signal mask of its own. A thread started meanwhile never takes these signals. All
/// other threads of the command are started this way, so a signal held back here is held back everywhere.
class StopsHeldBack {
 public:
  StopsHeldBack() {
    sigset_t stops;
    sigemptyset(&stops);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&stops, signal);
    ::pthread_sigmask(SIG_BLOCK, &stops, &before_);
  }
  StopsHeldBack(const StopsHeldBack&) = delete;
  StopsHeldBack& operator=(const StopsHeldBack&) = delete;
  ~StopsHeldBack() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace gpugauge::result

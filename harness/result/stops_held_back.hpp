// For what a stop may come before or after, and not into.
#pragma once

#include <csignal>

#include <signal.h>

namespace gpugauge::result {

/// SIGINT, SIGTERM and SIGHUP that come to this thread while it lives take effect at its end. A child that is
/// started meanwhile must be given a mask of its own. A thread that is started meanwhile never takes one: the
/// command's other threads are, so that what holds it back here holds it back.
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

#include "support/interrupt.hpp"

#include <atomic>

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "support/timer.hpp"

namespace gpugauge::bench {

namespace {
volatile sig_atomic_t interrupt_seen = 0;
std::atomic<double> seen_at{0};  // by steady_seconds()
static_assert(std::atomic<double>::is_always_lock_free, "a signal handler may not wait for a lock");

extern "C" void on_interrupt(int signal) {
  seen_at = steady_seconds();  // of calls only clock_gettime(), which a handler may make
  interrupt_seen = signal;
}
}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return interrupt_seen != 0;
}

bool interrupted_for_long() {
  return interrupted() && steady_seconds() - seen_at > interrupt_patience_seconds;
}

std::string interruption() {
  const int signal = interrupt_seen;
  return fmt::format("signal {} ({}) ended the process", signal, signal == SIGINT ? "SIGINT" : "SIGTERM");
}

bool die_with_parent(int parent_pid) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return getppid() == parent_pid;
}

}  // namespace gpugauge::bench

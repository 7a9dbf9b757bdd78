#include "support/interrupt.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace gpugauge::bench {

namespace {
volatile sig_atomic_t interrupt_seen = 0;

extern "C" void on_interrupt(int) {
  interrupt_seen = 1;
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

bool die_with_parent(int parent_pid) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return getppid() == parent_pid;
}

}  // namespace gpugauge::bench

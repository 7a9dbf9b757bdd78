// What a signal does to the command while nothing else watches for it.
#include <array>
#include <csignal>
#include <cstring>

#include <unistd.h>

#include "cli/command.hpp"
#include "judge/judge.hpp"
#include "result/removed_at_stop.hpp"
#include "stack/living_children.hpp"

namespace gpugauge::cli {
namespace {

volatile std::sig_atomic_t measuring = 0;
volatile std::sig_atomic_t stop_status = static_cast<int>(judge::ExitCode::cannot_judge);

struct Stop {
  int signal;
  const char* sentence;
};
constexpr std::array stops{Stop{SIGINT, "gpugauge: stopped by SIGINT before it was done\n"},
                           Stop{SIGTERM, "gpugauge: stopped by SIGTERM before it was done\n"},
                           Stop{SIGHUP, "gpugauge: stopped by SIGHUP before it was done\n"}};

/// Only what a signal handler may call.
extern "C" void on_stop(int signal) {
  stack::kill_living_children();
  result::remove_at_stop();
  if (measuring == 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  for (const Stop& stop : stops)
    if (stop.signal == signal && ::write(STDERR_FILENO, stop.sentence, std::strlen(stop.sentence)) < 0) break;
  ::_exit(stop_status);
}

}  // namespace

void hear_signals() {
  std::signal(SIGCHLD, SIG_DFL);  // ignored, the kernel throws away how children ended
  sigset_t heard;
  sigemptyset(&heard);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGALRM}) sigaddset(&heard, signal);
  ::sigprocmask(SIG_UNBLOCK, &heard, nullptr);
}

void end_children_with_the_command() {
  for (const Stop& stop : stops) {
    struct sigaction before {};
    ::sigaction(stop.signal, nullptr, &before);
    if (stop.signal == SIGHUP && before.sa_handler == SIG_IGN)
      continue;  // nohup: go on after the terminal has gone
    struct sigaction action {};
    action.sa_handler = on_stop;
    action.sa_flags = SA_RESTART;
    ::sigaction(stop.signal, &action, nullptr);
  }
}

void stop_with_status(int exit_status) {
  stop_status = exit_status;
}

void stop_with_a_sentence() {
  measuring = 1;
}

}  // namespace gpugauge::cli

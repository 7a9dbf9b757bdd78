#include "run/stop_signals.hpp"

#include <csignal>
#include <ctime>
#include <utility>

#include "result/stops_held_back.hpp"
#include "run/processes.hpp"

namespace gpugauge::run {

StopSignals::StopSignals(Loop& loop, std::function<void(int)> call) : loop_(loop), call_(std::move(call)) {
  for (const int signal : stop_signals())
    watches_.push_back(std::make_unique<SignalWatch>(loop_, signal, [this](int number) { call_(number); }));
}

StopSignals::~StopSignals() {
  end();
}

void StopSignals::end() {
  if (watches_.empty()) return;
  const result::StopsHeldBack until_they_are_gone;
  loop_.run_pending();  // libuv keeps them in a pipe and would drop them
  watches_.clear();
}

int take_held_stop() {
  sigset_t stops;
  sigemptyset(&stops);
  for (const int signal : stop_signals()) sigaddset(&stops, signal);
  constexpr timespec at_once{};
  const int taken = ::sigtimedwait(&stops, nullptr, &at_once);
  return taken > 0 ? taken : 0;
}

}  // namespace gpugauge::run

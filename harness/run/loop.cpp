#include "run/loop.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include <fmt/core.h>
#include <sys/epoll.h>
#include <unistd.h>

namespace gpugauge::run {
namespace {

std::uint64_t to_milliseconds(double seconds) {
  constexpr double longest = 1e15;  // 30000 years; libuv adds the current time to it
  return static_cast<std::uint64_t>(std::ceil(std::clamp(seconds * 1e3, 0.0, longest)));
}

/// libuv aborts if no descriptor is left for its first pipes.
bool descriptors_left() {
  constexpr int needed = 10;
  std::array<int, needed> taken{};
  taken.fill(-1);
  bool left = true;
  for (int& descriptor : taken) left = left && (descriptor = epoll_create1(EPOLL_CLOEXEC)) >= 0;
  for (const int descriptor : taken)
    if (descriptor >= 0) close(descriptor);
  return left;
}

}  // namespace

Loop::Loop() : loop_(std::make_unique<uv_loop_t>()) {
  if (!descriptors_left())
    throw std::runtime_error(
        "Cannot set up the event loop: too many open files; raise the limit of open files (ulimit -n).");
  if (const int error = uv_loop_init(loop_.get()); error != 0)
    throw std::runtime_error(fmt::format(
        "Cannot set up the event loop: {}; raise the limit of open files (ulimit -n).", uv_strerror(error)));
  loop_->data = this;
}

Loop::~Loop() {
  uv_run(loop_.get(), UV_RUN_DEFAULT);  // runs the callbacks of closing handles
  uv_loop_close(loop_.get());
}

void Loop::run_until(const std::function<bool()>& done) {
  while (!done()) {
    uv_run(loop_.get(), UV_RUN_ONCE);
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }
}

void Loop::run_pending() {
  uv_run(loop_.get(), UV_RUN_NOWAIT);
}

void Loop::guard(uv_loop_t* loop, const std::function<void()>& call) noexcept {
  try {
    call();
  } catch (...) {
    static_cast<Loop*>(loop->data)->thrown_ = std::current_exception();
  }
}

void Loop::run_for(double seconds, const std::function<bool()>& or_until) {
  bool over = false;
  Timer timer(*this);
  timer.once(seconds, [&] { over = true; });
  run_until([&] { return over || or_until(); });
}

Timer::Timer(Loop& loop) : handle_(new uv_timer_t) {
  uv_timer_init(loop.get(), handle_.get());
  handle_->data = this;
}

void Timer::once(double seconds, std::function<void()> call) {
  start(seconds, 0, std::move(call));
}

void Timer::every(double seconds, std::function<void()> call) {
  start(seconds, seconds, std::move(call));
}

void Timer::start(double seconds, double repeat, std::function<void()> call) {
  call_ = std::move(call);
  uv_update_time(handle_->loop);  // a stale clock would shorten the wait
  uv_timer_start(
      handle_.get(),
      [](uv_timer_t* handle) {
        const auto run =
            static_cast<Timer*>(handle->data)->call_;  // a copy, because the callback may restart the timer
        Loop::guard(handle->loop, run);
      },
      to_milliseconds(seconds), to_milliseconds(repeat));
}

void Timer::stop() {
  uv_timer_stop(handle_.get());
}

struct SignalWatch::Previous {
  struct sigaction action {};
};

SignalWatch::SignalWatch(Loop& loop, int signal, std::function<void(int)> call)
    : signal_(signal),
      call_(std::move(call)),
      previous_(std::make_unique<Previous>()),
      handle_(new uv_signal_t) {
  sigaction(signal_, nullptr, &previous_->action);
  uv_signal_init(loop.get(), handle_.get());
  handle_->data = this;
  uv_signal_start(
      handle_.get(),
      [](uv_signal_t* handle, int number) { static_cast<SignalWatch*>(handle->data)->call_(number); },
      signal_);
}

SignalWatch::~SignalWatch() {
  uv_signal_stop(handle_.get());  // sets the default disposition instead of the previous one
  sigaction(signal_, &previous_->action, nullptr);
}

}  // namespace gpugauge::run

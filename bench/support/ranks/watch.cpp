#include "support/ranks/watch.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "support/interrupt.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::ranks {

namespace {

constexpr std::uint64_t taken = std::uint64_t{1} << 63;
constexpr std::chrono::milliseconds between_looks{50};
// A shorter call is ordinary, and `look` is not called for it.
constexpr double ordinary_seconds = 1;

}  // namespace

Watch::Watch(std::string place, Look look, End end)
    : place_(std::move(place)), look_(std::move(look)), end_(std::move(end)), thread_([this] { run(); }) {}

Watch::~Watch() {
  over_ = true;
  thread_.join();
}

Watch::Call::Call(Watch& watch, const char* doing, double seconds) : watch_(watch) {
  watch_.doing_.store(doing, std::memory_order_relaxed);
  watch_.limit_seconds_.store(seconds, std::memory_order_relaxed);
  number_ = watch_.state_.fetch_add(1) + 1;
}

Watch::Call::~Call() {
  std::uint64_t expected = number_;
  while (!watch_.state_.compare_exchange_weak(expected, number_ + 1)) {
    expected = number_;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Watch::run() {
  std::uint64_t number = 0;
  double since = 0;
  while (!over_) {
    std::this_thread::sleep_for(between_looks);
    const std::uint64_t seen = state_;
    const double now = steady_seconds();
    if (seen != std::exchange(number, seen)) since = now;
    if (seen % 2 == 1 && (now - since >= ordinary_seconds || interrupted_for_long()))
      look_at(seen, now - since);
  }
}

std::string Watch::late(double seconds_so_far) {
  const double limit = limit_seconds_.load(std::memory_order_relaxed);
  if (seconds_so_far > limit)
    return fmt::format("{} on {} did not come back within {:g} s", doing_.load(std::memory_order_relaxed),
                       place_, limit);
  return interrupted_for_long() ? interruption() : "";
}

void Watch::look_at(std::uint64_t number, double seconds_so_far) {
  if (!state_.compare_exchange_strong(number, number | taken)) return;
  std::string sentence = late(seconds_so_far);
  if (sentence.empty() && look_) sentence = look_().value_or("");
  if (!sentence.empty()) end_(sentence);
  state_ = number;
}

}  // namespace gpugauge::bench::ranks

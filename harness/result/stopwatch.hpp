// How long something takes, by a clock that nobody sets.
#pragma once

#include <chrono>

namespace gpugauge::result {

/// Starts when it is made. Assigning a new one starts it again.
class Stopwatch {
 public:
  /// Seconds since the start.
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace gpugauge::result

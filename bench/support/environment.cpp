#include "support/environment.hpp"

#include <utility>

namespace gpugauge::bench {

namespace {
Environment& current() {
  static Environment instance;
  return instance;
}
}  // namespace

void set_environment(Environment environment) {
  current() = std::move(environment);
}

const Environment& environment() {
  return current();
}

}  // namespace gpugauge::bench

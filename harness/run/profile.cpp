#include <fmt/format.h>

#include "result/error.hpp"
#include "run/runner.hpp"

namespace gpugauge::run {

std::vector<Profile> profiles() {
  return {
      {.name = "smoke", .processes = 1, .window_seconds = .5, .limit_seconds = 60},
      {.name = "quick", .processes = 3, .window_seconds = 1},
      {.name = "standard", .processes = 5, .window_seconds = 1},
  };
}

Profile profile(const std::string& name) {
  std::string names;
  for (const auto& one : profiles()) {
    if (one.name == name) return one;
    names += (names.empty() ? "" : ", ") + one.name;
  }
  throw result::UsageError(fmt::format("There is no profile '{}': choose one of {}.", name, names));
}

}  // namespace gpugauge::run

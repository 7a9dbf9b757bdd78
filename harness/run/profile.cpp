#include <algorithm>

#include <fmt/format.h>

#include "result/error.hpp"
#include "run/runner.hpp"

namespace gpugauge::run {

std::vector<Profile> profiles() {
  return {
      {.name = "smoke", .processes = 1, .window_seconds = .5, .limit_seconds = 60},
      {.name = "quick", .processes = 3, .window_seconds = 1},
      {.name = "standard", .processes = 5, .window_seconds = 1},
      {.name = "deep", .processes = 5, .window_seconds = 1, .limit_seconds = 900},
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

int depth_of(const std::string& name) {
  const std::vector<Profile> all = profiles();
  const std::string known = profile(name).name;
  return static_cast<int>(
      std::find_if(all.begin(), all.end(), [&](const Profile& one) { return one.name == known; }) -
      all.begin());
}

}  // namespace gpugauge::run

#include <algorithm>

#include <fmt/format.h>

#include "result/error.hpp"
#include "run/runner.hpp"

namespace gpugauge::run {

std::vector<Profile> profiles() {
  return {
      {.name = "smoke",
       .processes = 1,
       .own_processes = 1,
       .window_seconds = .5,
       .device_window_seconds = .5,
       .limit_seconds = 60,
       .budget_seconds = 20,
       .host_budget_seconds = 20},
      {.name = "quick",
       .processes = 3,
       .own_processes = 3,
       .device_window_seconds = .2,
       .budget_seconds = 60,
       .host_budget_seconds = 75},
      {.name = "standard",
       .device_window_seconds = .2,
       .mean_window_seconds = 1,
       .budget_seconds = 180,
       .host_budget_seconds = 180},
      {.name = "deep",
       .own_processes = 3,
       .device_window_seconds = .2,
       .mean_window_seconds = 1,
       .limit_seconds = 900,
       .budget_seconds = 900,
       .host_budget_seconds = 180},
      {.name = "exhaustive",
       .own_processes = 3,
       .device_window_seconds = .2,
       .mean_window_seconds = 1,
       .limit_seconds = 900,
       .budget_seconds = 1800,
       .host_budget_seconds = 180},
  };
}

Profile profile(const std::string& name) {
  std::string names;
  for (const auto& one : profiles()) {
    if (one.name == name) return one;
    names += (names.empty() ? "" : ", ") + one.name;
  }
  throw result::UsageError(fmt::format("there is no profile '{}'; there are {}", name, names));
}

int depth_of(const std::string& name) {
  const std::vector<Profile> all = profiles();
  const std::string known = profile(name).name;
  return static_cast<int>(
      std::find_if(all.begin(), all.end(), [&](const Profile& one) { return one.name == known; }) -
      all.begin());
}

std::vector<std::string> profiles_deeper_than(const std::string& name) {
  std::vector<std::string> out;
  bool found = false;
  for (const Profile& one : profiles()) {
    if (found) out.push_back(one.name);
    found = found || one.name == name;
  }
  return out;
}

}  // namespace gpugauge::run

#include "support/requirements.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/environment.hpp"

namespace gpugauge::bench {
namespace {

/// True for an empty list, too.
bool is_one_of(const std::vector<int>& compute_capabilities, int found) {
  return compute_capabilities.empty() || std::find(compute_capabilities.begin(), compute_capabilities.end(),
                                                   found) != compute_capabilities.end();
}

/// "10.0, 10.3"
std::string listed(const std::vector<int>& compute_capabilities) {
  std::vector<std::string> words;
  words.reserve(compute_capabilities.size());
  for (const int one : compute_capabilities) words.push_back(fmt::format("{}.{}", one / 10, one % 10));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::optional<std::string> unmet(const Requirements& requirements) {
  if (!requirements.gpu) return std::nullopt;
  const Environment& here = environment();
  if (!here.compute_capability) return "needs a GPU";
  const int needed = requirements.minimum_compute_capability;
  const int found = here.compute_capability();
  const bool fits = requirements.only_that_compute_capability ? found == needed : found >= needed;
  if (!fits)
    return fmt::format("needs compute capability {}.{}{}, this GPU has {}.{}", needed / 10, needed % 10,
                       requirements.only_that_compute_capability ? " exactly" : "", found / 10, found % 10);
  const int below = requirements.below_compute_capability;
  if (below != 0 && found >= below)
    return fmt::format("stands in for another benchmark before compute capability {}.{}, this GPU has {}.{}",
                       below / 10, below % 10, found / 10, found % 10);
  if (!is_one_of(requirements.instead_on, found))
    return fmt::format("stands in for another benchmark on compute capability {}, this GPU has {}.{}",
                       listed(requirements.instead_on), found / 10, found % 10);
  const int devices = here.devices ? here.devices() : 1;
  if (devices < requirements.devices)
    return fmt::format("needs {} GPUs, this process sees {}", requirements.devices, devices);
  return std::nullopt;
}

bool stands_in_elsewhere(const Requirements& requirements) {
  if (!environment().compute_capability) return false;
  const int found = environment().compute_capability();
  return (requirements.below_compute_capability != 0 && found >= requirements.below_compute_capability) ||
         !is_one_of(requirements.instead_on, found);
}

}  // namespace gpugauge::bench

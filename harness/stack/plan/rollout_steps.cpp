// What each node of a rollout has to do: nodes of one kind may still begin at different versions.
#include <algorithm>
#include <tuple>

#include "stack/plan/rollout.hpp"

namespace gpugauge::stack {
namespace {

/// Where plan_steps() has a step: an older driver comes last, a fabric manager follows the driver.
std::size_t place(const PlanStep& step) {
  const std::vector<std::string>& keys = plan_keys();
  const auto from = Version::parse(step.from);
  const auto to = Version::parse(step.to);
  if (step.layer == "driver" && from && to && *to < *from) return keys.size() * 2;
  const bool follows = step.layer == "fabric_manager";
  const auto key = std::find(keys.begin(), keys.end(), follows ? "driver" : step.layer);
  return static_cast<std::size_t>(key - keys.begin()) * 2 + (follows ? 1 : 0);
}

}  // namespace

std::vector<RolloutStep> rollout_steps(const std::vector<const RolloutNode*>& nodes,
                                       const PlanRequest& request) {
  std::vector<RolloutStep> out;
  for (const RolloutNode* node : nodes)
    for (PlanStep& step : plan_steps(request, node->inventory)) {
      const auto same =
          std::find_if(out.begin(), out.end(), [&](const RolloutStep& other) { return other.step == step; });
      if (same == out.end())
        out.push_back({std::move(step), {node->name}});
      else
        same->nodes.push_back(node->name);
    }
  std::stable_sort(out.begin(), out.end(), [](const RolloutStep& a, const RolloutStep& b) {
    return std::tuple(place(a.step), b.nodes.size()) < std::tuple(place(b.step), a.nodes.size());
  });
  return out;
}

}  // namespace gpugauge::stack

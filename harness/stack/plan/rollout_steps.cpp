// The steps for each node of a rollout: even nodes of one kind may start from different versions.
#include <algorithm>
#include <tuple>
#include <utility>

#include "stack/plan/rollout.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t places = 3;  // per layer: the driver, its fabric manager, the restart

/// Where plan_steps() puts a step: a driver downgrade comes last; fabric manager and restart follow the
/// driver. `before`: number of places before this layer.
std::size_t place(const PlanStep& step, std::size_t before) {
  const std::size_t layer = before / places;
  if (step.layer == "fabric_manager") return layer * places + 1;
  if (step.layer == restart_layer) return layer * places + 2;
  const std::vector<std::string>& keys = plan_keys();
  const auto from = Version::parse(step.from);
  const auto to = Version::parse(step.to);
  if (step.layer == "driver" && from && to && *to < *from) return keys.size() * places;
  const auto key = std::find(keys.begin(), keys.end(), step.layer);
  return static_cast<std::size_t>(key - keys.begin()) * places;
}

struct Placed {
  std::size_t place = 0;
  RolloutStep step;
};

}  // namespace

std::vector<RolloutStep> rollout_steps(const std::vector<const RolloutNode*>& nodes,
                                       const PlanRequest& request) {
  std::vector<Placed> placed;
  for (const RolloutNode* node : nodes) {
    std::size_t at = 0;
    for (PlanStep& step : plan_steps(request, node->inventory)) {
      at = place(step, at);
      const auto same = std::find_if(placed.begin(), placed.end(), [&](const Placed& other) {
        return other.place == at && other.step.step == step;
      });
      if (same == placed.end())
        placed.push_back({at, {std::move(step), {node->name}}});
      else
        same->step.nodes.push_back(node->name);
    }
  }
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return std::tuple(a.place, b.step.nodes.size()) < std::tuple(b.place, a.step.nodes.size());
  });
  std::vector<RolloutStep> out;
  out.reserve(placed.size());
  for (Placed& one : placed) out.push_back(std::move(one.step));
  return out;
}

}  // namespace gpugauge::stack

// What an upgrade changed: two inventories of one machine, layer by layer, held against what was planned.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stack/plan/diff.hpp"
#include "stack/plan/plan.hpp"

namespace gpugauge::stack {

/// One layer that differs, or that was to differ.
struct LayerChange {
  /// How it stands to the plan.
  enum class State {
    reached,    ///< planned, and there
    unchanged,  ///< planned, and as it was before
    partly,     ///< planned, and only a part of it is there: libraries without the module in the kernel
    other,      ///< planned, and now neither as before nor as planned
    followed,   ///< not named by the plan, and brought by a layer that is
    unplanned,  ///< not named by the plan, and different now
    changed,    ///< different now; there was no plan
  };
  std::string layer;             ///< of plan_keys(), or "GPU", "system", "container", "framework"
  State state = State::changed;  ///< to_string() puts it in words
  std::string from;      ///< its version before, as found; "" where it had none, or no single version tells
  std::string to;        ///< and now
  std::string planned;   ///< "" unless the plan names it
  std::string sentence;  ///< what became of the layer, with a full stop
  std::vector<Difference> differences;  ///< what the states rest on, most consequential first

  bool operator==(const LayerChange&) const = default;  ///< member by member
};
const char* to_string(LayerChange::State state);  ///< "as planned", "not planned", ...

/// Everything of the stack that differs between two inventories, and what a plan named.
struct StackChange {
  std::vector<LayerChange> layers;   ///< those of the plan in its order, then the others
  std::vector<Difference> settings;  ///< environment, holds, states of services: a cause, no other stack
  bool planned = false;              ///< there was a plan

  /// Something of the stack is different now.
  bool changed() const;
  /// Every layer of the plan is there; true without a plan.
  bool complete() const;
  /// Layers that changed and that the plan does not name.
  std::vector<std::string> unplanned() const;

  bool operator==(const StackChange&) const = default;  ///< member by member
};

/// `request` without versions is no plan. States that pass by themselves are left out, and so are facts of a
/// GPU that only one of the two drivers tells.
StackChange stack_change(const Inventory& before, const Inventory& now, const PlanRequest& request);

/// The layer that a system's package belongs to: "driver", "cuda", "cudnn", "nccl", "tensorrt", "container",
/// or "other" (monitoring, kernel modules of third parties).
std::string package_layer(std::string_view name);

}  // namespace gpugauge::stack

// What an upgrade changed: compares two inventories of one machine, layer by layer, with the plan.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stack/plan/diff.hpp"
#include "stack/plan/plan.hpp"

namespace gpugauge::stack {

/// One layer that differs or was planned to.
struct LayerChange {
  /// The layer's relation to the plan.
  enum class State {
    reached,    ///< planned, and reached
    unchanged,  ///< planned, but as before
    back,       ///< planned, and as before again or still, after the new stack was measured
    partly,     ///< planned, but only partly present: libraries without the loaded module
    other,      ///< planned, but now neither as before nor as planned
    followed,   ///< not in the plan, but changed together with a planned layer
    unplanned,  ///< not in the plan, but different now
    changed,    ///< different now, without a plan
  };
  std::string layer;             ///< one of plan_keys(), or "GPU", "system", "container", "framework"
  State state = State::changed;  ///< to_string() gives the words
  std::string from;              ///< its version before, as found; "" if it had none, or no single version
  std::string to;                ///< its version now
  std::string planned;           ///< "" if the plan does not name it
  std::string sentence;          ///< the result for the layer, with a full stop
  std::vector<Difference> differences;  ///< the basis of the state, most important first

  bool operator==(const LayerChange&) const = default;  ///< member by member
};
const char* to_string(LayerChange::State state);  ///< "as planned", "not planned", ...

/// All stack differences between two inventories, and the planned layers.
struct StackChange {
  std::vector<LayerChange> layers;  ///< planned layers in the plan's order, then others
  /// Environment, holds, service states, and without a plan for CUDA which toolkit a shell's variables select:
  /// possible causes, but not a different stack.
  std::vector<Difference> settings;
  bool planned = false;  ///< there was a plan

  /// True if a layer of the stack is different now.
  bool changed() const;
  /// True if every planned layer is reached, or there is no plan.
  bool complete() const;
  /// Layers that changed and that the plan does not name.
  std::vector<std::string> unplanned() const;

  bool operator==(const StackChange&) const = default;  ///< member by member
};

/// A `request` without versions is no plan. Leaves out states that change by themselves, and facts of a GPU
/// that only one of the two drivers reports.
/// `measured`: rounds of the new stack are kept, so that what is as before may have been the planned one
/// meanwhile.
StackChange stack_change(const Inventory& before, const Inventory& now, const PlanRequest& request,
                         bool measured = false);

/// A change as sentences, for remarks of a report and for the record: one a layer, then settings_sentence().
std::vector<std::string> sentences(const StackChange& change);
/// One sentence on the settings that differ, which names the first six; "" where none does.
std::string settings_sentence(const StackChange& change);

/// The layer of a system package: "driver", "cuda", "cudnn", "nccl", "tensorrt", "container", or "other"
/// (monitoring, third-party kernel modules).
std::string package_layer(std::string_view name);

}  // namespace gpugauge::stack

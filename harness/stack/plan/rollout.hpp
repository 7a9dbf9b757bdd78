// An upgrade of many nodes: which nodes can take it, in which order, and which versions may coexist
// meanwhile. Pure functions from inventories to a plan.
#pragma once

#include <string>
#include <vector>

#include "result/run_file.hpp"
#include "stack/plan/lock.hpp"
#include "stack/plan/plan.hpp"

namespace gpugauge::stack {

/// A node to upgrade.
struct RolloutNode {
  std::string name;     ///< the user's name for it; unique
  Inventory inventory;  ///< collected, or made by inventory_of() from a run or a lock
  /// True if the doctor collected it, so its health is known. False for a lock or a run's fingerprint.
  bool whole = false;
  std::string unreadable{};  ///< why its file tells nothing: then the node counts, and is planned for no more
};

/// What a run's fingerprint tells about a node, with the keys of docs/inventory.md.
Inventory inventory_of(const result::Fingerprint& fingerprint);
/// The same for a lock; includes fields that the lock ignores, as they tell what the node had.
Inventory inventory_of(const Lock& lock);

/// Nodes with the same GPUs, driver and system. A canary speaks only for its own kind.
struct RolloutKind {
  /// What they share: "8 x NVIDIA H100 80GB HBM3, driver 570.86.15, ubuntu 24.04, NVSwitch".
  std::string description;
  std::vector<std::string> nodes;  ///< sorted by name

  bool operator==(const RolloutKind&) const = default;  ///< member by member
};

/// Nodes that are upgraded together, after the previous wave has passed.
struct RolloutWave {
  std::string name;                ///< "canary", "one of each other kind", "wave 1"
  std::string why;                 ///< one sentence: the purpose of this wave
  std::vector<std::string> nodes;  ///< names of its nodes

  bool operator==(const RolloutWave&) const = default;  ///< member by member
};

/// A node in no wave.
struct LeftOutNode {
  /// Why it is in no wave.
  enum class Reason {
    there,    ///< it already has everything planned
    cannot,   ///< the plan does not work on it
    unknown,  ///< whether the plan works on it is unknown
    faulty,   ///< the doctor reports a failure, which must be repaired first
  };
  std::string node;                  ///< RolloutNode::name
  Reason reason = Reason::unknown;   ///< to_string() gives the words
  std::string why;                   ///< one or two sentences
  std::string remedy;                ///< "" if there is none
  std::vector<std::string> sources;  ///< as cited in the rows; empty if no row decided

  bool operator==(const LeftOutNode&) const = default;  ///< member by member
};
/// "there already", "cannot take it", "mend first", "cannot be told".
const char* to_string(LeftOutNode::Reason reason);

/// Two versions that coexist during the upgrade. works: allowed; limited: except for what the reason names;
/// fails: not allowed; unknown: no source that was read tells.
struct Mixture {
  /// The versions and their places: "programs of CUDA 12.8 on nodes that still have driver 535.183.01 (3
  /// now)".
  std::string what;
  Fit fit = Fit::unknown;            ///< see above; unknown without a source, however likely it works
  std::string reason;                ///< one or more sentences
  std::vector<std::string> sources;  ///< as cited in the rows; empty if no row told

  bool operator==(const Mixture&) const = default;  ///< member by member
};

/// A step and the nodes that need it. Nodes that start from another version, or are done, need another one or
/// none.
struct RolloutStep {
  PlanStep step;                   ///< worded as plan_steps() does for each node
  std::vector<std::string> nodes;  ///< nodes in waves, in the given order

  bool operator==(const RolloutStep&) const = default;  ///< member by member
};

/// An upgrade of many nodes, in order.
struct Rollout {
  std::string canary;                 ///< "" if no node can take the plan
  std::string why_canary;             ///< a clause that follows the name; "" without a canary
  std::vector<RolloutKind> kinds;     ///< of the nodes in waves, largest first
  std::vector<RolloutWave> waves;     ///< in order: the canary alone, one of each other kind, then the rest
  std::vector<LeftOutNode> left_out;  ///< order: cannot, faulty, unknown, there
  std::vector<Mixture> mixtures;      ///< over all nodes that could be read, including those in no wave
  /// Only for nodes in waves. Each node takes the steps that name it, in order.
  std::vector<RolloutStep> steps;
  /// Findings of plan() on the planned stack of the nodes in waves (a driver branch that has ended), each
  /// once.
  std::vector<Finding> findings;
  std::vector<std::string> remarks;  ///< what the plan does not know, one sentence each
  /// Counts of nodes, waves, and nodes left out with the reasons; without a full stop.
  std::string sentence;

  std::size_t count(LeftOutNode::Reason reason) const;  ///< number of nodes left out for that reason
  /// Number of nodes that are upgraded, including the canary.
  std::size_t in_waves() const;
  bool operator==(const Rollout&) const = default;  ///< member by member
};

/// At most `share` of the nodes (0 < share <= 1), but at least one, is out of service at once. `terms` also
/// apply to the doctor's rules. Node names must differ.
Rollout roll_out(const std::vector<RolloutNode>& nodes, const PlanRequest& request, const Tables& tables,
                 const PlanTerms& terms, double share = .25);

/// Versions that may coexist according to the tables: new programs on old drivers, old ones on new drivers,
/// NCCL, fabric managers, vGPU.
std::vector<Mixture> mixtures(const std::vector<const RolloutNode*>& nodes, const PlanRequest& request,
                              const Tables& tables);

/// The steps of all nodes, each once, grouped by layer in the order of plan_steps(). Within a layer the step
/// of most nodes comes first.
std::vector<RolloutStep> rollout_steps(const std::vector<const RolloutNode*>& nodes,
                                       const PlanRequest& request);

}  // namespace gpugauge::stack

// An upgrade of many nodes: which of them can take it, in which order, and what may stand side by side
// meanwhile. Pure: inventories in, a plan out.
#pragma once

#include <string>
#include <vector>

#include "result/run_file.hpp"
#include "stack/plan/lock.hpp"
#include "stack/plan/plan.hpp"

namespace gpugauge::stack {

/// A node that is to be upgraded.
struct RolloutNode {
  std::string name;     ///< as the user calls it; each once
  Inventory inventory;  ///< collected, or what inventory_of() makes of a run or a lock
  /// Collected by the doctor, so that its health can be told; not so of a lock or a run's fingerprint.
  bool whole = false;
};

/// What a run's fingerprint or a lock tells of a node, under the keys of docs/inventory.md.
Inventory inventory_of(const result::Fingerprint& fingerprint);
Inventory inventory_of(const Lock& lock);  ///< fields that the lock ignores too: it says what the node had

/// Nodes with the same GPUs, driver and system: a canary speaks for its kind only.
struct RolloutKind {
  /// "8 x NVIDIA H100 80GB HBM3, driver 570.86.15, ubuntu 24.04, NVSwitch": what they have alike.
  std::string description;
  std::vector<std::string> nodes;  ///< by name

  bool operator==(const RolloutKind&) const = default;  ///< member by member
};

/// Nodes that are upgraded together, after those of the wave before have passed.
struct RolloutWave {
  std::string name;                ///< "canary", "one of each other kind", "wave 1"
  std::string why;                 ///< one sentence: what this wave is for
  std::vector<std::string> nodes;  ///< names of its nodes

  bool operator==(const RolloutWave&) const = default;  ///< member by member
};

/// A node that is in no wave.
struct LeftOutNode {
  /// Why it is in none.
  enum class Reason {
    there,    ///< it has all of what is planned
    cannot,   ///< the plan does not work on it
    unknown,  ///< it cannot be told whether it does
    faulty,   ///< the doctor finds a failure: mend it first
  };
  std::string node;                  ///< RolloutNode::name
  Reason reason = Reason::unknown;   ///< to_string() puts it in words
  std::string why;                   ///< one or two sentences
  std::string remedy;                ///< "" where there is none
  std::vector<std::string> sources;  ///< as the rows cite them; empty where no row decided

  bool operator==(const LeftOutNode&) const = default;  ///< member by member
};
/// "there already", "cannot take it", "mend first", "cannot be told".
const char* to_string(LeftOutNode::Reason reason);

/// Two versions side by side while the upgrade is under way. works: allowed; limited: with what the reason
/// names; fails: not allowed; unknown: no source that was read tells.
struct Mixture {
  /// Which versions, where: "programs of CUDA 12.8 on nodes that still have driver 535.183.01 (3 now)".
  std::string what;
  Fit fit = Fit::unknown;            ///< see above; what no source tells is unknown, however likely
  std::string reason;                ///< one or more sentences
  std::vector<std::string> sources;  ///< as the rows cite them; empty where no row told

  bool operator==(const Mixture&) const = default;  ///< member by member
};

/// A step and who takes it: nodes that begin elsewhere, or are there already, take another one or none.
struct RolloutStep {
  PlanStep step;                   ///< as plan_steps() words it for each of them
  std::vector<std::string> nodes;  ///< names of nodes in waves, in the order given

  bool operator==(const RolloutStep&) const = default;  ///< member by member
};

/// An upgrade of many nodes, in order.
struct Rollout {
  std::string canary;                 ///< "" where no node can take the plan
  std::string why_canary;             ///< a clause that follows the name; "" without a canary
  std::vector<RolloutKind> kinds;     ///< of the nodes in waves, largest first
  std::vector<RolloutWave> waves;     ///< in order: the canary alone, one of each other kind, then the rest
  std::vector<LeftOutNode> left_out;  ///< cannot, faulty, unknown, there
  std::vector<Mixture> mixtures;      ///< on all nodes, those in no wave too
  std::vector<RolloutStep> steps;     ///< of the nodes in waves; each node takes those that name it, in order
  /// What plan() finds of the planned stack on the nodes in waves (a driver branch that has ended), each
  /// once.
  std::vector<Finding> findings;
  std::vector<std::string> remarks;  ///< what the plan does not know, one sentence each
  /// How many nodes, in how many waves, and how many are left out and why; without a full stop.
  std::string sentence;

  std::size_t count(LeftOutNode::Reason reason) const;  ///< nodes left out for that reason
  std::size_t in_waves() const;                         ///< nodes that are upgraded, the canary among them
  bool operator==(const Rollout&) const = default;      ///< member by member
};

/// `share` of the nodes (0 < share <= 1) is out of service at once at most, one node at least. `terms` are
/// also those of the doctor's rules. Nodes need different names.
Rollout roll_out(const std::vector<RolloutNode>& nodes, const PlanRequest& request, const Tables& tables,
                 const PlanTerms& terms, double share = .25);

/// What may stand side by side, by the tables: new programs on old drivers, old ones on new drivers, NCCL,
/// fabric managers, vGPU.
std::vector<Mixture> mixtures(const std::vector<const RolloutNode*>& nodes, const PlanRequest& request,
                              const Tables& tables);

/// The steps of all nodes, each once: those of a layer together, the layers in the order of plan_steps(), and
/// within a layer the step that most nodes take first.
std::vector<RolloutStep> rollout_steps(const std::vector<const RolloutNode*>& nodes,
                                       const PlanRequest& request);

}  // namespace gpugauge::stack

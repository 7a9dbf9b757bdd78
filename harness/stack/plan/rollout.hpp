// An upgrade of many nodes: which of them can take it, in which order, and what may stand side by side
// meanwhile. Pure: inventories in, a plan out.
#pragma once

#include <string>
#include <vector>

#include "result/run_file.hpp"
#include "stack/plan/lock.hpp"
#include "stack/plan/plan.hpp"

namespace gpugauge::stack {

struct RolloutNode {
  std::string name;
  Inventory inventory;
  /// Collected by the doctor, so that its health can be told; not so of a lock or a run's fingerprint.
  bool whole = false;
};

/// What a run's fingerprint or a lock tells of a node, under the keys of docs/inventory.md.
Inventory inventory_of(const result::Fingerprint& fingerprint);
Inventory inventory_of(const Lock& lock);

/// Nodes with the same GPUs, driver and system: a canary speaks for its kind only.
struct RolloutKind {
  std::string description;
  std::vector<std::string> nodes;

  bool operator==(const RolloutKind&) const = default;
};

struct RolloutWave {
  std::string name;  ///< "canary", "one of each other kind", "wave 1"
  std::string why;
  std::vector<std::string> nodes;

  bool operator==(const RolloutWave&) const = default;
};

/// A node that is in no wave.
struct LeftOutNode {
  enum class Reason {
    there,    ///< it has all of what is planned
    cannot,   ///< the plan does not work on it
    unknown,  ///< it cannot be told whether it does
    faulty,   ///< the doctor finds a failure: mend it first
  };
  std::string node;
  Reason reason = Reason::unknown;
  std::string why;
  std::string remedy;  ///< "" where there is none
  std::vector<std::string> sources;

  bool operator==(const LeftOutNode&) const = default;
};
const char* to_string(LeftOutNode::Reason reason);

/// Two versions side by side while the upgrade is under way. works: allowed; limited: with what the reason
/// names; fails: not allowed; unknown: no source that was read tells.
struct Mixture {
  std::string what;
  Fit fit = Fit::unknown;
  std::string reason;
  std::vector<std::string> sources;

  bool operator==(const Mixture&) const = default;
};

struct Rollout {
  std::string canary;  ///< "" where no node can take the plan
  std::string why_canary;
  std::vector<RolloutKind> kinds;  ///< of the nodes in waves, largest first
  std::vector<RolloutWave> waves;
  std::vector<LeftOutNode> left_out;  ///< cannot, faulty, unknown, there
  std::vector<Mixture> mixtures;
  std::vector<PlanStep> steps;  ///< on the canary; the other kinds' may differ in where they begin
  std::vector<std::string> remarks;
  std::string sentence;

  std::size_t count(LeftOutNode::Reason reason) const;
  std::size_t in_waves() const;
  bool operator==(const Rollout&) const = default;
};

/// `share` of the nodes (0 < share <= 1) is out of service at once at most, one node at least. `today` is a
/// UTC day for the doctor's rules. Nodes need different names.
Rollout roll_out(const std::vector<RolloutNode>& nodes, const PlanRequest& request, const Tables& tables,
                 const std::string& today, double share = .25);

/// What may stand side by side, by the tables: new programs on old drivers, old ones on new drivers, NCCL,
/// fabric managers, vGPU.
std::vector<Mixture> mixtures(const std::vector<const RolloutNode*>& nodes, const PlanRequest& request,
                              const Tables& tables);

}  // namespace gpugauge::stack

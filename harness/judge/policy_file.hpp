// The policy file, schema "gpugauge.policy/1": a site's tolerances and what it expects of a node. Data only:
// patterns of names and numbers; nothing is executed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "judge/judge.hpp"

namespace gpugauge::judge {

/// Required value of "schema" in a policy file.
inline constexpr std::string_view policy_schema = "gpugauge.policy/1";

/// Largest policy file that is read: 1 MiB.
inline constexpr std::size_t policy_limit = std::size_t{1} << 20;

/// Parses the text of a policy file; absent keys keep their defaults. `origin` names the file in messages.
/// Throws result::FormatError naming file, place and fault, also for unknown keys and classes.
Policy parse_policy(const std::string& text, const std::string& origin);

/// Throws result::UsageError for a word that cannot be a treatment: suite, profile and device define the
/// measurement itself.
void require_treatment(const std::vector<std::string>& words);

/// Throws result::UsageError naming the policy keys that have no effect in an admission (judge_admission), so
/// that no setting is silently ignored.
void require_of_admission(const Policy& policy);

/// The same for a comparison of nodes (judge_peers), which heeds tolerances and advisory metrics.
void require_of_fleet(const Policy& policy);

/// What a node has of that which a policy may expect.
struct NodeFound {
  std::vector<std::string> models;    ///< one name per usable GPU, as from NVML
  std::vector<double> rdma_gigabits;  ///< one rate in Gb/s per active RDMA port; 0 where it does not tell
};

/// True if the policy expects something of the node's GPUs or ports.
bool expects_of_node(const Policy& policy);

/// Compares a node with the policy. Returns one verdict each "node:gpus", "node:gpu_models" and "node:rdma_ports", failed
/// or ok; none for what the policy does not set.
std::vector<Verdict> judge_expectations(const Policy& policy, const NodeFound& found);

}  // namespace gpugauge::judge

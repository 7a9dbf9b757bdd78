// The policy file, schema "gpugauge.policy/1": what a site decides about tolerances, and what it expects of a
// node. Data only: patterns of names and numbers, nothing that is evaluated.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "judge/judge.hpp"

namespace gpugauge::judge {

/// What the key "schema" of a policy file says.
inline constexpr std::string_view policy_schema = "gpugauge.policy/1";

/// Largest policy file that is read: 1 MiB.
inline constexpr std::size_t policy_limit = std::size_t{1} << 20;

/// Reads a policy from the text of its file; keys that are absent keep their defaults. `origin` names the
/// file in sentences. Throws result::FormatError naming file, place and fault, unknown keys and classes
/// included.
Policy parse_policy(const std::string& text, const std::string& origin);

/// Throws result::UsageError for a word that can be no treatment: the suite, the profile and the device are
/// the measurement itself.
void require_treatment(const std::vector<std::string>& words);

/// Throws result::UsageError naming the keys of a policy file that have no effect in an admission
/// (judge_admission): what a site wrote and nobody heeds would be believed.
void require_of_admission(const Policy& policy);

/// Compares what a node has with what the policy expects: one verdict "node:gpus" and one "node:gpu_models",
/// failed or ok; none where nothing is expected. `models`: one name a GPU, as NVML names it.
std::vector<Verdict> judge_expectations(const Policy& policy, const std::vector<std::string>& models);

}  // namespace gpugauge::judge

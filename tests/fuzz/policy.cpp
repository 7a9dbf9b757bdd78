// Policy files.
#include "fuzz/support/target.hpp"
#include "judge/policy_file.hpp"
#include "judge/policy_reach.hpp"

namespace gpugauge::fuzz {
namespace {

void read(std::string_view bytes) {
  const std::string text(bytes);
  judge::Policy policy;
  if (!accepted([&] { policy = judge::parse_policy(text, "policy.json"); })) return;
  require(policy.rules.alpha > 0 && policy.rules.alpha < .5, "alpha is out of its range");
  judge::SeenMetrics seen;
  seen.add("host/triad/one_core:bandwidth", "host_memory");
  const judge::KnownBenchmarks known{{{"host/triad/one_core", "host_memory"}}, {"nccl"}};
  const bool possible = accepted([&] { judge::require_possible(policy, known); });
  require(possible || !accepted([&] { judge::require_matches(policy, seen); }),
          "an entry that matches was called impossible");
  judge::judge_expectations(policy, {{"NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3"}, {400, 0}});
  judge::judge_expectations(policy, {});
}

const Target target("policy", read);

}  // namespace
}  // namespace gpugauge::fuzz

// Policy files.
#include "fuzz/support/target.hpp"
#include "judge/policy_file.hpp"

namespace gpugauge::fuzz {
namespace {

void read(std::string_view bytes) {
  const std::string text(bytes);
  judge::Policy policy;
  if (!accepted([&] { policy = judge::parse_policy(text, "policy.json"); })) return;
  require(policy.rules.alpha > 0 && policy.rules.alpha < .5, "alpha is out of its range");
  accepted(
      [&] { judge::require_matches(policy, {"host/triad/one_core:bandwidth"}, {"host/triad/one_core"}); });
  judge::judge_expectations(policy, {"NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3"});
  judge::judge_expectations(policy, {});
}

const Target target("policy", read);

}  // namespace
}  // namespace gpugauge::fuzz

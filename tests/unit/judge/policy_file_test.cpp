// The policy file: what it may say, and each way of saying it wrong.
#include "judge/policy_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked_rounds.hpp"
#include "judge/physical_verdict.hpp"
#include "judge/policy_reach.hpp"
#include "result/error.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Policy parse(const std::string& rest) {
  return parse_policy(R"({"schema": "gpugauge.policy/1")" + rest + "}", "policy.json");
}

std::string fault(const std::string& rest) {
  try {
    parse(rest);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(PolicyFile, AnEmptyOneKeepsTheDefaults) {
  const Policy policy = parse("");
  EXPECT_EQ(policy.rules.alpha, GateRules{}.alpha);
  EXPECT_EQ(policy.rules.max_rounds, GateRules{}.max_rounds);
  EXPECT_THAT(policy.metrics, IsEmpty());
  EXPECT_FALSE(policy.expected_gpus);
}

TEST(PolicyFile, SaysEverythingThatItMay) {
  const Policy policy = parse(R"(, "alpha": 0.02, "alpha_ok": 0.1, "max_rounds": 4,
    "tolerance": {"hbm": 0.02}, "metrics": [{"metric": "host/*:latency", "tolerance": 0.2, "advisory": true, "why": "noisy"}],
    "expect": {"gpus": 8, "models": ["NVIDIA H200*"]}, "treatment": ["driver"], "provisional_is_advisory": true)");
  EXPECT_EQ(policy.rules.alpha, .02);
  EXPECT_EQ(policy.rules.max_rounds, 4);
  EXPECT_EQ(tolerance(policy, "hbm"), .02);
  EXPECT_EQ(tolerance(policy, "host_memory", latency), .2);
  EXPECT_EQ(tolerance(policy, "host_memory", triad), .10);
  EXPECT_NE(advisory_rule(policy, latency), nullptr);
  EXPECT_EQ(advisory_rule(policy, triad), nullptr);
  EXPECT_EQ(policy.expected_gpus, 8);
  EXPECT_THAT(policy.treatment, ElementsAre("driver"));
  EXPECT_TRUE(policy.provisional_is_advisory);
}

TEST(PolicyFile, EachFaultIsNamedWithItsPlace) {
  EXPECT_THAT(fault(R"(, "alhpa": 0.01)"), HasSubstr("alhpa"));
  EXPECT_THAT(fault(R"(, "alpha": 0)"), HasSubstr("alpha: is 0; it must be above 1e-06 and below 0.5"));
  EXPECT_THAT(fault(R"(, "alpha": 1e-18)"), HasSubstr("alpha: is 1e-18"));
  EXPECT_THAT(fault(R"(, "alpha_ok": 1e-18)"), HasSubstr("alpha_ok: is 1e-18"));
  EXPECT_THAT(fault(R"(, "alpha": 1e999)"), HasSubstr("policy.json"));
  EXPECT_THAT(fault(R"(, "tolerance": {"hbm": 1e-200})"), HasSubstr("tolerance.hbm: is 1e-200"));
  EXPECT_THAT(fault(R"(, "alpha": "small")"), HasSubstr("should be a number"));
  EXPECT_THAT(fault(R"(, "max_rounds": 1)"), HasSubstr("it must be 2 to 8"));
  EXPECT_THAT(fault(R"(, "tolerance": {"gem16": 0.1})"),
              HasSubstr("'gem16' is no class of metrics; docs/benchmarks.md lists them"));
  EXPECT_THAT(fault(R"(, "tolerance": {"gemm16": 1})"), HasSubstr("tolerance.gemm16: is 1"));
  EXPECT_THAT(fault(R"(, "metrics": [{"metric": "a", "why": "x"}])"), HasSubstr("metrics[0]: says nothing"));
  EXPECT_THAT(fault(R"(, "metrics": [{"metric": "", "advisory": true}])"), HasSubstr("is empty"));
  EXPECT_THAT(fault(R"(, "metrics": [{"metric": "a", "tolerance": -1}])"), HasSubstr("metrics[0].tolerance"));
  EXPECT_THAT(fault(R"(, "expect": {"gpus": -1})"), HasSubstr("expect.gpus"));
  EXPECT_THAT(fault(R"(, "treatment": ["suite"])"), HasSubstr("can be no treatment"));
  for (const char* word : {"device", "device.host.cpu_model", "device.gpu", "gpu", "gpu.0.name", "host"})
    EXPECT_THAT(fault(fmt::format(R"(, "treatment": ["{}"])", word)), HasSubstr("can be no treatment"))
        << word;
  for (const char* word : {"driver", "host.name", "device.host.name", "host.libc", "stack"})
    EXPECT_EQ(fault(fmt::format(R"(, "treatment": ["{}"])", word)), "") << word;
  EXPECT_THAT(fault(R"(, "treatment": [""])"), HasSubstr("is empty"));
  EXPECT_THROW(parse_policy(R"({"schema": "gpugauge.policy/2"})", "policy.json"), result::FormatError);
  EXPECT_THROW(parse_policy("", "policy.json"), result::FormatError);
}

TEST(PolicyFile, ALaterEntryChangesOnlyTheFieldsThatItGives) {
  const Policy policy = parse(R"(, "metrics": [
    {"metric": "host/*", "advisory": true, "why": "shared"},
    {"metric": "host/latency:*", "tolerance": 0.2, "why": "coarse"},
    {"metric": "host/triad:*", "tolerance": 0.3, "advisory": false}])");
  ASSERT_NE(advisory_rule(policy, latency), nullptr);
  EXPECT_EQ(advisory_rule(policy, latency)->why, "shared");
  EXPECT_EQ(tolerance(policy, "host_memory", latency), .2);
  EXPECT_EQ(advisory_rule(policy, triad), nullptr) << "taken back by name";
  EXPECT_NE(advisory_rule(policy, wake), nullptr);
}

TEST(PolicyFile, WhatThePhysicalJudgeFindsWrongCountsAndSaysSo) {
  const Policy policy = parse(R"(, "metrics": [{"metric": "host/*", "advisory": true}])");
  Verdict wrong;
  wrong.judge = Judge::physical;
  wrong.kind = VerdictKind::failed;
  wrong.metric = triad;
  wrong.reason = "above the limit";
  std::vector<Verdict> physical{wrong};
  apply_advisory(policy, physical);
  EXPECT_FALSE(physical[0].advisory);
  EXPECT_THAT(physical[0].reason, HasSubstr("above the limit; the policy calls it advisory, but"));
}

TEST(PolicyFile, APowerCapThatIsMeantIsSaidAndNotCounted) {
  const Policy policy =
      parse(R"(, "metrics": [{"metric": "power/limit", "advisory": true, "why": "600 W a slot"}])");
  std::vector<Verdict> physical{
      physical_verdict("power/limit", VerdictKind::inconclusive, "a power limit of 600 W"),
      physical_verdict("clocks/sm", VerdictKind::inconclusive, "locked"),
      physical_verdict("gpu/lost", VerdictKind::inconclusive, "gone")};
  for (Verdict& verdict : physical) verdict.may_be_meant = true;
  apply_advisory(policy, physical);
  EXPECT_TRUE(physical[0].advisory);
  EXPECT_EQ(physical[0].reason, "a power limit of 600 W; advisory by the policy: 600 W a slot");
  EXPECT_FALSE(physical[1].advisory) << "the entry does not name it";
  std::vector<Verdict> other{physical_verdict("clocks/throttled", VerdictKind::inconclusive, "hot"),
                             physical_verdict("power/limit", VerdictKind::failed, "none")};
  apply_advisory(parse(R"(, "metrics": [{"metric": "*", "advisory": true}])"), other);
  EXPECT_FALSE(other[0].advisory) << "nobody means heat";
  EXPECT_FALSE(other[1].advisory) << "what has failed counts";
}

TEST(PolicyFile, AnEntryForASettingOfTheSiteIsNoErrorWhereThatIsTheUsualOne) {
  const Policy policy = parse(R"(, "metrics": [{"metric": "power/limit", "advisory": true}])");
  EXPECT_NO_THROW(require_possible(policy, {}));
  EXPECT_NO_THROW(require_matches(policy, {}));
  for (const char* const entry : {R"({"metric": "power/limits", "advisory": true})",
                                  R"({"metric": "power/limit", "tolerance": 0.1})"}) {
    const Policy none = parse(fmt::format(R"(, "metrics": [{}])", entry));
    EXPECT_THROW(require_possible(none, {}), result::UsageError) << entry;
    EXPECT_THROW(require_matches(none, {}), result::UsageError) << entry;
  }
}

TEST(PolicyFile, KeysThatAnAdmissionDoesNotHeedAreNamed) {
  EXPECT_NO_THROW(require_of_admission({}));
  EXPECT_NO_THROW(require_of_admission(parse(
      R"(, "tolerance": {"hbm": 0.02}, "metrics": [{"metric": "a", "advisory": true}], "treatment": ["driver"])")));
  try {
    require_of_admission(parse(R"(, "alpha": 0.01, "expect": {"gpus": 8})"));
    FAIL() << "was accepted";
  } catch (const result::UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("alpha, expect have no effect in an admission"));
  }
}

TEST(PolicyFile, KeysThatAComparisonOfNodesDoesNotHeedAreNamed) {
  EXPECT_NO_THROW(require_of_fleet({}));
  EXPECT_NO_THROW(require_of_fleet(
      parse(R"(, "tolerance": {"hbm": 0.02}, "metrics": [{"metric": "a", "advisory": true}])")));
  try {
    require_of_fleet(parse(R"(, "treatment": ["driver"], "metrics": [])"));
    FAIL() << "was accepted";
  } catch (const result::UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("treatment has no effect in a comparison of nodes"));
  }
}

TEST(Expectations, CountAndModelsAreHeldAgainstTheNode) {
  const Policy policy = parse(R"(, "expect": {"gpus": 2, "models": ["NVIDIA H200*"]})");
  const auto as_expected = judge_expectations(policy, {{"NVIDIA H200", "NVIDIA H200 NVL"}, {}});
  ASSERT_THAT(as_expected, SizeIs(2));
  for (const Verdict& verdict : as_expected) EXPECT_EQ(verdict.kind, VerdictKind::ok) << verdict.reason;
  const auto fewer = judge_expectations(policy, {{"NVIDIA H100"}, {}});
  ASSERT_THAT(fewer, SizeIs(2));
  EXPECT_EQ(fewer[0].kind, VerdictKind::failed);
  EXPECT_THAT(fewer[0].reason, HasSubstr("expects 2 GPUs and 1 is usable"));
  EXPECT_EQ(fewer[1].kind, VerdictKind::failed);
  EXPECT_THAT(fewer[1].reason, HasSubstr("NVIDIA H100"));
  EXPECT_EQ(judge_expectations(policy, {})[1].kind, VerdictKind::failed);
  EXPECT_THAT(judge_expectations(Policy{}, {}), IsEmpty());
}

TEST(Expectations, ActivePortsAreCountedFromTheRateThatIsAskedFor) {
  const auto ports = [](const std::string& expect, std::vector<double> gigabits) {
    const auto verdicts = judge_expectations(parse(R"(, "expect": )" + expect), {{}, std::move(gigabits)});
    return verdicts.at(0);
  };
  const std::string eight = R"({"rdma_ports": 8, "rdma_gbps": 400})";
  EXPECT_EQ(ports(eight, std::vector<double>(8, 400)).kind, VerdictKind::ok);
  EXPECT_EQ(ports(eight, std::vector<double>(9, 400)).kind, VerdictKind::ok) << "one more for storage";
  const Verdict slower = ports(eight, {400, 400, 400, 400, 400, 400, 400, 200});
  EXPECT_EQ(slower.kind, VerdictKind::failed);
  EXPECT_EQ(slower.reason,
            "the policy expects 8 RDMA ports of 400 Gb/s or more; 7 such are active, and 1 slower");
  EXPECT_EQ(
      ports(R"({"rdma_ports": 2, "rdma_gbps": 400})", {400, 0}).reason,
      "the policy expects 2 RDMA ports of 400 Gb/s or more; 1 such is active, and 1 whose rate is not told");
  EXPECT_EQ(ports(R"({"rdma_ports": 2})", {100}).reason, "the policy expects 2 RDMA ports; 1 such is active");
  EXPECT_EQ(ports(R"({"rdma_ports": 1})", {0}).kind, VerdictKind::ok)
      << "its rate is not told, and not asked for";
}

TEST(Expectations, PortsThatCannotBeMeantAreRefused) {
  for (const char* const wrong :
       {R"({"rdma_gbps": 400})", R"({"rdma_ports": -1})", R"({"rdma_ports": 8, "rdma_gbps": 0})"})
    EXPECT_THROW(parse(std::string(R"(, "expect": )") + wrong), result::FormatError) << wrong;
}

TEST(Policy, AnAdvisoryMetricIsSaidAndNotCounted) {
  Policy policy;
  policy.metrics = {{triad, std::nullopt, true, "known to be slow"}};
  std::vector<result::Run> rounds;
  for (std::uint64_t seed = 900; seed < 906; ++seed) rounds.push_back(make_run(seed, {2, 1, 1}));
  const Verdict verdict = of(judge_baseline(rounds, make_baseline(10), policy), triad);
  EXPECT_EQ(verdict.kind, VerdictKind::regressed);
  EXPECT_TRUE(verdict.advisory);
  EXPECT_THAT(verdict.reason, HasSubstr("advisory by the policy: known to be slow"));
}

TEST(Accepted, AChangeThatWasAcceptedCountsNoMoreUntilItExpiresOrGetsWorse) {
  const auto judged = [](double slow, double accepted, const std::string& expires,
                         std::vector<std::string>* remarks = nullptr, bool provisional = false) {
    baseline::Baseline pinned = make_baseline(10);
    for (result::Run& run : pinned.runs) {
      if (provisional) run.boot_id = "one";
      if (provisional) run.started = "2026-01-01T00:00:00Z";
    }
    pinned.log.push_back({"2025-12-01T00:00:00Z", "root@node", "new kernel", std::nullopt,
                          baseline::AcceptedChange{latency, "second", 8e-8, 8e-8 * accepted, "", expires}});
    std::vector<result::Run> rounds;
    for (std::uint64_t seed = 900; seed < 906; ++seed) rounds.push_back(make_run(seed, {1, slow, 1}));
    const Judgement judgement = judge_baseline(rounds, pinned);
    if (remarks != nullptr) *remarks = judgement.remarks;
    return of(judgement, latency);
  };
  const Verdict good = judged(1.5, 1.5, "");
  EXPECT_EQ(good.kind, VerdictKind::regressed);
  EXPECT_TRUE(good.advisory);
  EXPECT_THAT(good.reason, HasSubstr("accepted for good by root@node on 2025-12-01: new kernel"));
  const Verdict worse = judged(2, 1.5, "");
  EXPECT_FALSE(worse.advisory);
  EXPECT_THAT(worse.reason, HasSubstr("worse than the change that was accepted"));
  std::vector<std::string> remarks;
  EXPECT_FALSE(judged(1.5, 1.5, "2025-12-31", &remarks).advisory);
  EXPECT_THAT(remarks, ::testing::Contains(HasSubstr("expired on 2025-12-31")));
  const double hidden = 1 + 1.5 * tolerance({}, "host_memory");
  EXPECT_TRUE(judged(hidden, hidden, "2025-12-31", &remarks, true).advisory);
  EXPECT_THAT(remarks, ::testing::Not(::testing::Contains(HasSubstr("it counts again"))));
}

TEST(Accepted, OneRoundNearWhatWasAcceptedDoesNotExcuseTheOthers) {
  baseline::Baseline pinned = make_baseline(10);
  pinned.log.push_back({"2025-12-01T00:00:00Z", "root@node", "new kernel", std::nullopt,
                        baseline::AcceptedChange{latency, "second", 8e-8, 8e-8 * 1.2, "", ""}});
  const auto judged = [&](const std::vector<double>& slow) {
    std::vector<result::Run> rounds;
    rounds.reserve(slow.size());
    for (const double one : slow) rounds.push_back(make_run(900 + rounds.size(), {1, one, 1}));
    const Judgement judgement = judge_baseline(rounds, pinned);
    return *std::find_if(judgement.verdicts.begin(), judgement.verdicts.end(),
                         [](const Verdict& verdict) { return verdict.metric == latency; });
  };
  EXPECT_EQ(judged({1.7, 1.29}).kind, VerdictKind::inconclusive);
  const Verdict worse = judged({1.7, 1.29, 1.7, 1.7, 1.7, 1.7});
  EXPECT_EQ(worse.kind, VerdictKind::regressed);
  EXPECT_FALSE(worse.advisory) << worse.reason;
  // Nor does one bad round make more of the others than was accepted, as it makes no regression.
  const Verdict hiccup = judged({1.2, 1.2, 1.2, 2.4, 1.2, 1.2});
  EXPECT_EQ(hiccup.kind, VerdictKind::regressed);
  EXPECT_TRUE(hiccup.advisory) << hiccup.reason;
  EXPECT_THAT(hiccup.reason, HasSubstr("accepted for good"));
  EXPECT_TRUE(judged({1.2, 2.4, 1.2, 1.2, 1.2, 1.2}).advisory);
  EXPECT_TRUE(judged({1.2, 1.2, 2.4, 1.2, 1.2, 1.2}).advisory);
  EXPECT_FALSE(judged({1.7, 1.7, 1.7}).advisory);
}

}  // namespace
}  // namespace gpugauge::judge

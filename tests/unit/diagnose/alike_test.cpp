// Known reports that read like an observation: the terms, the likeness by hand, what it is worth, and what it may change.
#include "diagnose/alike/alike.hpp"

#include <cmath>
#include <set>

#include <gmock/gmock.h>

#include "diagnose/alike/terms.hpp"
#include "diagnose/diagnose.hpp"
#include "unit/diagnose/cases.hpp"

namespace gpugauge::diagnose {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

Observation told(const std::string& json) {
  return parse_observation(json, "test");
}

Observation logged(const std::string& line) {
  Observation out;
  out.log = {line};
  return out;
}

TEST(Terms, AreKeysShortValuesAndWords) {
  const Observation seen =
      told(R"({"about": {"source": "never seen", "gpus": 2}, "telemetry": {"pstate": "P8"},
    "environment": {"NCCL_DEBUG": "INFO"}, "log": ["Xid 79: GPU has fallen off the bus, GPU lost", "2 of 2"]})");
  EXPECT_THAT(terms(seen),
              UnorderedElementsAre(
                  Pair("about.gpus:", 1), Pair("about.gpus: 2", 1), Pair("telemetry.pstate:", 1),
                  Pair("telemetry.pstate: p8", 1), Pair("p8", 1), Pair("environment.nccl_debug:", 1),
                  Pair("environment.nccl_debug: info", 1), Pair("info", 1), Pair("log:", 2),
                  Pair("log: 2 of 2", 1), Pair("xid", 1), Pair("gpu", 2), Pair("has", 1), Pair("fallen", 1),
                  Pair("off", 1), Pair("the", 1), Pair("bus", 1), Pair("lost", 1), Pair("of", 1)));
}

TEST(Terms, OfNothingAreNone) {
  EXPECT_THAT(terms(Observation{}), IsEmpty());
}

KnownReport report(const char* id, std::vector<std::string> causes, const std::string& line) {
  return {.id = id,
          .set = "test",
          .causes = std::move(causes),
          .source = id,
          .established = "",
          .seen = logged(line)};
}

/// A line of so many letters is known by its words only, and each has one letter more than a word needs.
const std::string far = std::string(whole_text_least, ' ');

TEST(ReportIndex, LikenessIsTheCosineOfWeightedTerms) {
  // Terms of two reports or more: "log:" in all three, "aa" in two, "bb" in two; "cc" is of one alone and counts not.
  const ReportIndex index({report("one", {"first"}, "aa bb" + far), report("two", {"second"}, "aa cc" + far),
                           report("three", {"second", "third"}, "bb bb" + far)});
  const double common = 1 + std::log(4. / 4);  // the weight of "log:"
  const double rare = 1 + std::log(4. / 3);    // of "aa", and of "bb"
  const double one = std::sqrt(common * common + 2 * rare * rare);
  const double two = std::sqrt(common * common + rare * rare);
  const double twice = (1 + std::log(2)) * rare;
  const double three = std::sqrt(common * common + twice * twice);
  // The asked one is the terms "log:" and "aa".
  const double with_first = (common * common + rare * rare) / one / two;
  const double with_three = common * common / three / two;
  const double sum_common = common / two + common / three;
  const double second = (1 + with_three) / std::sqrt(sum_common * sum_common + rare * rare / two / two +
                                                     twice * twice / three / three);
  const std::vector<Alike> ranked = index.rank(logged("aa zz" + far), 3);
  ASSERT_EQ(ranked.size(), 3U);
  EXPECT_EQ(ranked[0].cause, second > with_first ? "second" : "first");
  for (const Alike& alike : ranked)
    EXPECT_NEAR(alike.likeness,
                alike.cause == "first"    ? with_first
                : alike.cause == "second" ? second
                                          : with_three,
                .0005)
        << alike.cause;
  EXPECT_TRUE(index.knows("third"));
  EXPECT_FALSE(index.knows("fourth"));
}

TEST(ReportIndex, NamesTheTermsAndTheReportThatAreMostAlike) {
  const ReportIndex index({report("near", {"cause"}, "numactl membind node" + far),
                           report("far", {"cause"}, "numactl cpu" + far),
                           report("other", {"other"}, "membind cpu node" + far)});
  const std::vector<Alike> ranked = index.rank(logged("numactl membind" + far), 1);
  EXPECT_EQ(ranked[0].cause, "cause");
  EXPECT_EQ(ranked[0].source, "near");
  EXPECT_EQ(ranked[0].shared.front(), "numactl");
  EXPECT_THAT(ranked[1].shared, IsEmpty()) << "details were asked of the first alone";
}

TEST(ReportIndex, NothingInCommonIsNoLikeness) {
  const ReportIndex index({report("one", {"first"}, "aa" + far), report("two", {"first"}, "aa" + far),
                           report("none", {}, "zz" + far)});
  Observation asked;
  asked.kernels = {"zz zz zz zz zz zz zz zz zz zz zz zz"};
  const std::vector<Alike> ranked = index.rank(asked, 1);
  ASSERT_EQ(ranked.size(), 1U);
  EXPECT_EQ(ranked[0].likeness, 0);
  EXPECT_EQ(ranked[0].source, "");
}

TEST(KnownReports, HoldEveryCauseOfTheCatalogue) {
  std::map<std::string, int> sets;
  for (const KnownReport& one : known_reports()) ++sets[one.set];
  EXPECT_EQ(sets["given"], 87);
  EXPECT_EQ(sets["AI"], 24);
  EXPECT_GE(sets["typical"], 400);
  for (const Signature& signature : catalogue())
    EXPECT_TRUE(known_index().knows(signature.name)) << signature.name;
}

/// Proof of a driver whose two parts differ, beside words that reports of it never have.
constexpr const char* unlike =
    R"({"metrics": [{"class": "collective", "factor": 3.5, "note": "slow all-reduce over ethernet sockets"}],
  "environment": {"NCCL_P2P_DISABLE": "1", "NCCL_IB_DISABLE": "1", "NCCL_SOCKET_IFNAME": "eth0", "NCCL_DEBUG": "INFO"},
  "log": ["NCCL INFO NET/Socket : Using [0]eth0", "NCCL INFO Using network Socket", "NCCL INFO P2P is disabled between GPUs"],
  "errors": [{"api": "nvml", "code": 18, "text": "Failed to initialize NVML: Driver/library version mismatch"}]})";

TEST(Doubt, LowersAConfidentCauseWhoseReportsReadOtherwise) {
  const Observation seen = told(unlike);
  const Diagnosis alone = diagnose(seen);
  ASSERT_EQ(alone.findings.front().cause, "umd_kmd_mismatch");
  ASSERT_GE(alone.findings.front().score, confident);
  // An index in which five other causes read more like it.
  std::vector<KnownReport> reports = {
      report("old", {"umd_kmd_mismatch"}, "apt upgrade then nvidia smi fails" + far),
      report("older", {"umd_kmd_mismatch"}, "apt upgrade then nvidia smi fails" + far)};
  for (std::size_t i = 0; i < alike_considered; ++i) {
    KnownReport other = report("like", {"other" + std::to_string(i)}, "");
    other.seen = seen;
    reports.push_back(other);
  }
  const Diagnosis beside = diagnose(seen, ReportIndex(reports));
  const auto doubted = std::find_if(beside.findings.begin(), beside.findings.end(),
                                    [](const Finding& one) { return one.cause == "umd_kmd_mismatch"; });
  ASSERT_NE(doubted, beside.findings.end());
  EXPECT_EQ(doubted->score, bound::unconfident);
  EXPECT_NEAR(doubted->from_evidence + doubted->from_pattern, doubted->score, .0005);
  EXPECT_THAT(doubted->doubt, HasSubstr("read otherwise"));
  // One fewer, and it is among those considered.
  reports.pop_back();
  EXPECT_EQ(diagnose(seen, ReportIndex(reports)).findings.front().score, alone.findings.front().score);
  // A cause without known reports is not doubted for that.
  reports.erase(reports.begin(), reports.begin() + 2);
  EXPECT_EQ(diagnose(seen, ReportIndex(reports)).findings.front().doubt, "");
}

TEST(AlikeCauses, AreGivenWhereNothingIsProvenAndNotElsewhere) {
  const Diagnosis silent = diagnose(
      told(
          R"({"metrics": [{"class": "application", "factor": null, "note": "training became slow on the second socket"}],
               "log": ["numactl --hardware shows two nodes", "GPU 4 is on node 1"]})"),
      known_index());
  EXPECT_FALSE(silent.alike.empty());
  EXPECT_LE(silent.alike.size(), alike_most);
  for (const Alike& one : silent.alike) EXPECT_FALSE(one.shared.empty()) << one.cause;

  const Diagnosis proven = diagnose(told(R"({"errors": [{"api": "nvml", "code": 18,
      "text": "Failed to initialize NVML: Driver/library version mismatch"}]})"),
                                    known_index());
  EXPECT_GE(proven.findings.front().score, confident);
  EXPECT_THAT(proven.alike, IsEmpty());

  const Diagnosis healthy =
      diagnose(told(R"({"metrics": [{"class": "gemm16", "factor": 1.0}]})"), known_index());
  EXPECT_EQ(healthy.state, State::healthy);
  EXPECT_THAT(healthy.alike, IsEmpty());
}

TEST(IsTold, IsFalseForWhatACommandSaw) {
  EXPECT_TRUE(is_told(told(R"({"about": {"source": "pytorch/pytorch#27807"}})")));
  EXPECT_TRUE(is_told(Observation{}));
  EXPECT_FALSE(is_told(told(R"({"about": {"source": "gpugauge check of 0, 2026-11-23T10:00:00Z"}})")));
}

}  // namespace
}  // namespace gpugauge::diagnose

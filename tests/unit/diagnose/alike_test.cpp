// Known reports that read like an observation: the terms, the likeness by hand, what it is worth, and what it may change.
#include "diagnose/alike/alike.hpp"

#include <cmath>
#include <map>

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

const ReportIndex& known_index() {
  static const ReportIndex index(known_reports());
  return index;
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
  const ReportIndex index({report("one", {"first"}, "aa bb" + far), report("two", {"second"}, "aa cc" + far),
                           report("three", {"second", "third"}, "bb bb" + far)});
  const double log = 1 + std::log(4. / 4);   // all three hold the key "log:"
  const double pair = 1 + std::log(4. / 3);  // two hold "aa", two hold "bb"
  const double lone = 1 + std::log(4. / 2);  // one holds "cc"
  const double twice = (1 + std::log(2)) * pair;
  const double one = std::hypot(log, pair, pair);
  const double two = std::hypot(log, pair, lone);
  const double three = std::hypot(log, twice);
  const double asked = std::hypot(log, pair);  // "zz" is known of no report
  const double with_one = (log * log + pair * pair) / one / asked;
  const double with_two = (log * log + pair * pair) / two / asked;
  const double with_three = log * log / three / asked;
  // The sum of the second and the third report, term by term.
  const double sum = std::hypot(log / two + log / three, std::hypot(pair, lone) / two, twice / three);
  std::map<std::string, double> likeness;
  for (const Alike& alike : index.rank(logged("aa zz" + far), 3)) likeness[alike.cause] = alike.likeness;
  EXPECT_NEAR(likeness["first"], with_one, .0005);
  EXPECT_NEAR(likeness["second"], (with_two + with_three) / sum, .0005);
  EXPECT_NEAR(likeness["third"], with_three, .0005);
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
  const ReportIndex index({report("one", {"first"}, "aa" + far), report("none", {}, "zz" + far)});
  Observation asked;
  asked.kernels = {"zz zz zz zz zz zz zz zz zz zz zz zz"};
  const std::vector<Alike> ranked = index.rank(asked, 1);
  ASSERT_EQ(ranked.size(), 1U);
  EXPECT_EQ(ranked[0].likeness, 0);
  EXPECT_EQ(ranked[0].source, "");
}

TEST(SiteReports, AreReadAndNameTheSitesOwnCauses) {
  const std::vector<KnownReport> own = parse_known_reports(
      R"({"schema": "gpugauge.known-reports/1", "reports": [{"id": "INC-7", "causes": ["leaf_switch_firmware"],
          "source": "incident 7", "established": "the leaf's firmware", "seen": {"log": ["port flaps on leaf-7 since Monday night"]}}]})",
      "ours.json");
  ASSERT_EQ(own.size(), 1U);
  EXPECT_EQ(own[0].set, "site");
  std::vector<KnownReport> all = known_reports();
  all.push_back(own[0]);
  const Diagnosis found = diagnose(told(R"({"metrics": [{"class": "application", "factor": 2.0}],
      "log": ["port flaps on leaf-7"]})"),
                                   ReportIndex(all));
  ASSERT_FALSE(found.alike.empty());
  EXPECT_EQ(found.alike.front().cause, "leaf_switch_firmware");
  EXPECT_EQ(found.alike.front().source, "incident 7");
  EXPECT_EQ(found.alike.front().established, "the leaf's firmware");
}

std::string refusal(const std::string& reports) {
  try {
    parse_known_reports(reports, "ours.json");
  } catch (const result::FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(SiteReports, AreRefusedInOneSentenceWithTheirPlace) {
  const auto holding = [](const std::string& entries) {
    return refusal(R"({"schema": "gpugauge.known-reports/1", "reports": [)" + entries + "]}");
  };
  const std::string good = R"({"id": "A", "causes": ["c"], "seen": {"log": ["x"]}})";
  EXPECT_EQ(holding(good), "");
  EXPECT_THAT(refusal("{}"), HasSubstr("ours.json: "));
  EXPECT_THAT(refusal(R"({"schema": "gpugauge.known-reports/9", "reports": []})"),
              HasSubstr("gpugauge.known-reports/9"));
  EXPECT_THAT(holding(good + "," + good),
              HasSubstr("ours.json: reports[1].id: is the id of an earlier report"));
  EXPECT_THAT(holding(R"({"id": "A", "causes": [], "seen": {"log": ["x"]}})"),
              HasSubstr("reports[0].causes: is empty"));
  EXPECT_THAT(holding(R"({"id": "A", "causes": ["c"], "seen": {"logs": ["x"]}})"),
              HasSubstr("reports[0].seen: "));
  EXPECT_THAT(holding(R"({"id": " ", "causes": ["c"], "seen": {"log": ["x"]}})"),
              HasSubstr("reports[0].id: holds a blank"));
  EXPECT_THAT(holding(R"({"id": "A", "causes": ["c\nPASS"], "seen": {"log": ["x"]}})"),
              HasSubstr("control character"));
  EXPECT_THAT(holding(R"({"id": "A", "causes": ["c"], "why": 1, "seen": {"log": ["x"]}})"), HasSubstr("why"));
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

/// A confident cause without a proof.
constexpr const char* likely = R"({"metrics": [{"class": "coll_large", "factor": 3.5}],
  "log": ["NCCL INFO NCCL_ALGO set by environment to Ring"]})";
constexpr std::string_view likely_cause = "nccl_env_leftover";

/// Two reports of the cause in other words, and as many other causes of the catalogue as are considered that read just
/// like `seen`.
std::vector<KnownReport> reports_unlike(std::string_view cause, const Observation& seen) {
  std::vector<KnownReport> out = {
      report("old", {std::string(cause)}, "apt upgrade then nothing works" + far),
      report("older", {std::string(cause)}, "apt upgrade then nothing works" + far)};
  for (const Signature& signature : catalogue()) {
    if (signature.name == cause || out.size() == alike_considered + 2) continue;
    KnownReport other = report("like", {std::string(signature.name)}, "");
    other.seen = seen;
    out.push_back(other);
  }
  return out;
}

Finding named_in(const Diagnosis& diagnosis, std::string_view cause) {
  for (const Finding& one : diagnosis.findings)
    if (one.cause == cause) return one;
  return {};
}

TEST(Doubt, LowersAConfidentCauseWhoseReportsReadOtherwise) {
  const Observation seen = told(likely);
  const Diagnosis alone = diagnose(seen);
  ASSERT_EQ(alone.findings.front().cause, likely_cause);
  ASSERT_GE(alone.findings.front().score, confident);
  std::vector<KnownReport> reports = reports_unlike(likely_cause, seen);
  const Diagnosis beside = diagnose(seen, ReportIndex(reports));
  const Finding doubted = named_in(beside, likely_cause);
  EXPECT_EQ(doubted.score, bound::unconfident);
  EXPECT_NEAR(doubted.from_evidence + doubted.from_pattern, doubted.score, .0015);
  EXPECT_THAT(doubted.doubt, HasSubstr("read otherwise"));
  // One fewer, and it is among those considered.
  reports.pop_back();
  EXPECT_EQ(named_in(diagnose(seen, ReportIndex(reports)), likely_cause).score, alone.findings.front().score);
  // A name that only the site has takes no place.
  reports.push_back(report("ours", {"our_own_cause"}, ""));
  reports.back().seen = seen;
  EXPECT_EQ(named_in(diagnose(seen, ReportIndex(reports)), likely_cause).doubt, "");
  // A cause without known reports is not doubted for that.
  reports = reports_unlike(likely_cause, seen);
  reports.erase(reports.begin(), reports.begin() + 2);
  EXPECT_EQ(named_in(diagnose(seen, ReportIndex(reports)), likely_cause).doubt, "");
}

TEST(Doubt, SparesAnEventThatWasSeen) {
  const Observation seen =
      told(R"({"log": ["NVRM: Xid (PCI:0000:19:00): 79, GPU has fallen off the bus."]})");
  const Diagnosis beside = diagnose(seen, ReportIndex(reports_unlike("gpu_lost", seen)));
  EXPECT_GE(named_in(beside, "gpu_lost").score, confident);
}

TEST(AlikeCauses, OfALongLogAreThoseOfTheLinesThatTellOfHarm) {
  Observation seen;
  for (int i = 0; i < 200; ++i)
    seen.log.push_back("NCCL INFO Channel " + std::to_string(i) +
                       " via P2P, numactl, socket, node, ring, tree");
  seen.log.emplace_back("port flaps on the leaf switch: link error");
  const ReportIndex index({report("a", {"numa_misplacement"}, "numactl socket node ring tree channel" + far),
                           report("b", {"rdma_link_degraded"}, "port flaps on the leaf switch" + far)});
  const Diagnosis found = diagnose(seen, index);
  ASSERT_FALSE(found.alike.empty());
  EXPECT_EQ(found.alike.front().cause, "rdma_link_degraded");
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

TEST(IsOfACommand, WhatACommandOfOursSaw) {
  EXPECT_FALSE(is_of_a_command(told(R"({"about": {"source": "pytorch/pytorch#27807"}})")));
  EXPECT_FALSE(is_of_a_command(Observation{}));
  EXPECT_TRUE(is_of_a_command(told(R"({"about": {"source": "gpugauge check of 0, 2026-11-23T10:00:00Z"}})")));
}

}  // namespace
}  // namespace gpugauge::diagnose

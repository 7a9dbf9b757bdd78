#include "report/fleet.hpp"

#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/admission.hpp"
#include "report/fabric.hpp"
#include "report/history.hpp"
#include "report/page_data.hpp"
#include "report/reporter.hpp"
#include "report/table.hpp"

namespace gpugauge::report {
namespace {

using testing::HasSubstr;

judge::DriftedFact vbios() {
  judge::DriftedFact fact;
  fact.device = "H200";
  fact.field = "settings.gpu.0.vbios";
  fact.usual = "96.00";
  fact.runs = 35;
  fact.of = 40;
  fact.odd = {{"95.00", 3, {"a", "b", "c"}}, {std::nullopt, 1, {"d"}}, {"", 1, {"e"}}};
  return fact;
}

judge::NodeJudgement suspect(const std::string& label, const std::string& host) {
  judge::NodeJudgement node;
  node.label = label;
  node.device = "GPU-" + label;
  node.host = host;
  node.state = judge::NodeState::suspect;
  node.measure_again = true;
  return node;
}

TEST(DriftLine, NamesWhoIsOddAndTellsAbsentFromEmpty) {
  EXPECT_EQ(drift_line(vbios()),
            "settings.gpu.0.vbios: 96.00 on 35 of 40 runs; 95.00 on a, b, c; absent on d; nothing on e");
}

TEST(Fleet, StatesAreCountedWithCommas) {
  judge::PeersJudgement judgement;
  judgement.nodes = {suspect("a", ""), suspect("b", "")};
  judgement.nodes.back().state = judge::NodeState::healthy;
  EXPECT_THAT(draw(judgement, {false, false, 100}), HasSubstr("\n  1 suspect, 1 healthy\n"));
}

TEST(Admission, WhatTheFirstLineSaysIsNotSaidAgain) {
  judge::Verdict health;
  health.metric = "health/memory";
  health.kind = judge::VerdictKind::failed;
  health.reason = "a row could not be remapped; take the GPU out of use";
  judge::Verdict other = health;
  other.metric = "health/xid";
  other.reason = "the driver reported Xid 94";
  judge::Admission one;
  one.label = "n1";
  one.state = judge::AdmissionState::refused;
  one.reason = "2 findings with 9 metrics compared: health/memory: failed: " + health.reason;
  one.verdicts = {health, other};
  judge::Admissions admissions;
  admissions.nodes = {one};
  EXPECT_THAT(draw(admissions, {false, false, 200}),
              HasSubstr("    " + one.reason +
                        "\n    health/memory: failed\n    health/xid: failed: the driver reported Xid 94\n"));
}

TEST(DriftLine, CutsWhatTheJsonReportHolds) {
  judge::PeersJudgement judgement;
  judge::DriftedFact fact = vbios();
  fact.odd = {{"95.00", 6, {"a", "b", "c", "d", "e", "f"}}};
  EXPECT_THAT(drift_line(fact), HasSubstr("95.00 on a, b, c, d and 2 more"));
  fact.odd.push_back({std::nullopt, 1, {"g"}});
  judgement.drift = {fact};
  const auto json = nlohmann::json::parse(to_json(judgement));
  EXPECT_EQ(json.at("drift").at(0).at("odd").at(0).at("nodes").size(), 6U);
  EXPECT_TRUE(json.at("drift").at(0).at("odd").at(1).at("value").is_null());
}

TEST(DriftLine, CountsWhereNothingHasAMajority) {
  judge::DriftedFact fact = vbios();
  fact.majority = false;
  fact.usual.reset();
  fact.runs = 0;
  fact.of = 12;
  fact.odd = {{"95", 4, {"a"}}, {"96", 4, {"b"}}, {"97", 3, {"c"}}, {"98", 1, {"d"}}};
  EXPECT_EQ(drift_line(fact),
            "settings.gpu.0.vbios: no majority among 12 runs: 95 on 4, 96 on 4, 97 on 3, 1 other value");
}

TEST(FleetText, TheChangeIsThatOfTheMetricBesideIt) {
  judge::Verdict named;
  named.metric = "memory/triad/cold:bandwidth";
  named.kind = judge::VerdictKind::regressed;
  named.change = .05;
  judge::Verdict other = named;
  other.metric = "launch/wait:latency";
  other.kind = judge::VerdictKind::inconclusive;
  other.change = .3;
  judge::PeersJudgement judgement;
  judgement.nodes = {suspect("a", "a")};
  judgement.nodes[0].verdicts = {named, other};
  const std::string text = draw(judgement, {false, false, 120}, false);
  EXPECT_THAT(text, testing::ContainsRegex("suspect +[+]5[.]0%  memory/triad/cold:bandwidth and 1 more"));
  EXPECT_THAT(text, testing::Not(HasSubstr("30.0%")));
  judgement.nodes[0].verdicts[0].change.reset();
  EXPECT_THAT(draw(judgement, {false, false, 120}, false),
              testing::ContainsRegex("suspect +-  memory/triad/cold:bandwidth and 1 more"));
}

TEST(HistoryText, NoLineIsLongerThanTheTerminal) {
  store::Event event;
  event.device = {1, "node-of-a-long-name", "GPU-c16e571b-9f71-e740-fda5-018a37c10f17"};
  event.profile = "standard";
  event.started = "2026-11-21T02:00:00Z";
  event.since = {{"stack.driver.version", "590.44.01", "580.159.04"}};
  event.items.resize(1);
  event.items[0].metric.form.key = "memory/triad/cold:bandwidth";
  event.items[0].metric.form.unit = "byte/second";
  ChangeList list;
  list.levels = list.last = {event};
  std::istringstream lines(draw(list, {false, false, 80}, false));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80U) << line;
}

TEST(FleetText, CountsOneThingAsOne) {
  judge::PeersJudgement judgement;
  judge::PeerGroup group;
  group.judged = true;
  group.metrics = 1;
  judgement.groups = {group};
  judgement.drift.assign(9, vbios());
  judgement.metrics_not_judged.assign(6, "a");
  const std::string one = draw(judgement, {}, false);
  EXPECT_THAT(one, HasSubstr("1 metric compared"));
  EXPECT_THAT(one, HasSubstr("  and 1 more fact differs; the JSON"));
  EXPECT_THAT(one, HasSubstr("  and 1 more metric not compared"));
  judgement.groups[0].metrics = 2;
  judgement.drift.push_back(vbios());
  judgement.metrics_not_judged.emplace_back("b");
  const std::string two = draw(judgement, {}, false);
  EXPECT_THAT(two, HasSubstr("2 metrics compared"));
  EXPECT_THAT(two, HasSubstr("  and 2 more facts differ; the JSON"));
  EXPECT_THAT(two, HasSubstr("  and 2 more metrics not compared"));
}

TEST(FabricText, CountsOneSetAsOne) {
  judge::FabricJudgement fabric;
  fabric.judged = true;
  fabric.unit = "byte/second";
  fabric.nodes.resize(60);  // too many for a table of nodes by nodes
  judge::FabricSet slow;
  slow.nodes = {"a", "b"};
  slow.values = {1e9};
  slow.change = .5;
  fabric.sets.assign(13, slow);
  EXPECT_THAT(draw(fabric, {}), HasSubstr("and 1 more slow set\n"));
  fabric.sets.push_back(slow);
  EXPECT_THAT(draw(fabric, {}), HasSubstr("and 2 more slow sets\n"));
}

TEST(HistoryText, CountsOneSeriesAsOne) {
  ChangeList list;
  list.too_short = 1;
  EXPECT_THAT(draw(list, {}, false), HasSubstr("; 1 series has fewer than "));
  list.too_short = 2;
  EXPECT_THAT(draw(list, {}, false), HasSubstr("; 2 series have fewer than "));
}

TEST(RetestList, HoldsWhatALauncherTakesAndSaysWhereItDoesNot) {
  judge::PeersJudgement judgement;
  judgement.nodes = {suspect("n1 GPU-4", "n1"), suspect("n2", "n2")};
  EXPECT_EQ(retest_list(judgement), "n1\tGPU-n1 GPU-4\nn2\tGPU-n2\n");
  EXPECT_EQ(unnamed_in_retest_list(judgement), "");
  judgement.nodes.push_back(suspect("round-1", ""));
  judgement.nodes.push_back(suspect("round-2", ""));
  judgement.nodes.push_back(suspect("fine", ""));
  judgement.nodes.back().measure_again = false;
  EXPECT_THAT(retest_list(judgement), HasSubstr("\nround-1\tGPU-round-1\n"));
  EXPECT_THAT(
      unnamed_in_retest_list(judgement),
      HasSubstr("has the name of a file in 2 lines, since the node's is not known (round-1, round-2)"));
  EXPECT_EQ(left_out_of_retest_list(judgement), "");
}

TEST(RetestList, LeavesOutANameThatNoLauncherTakesAndSaysSo) {
  judge::PeersJudgement judgement;
  judgement.nodes = {suspect("n1", "n1"), suspect("n2", "a\tnode99"), suspect("n3", "-w"),
                     suspect("n4", "n4,n5"), suspect("round\n2", "")};
  judgement.nodes.push_back(suspect("n6",
                                    "n\xe2\x80\xae"
                                    "6"));
  judge::FabricJudgement fabric;
  fabric.metric = "nccl/all_reduce:bandwidth";
  fabric.measure_again = {{"n1", "n7"}, {"n1", "a\nnode99"}};
  judgement.fabrics = {fabric};
  EXPECT_EQ(retest_list(judgement), "n1\tGPU-n1\nn1,n7\tnccl/all_reduce\n");
  EXPECT_EQ(unnamed_in_retest_list(judgement), "");
  EXPECT_THAT(left_out_of_retest_list(judgement),
              HasSubstr("-w, a?node99, n4,n5 and 2 more is left out of the list"));
}

/// A suspect whose power limit was lowered.
CausesOfNodes lowered() {
  NodeCauses out;
  out.against = {"n1", "n2", "n3"};
  diagnose::Finding finding;
  finding.cause = "sw_power_cap";
  finding.score = .91;
  finding.evidence = {"gpu.power_limit_watt is 400, and 700 on its peers", "a", "b"};
  finding.next = {"nvidia-smi -pl 700"};
  out.diagnosis.state = diagnose::State::found;
  out.diagnosis.findings = {finding};
  return {{1, out}};
}

TEST(FleetCausesText, StandBelowTheirNodeAndInEachFormat) {
  FleetReport fleet;
  fleet.judgement.nodes = {suspect("a", "a"), suspect("b", "b")};
  fleet.causes = lowered();
  const std::string text = draw(fleet.judgement, {false, false, 120}, false, fleet.causes);
  EXPECT_THAT(text, HasSubstr("  b  suspect\n    cause: sw_power_cap (0.91, confident): "));
  EXPECT_THAT(
      text,
      HasSubstr(
          "      seen: gpu.power_limit_watt is 400, and 700 on its peers\n      seen: a\n      next: "));
  const auto nodes = nlohmann::json::parse(to_json(fleet.judgement, fleet.causes)).at("nodes");
  EXPECT_TRUE(nodes.at(0).at("findings").empty());
  EXPECT_TRUE(nodes.at(0).at("held_against").empty());
  EXPECT_EQ(nodes.at(1).at("findings").at(0).at("cause"), "sw_power_cap");
  EXPECT_EQ(nodes.at(1).at("held_against").size(), 3U);
  EXPECT_THAT(markdown_text(&fleet), HasSubstr("**sw\\_power\\_cap** on b: "));
  EXPECT_THAT(annotations_text(&fleet), HasSubstr("; cause on b: sw_power_cap ("));
  EXPECT_THAT(junit_text(&fleet), HasSubstr("sw_power_cap (0.91, confident) on b: "));
  EXPECT_THAT(openmetrics_text(&fleet),
              HasSubstr("gpugauge_fleet_node_finding_score_ratio{node=\"b\",device=\"GPU-b\","
                        "cause=\"sw_power_cap\"} 0.91"));
  EXPECT_THAT(openmetrics_text(&fleet), testing::Not(HasSubstr("gpugauge_finding_score_ratio{")));
  EXPECT_THAT(html_text(&fleet), HasSubstr("sw_power_cap"));
}

TEST(FleetCausesText, OfManyNodesAreCutWhereTheJsonReportHoldsThem) {
  FleetReport fleet;
  for (int n = 0; n < 12; ++n) {
    fleet.judgement.nodes.push_back(suspect(fmt::format("n{:02}", n), ""));
    fleet.causes[static_cast<std::size_t>(n)] = lowered().at(1);
  }
  const std::string text = draw(fleet.judgement, {false, false, 120}, false, fleet.causes);
  std::size_t told = 0;
  for (std::size_t at = text.find("cause: "); at != std::string::npos; at = text.find("cause: ", at + 1))
    ++told;
  EXPECT_EQ(told, 10U);
  EXPECT_THAT(markdown_text(&fleet), HasSubstr("Causes were found on 2 nodes, too;"));
  EXPECT_THAT(to_json(fleet.judgement, fleet.causes), HasSubstr("held_against"));
}

TEST(FleetPage, HasTheTolerancesAndTheVerdictsOfThePolicy) {
  FleetReport fleet;
  judge::PeerForm form;
  form.key = "host/triad:bandwidth";
  form.metric_class = "host_memory";
  form.judged = true;
  fleet.input.metrics = {form};
  const auto tolerance = [&] { return page_data(fleet)["metrics"][0]["tolerance"].get<double>(); };
  EXPECT_NEAR(tolerance(), judge::peer_tolerance({}, "host_memory", form.key), 1e-6);
  fleet.policy.tolerance = {{"host_memory", .31}};
  EXPECT_DOUBLE_EQ(tolerance(), .31);
  fleet.policy.metrics = {{.pattern = "host/*", .tolerance = .5, .advisory = {}, .why = {}}};
  EXPECT_DOUBLE_EQ(tolerance(), .5);

  fleet.judgement.nodes = {suspect("a", "a")};
  judge::Verdict verdict;
  verdict.metric = form.key;
  verdict.advisory = true;
  fleet.judgement.nodes[0].verdicts = {verdict};
  EXPECT_EQ(page_data(fleet)["nodes"][0]["verdicts"][0]["advisory"], true);
}

TEST(FleetReports, CountTheVerdictsThatAreNotListed) {
  FleetReport fleet;
  judge::NodeJudgement node = suspect("a", "a");
  node.verdicts.clear();
  node.reason = "two runs differ";
  for (int i = 0; i < 5; ++i) {
    judge::Verdict verdict;
    verdict.metric = fmt::format("m{}", i);
    verdict.kind = judge::VerdictKind::regressed;
    verdict.reason = "slow";
    node.verdicts.push_back(verdict);
  }
  fleet.judgement.nodes = {node};
  for (const std::string& text : {junit_text(&fleet), annotations_text(&fleet)}) {
    EXPECT_THAT(
        text,
        HasSubstr(
            "two runs differ; m0: regressed: slow; m1: regressed: slow; m2: regressed: slow; and 2 more"));
  }
}

TEST(FleetCausesText, WhereNoneCanBeNamedThatIsSaid) {
  FleetReport fleet;
  fleet.judgement.nodes = {suspect("a", "a")};
  NodeCauses& told = fleet.causes[0];
  told.diagnosis.state = diagnose::State::unknown;
  told.diagnosis.sentence = "Something is slower, and no cause can be named.";
  EXPECT_THAT(draw(fleet.judgement, {}, false, fleet.causes),
              testing::Not(HasSubstr("no cause can be named")))
      << "a suspect may be none";
  fleet.judgement.nodes[0].state = judge::NodeState::found;
  EXPECT_THAT(draw(fleet.judgement, {}, false, fleet.causes), HasSubstr("no cause can be named"));
}

}  // namespace
}  // namespace gpugauge::report

#include "judge/admit.hpp"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Admit, AHealthyNewcomerIsLetInAndWhatCouldBeSeenIsSaid) {
  Gate gate;
  gate.add_fleet(12);
  gate.add_newcomer();
  const Admissions judged = gate.judge();
  EXPECT_EQ(judged.outcome.code, ExitCode::pass);
  EXPECT_EQ(judged.outcome.sentence, "admit: 1 admitted (GPU-900)");
  const Admission& one = judged.nodes.at(0);
  EXPECT_EQ(one.state, AdmissionState::admitted);
  EXPECT_EQ(one.peers.devices, 12U);
  EXPECT_EQ(one.reason, "none of 3 metrics stands out from 12 nodes");
  EXPECT_EQ(one.metrics, 3U);
  EXPECT_EQ(one.reference, "H200, driver 580.65.06");
  EXPECT_THAT(one.verdicts, IsEmpty());
  EXPECT_THAT(one.drift, IsEmpty()) << "what differs from node to node is no drift";
  EXPECT_GE(one.detects_median, .03);
  EXPECT_LT(one.detects_worst, .2);
}

TEST(Admit, ASlowNewcomerIsMeasuredAgainBeforeItIsRefused) {
  Gate gate;
  gate.add_fleet(12);
  gate.add_newcomer({.triad = 1.3});
  Admissions judged = gate.judge();
  EXPECT_EQ(judged.outcome.code, ExitCode::cannot_judge) << "what is in doubt is not let in";
  EXPECT_EQ(judged.nodes.at(0).state, AdmissionState::measure_again);
  EXPECT_THAT(judged.nodes.at(0).reason, HasSubstr("measure it again"));
  gate.add_newcomer({.triad = 1.3}, 1);
  judged = gate.judge();
  EXPECT_EQ(judged.outcome.code, ExitCode::regressed);
  ASSERT_EQ(judged.nodes.size(), 1U);
  EXPECT_EQ(judged.nodes[0].state, AdmissionState::refused);
  ASSERT_EQ(judged.nodes[0].verdicts.size(), 1U);
  EXPECT_EQ(judged.nodes[0].verdicts[0].metric, triad);
  EXPECT_NEAR(judged.nodes[0].verdicts[0].change.value(), .23, .02);
}

TEST(Admit, AmongFewADropThatLastsIsDecidedByMoreOfTheKindAndNotByMoreRuns) {
  Gate gate;
  gate.add_fleet(9, [node = 0](result::Run& run) mutable {  // which differ by much
    for (result::Process& process : run.processes)
      for (result::BenchmarkResult& one : process.samples->benchmarks)
        if (one.id == triad.substr(0, triad.find(':'))) one.metrics.front().value *= 1 + .08 * (node % 3 - 1);
    ++node;
  });
  gate.rules.node_level = 1e-6;  // as among many more metrics than a run of this test has
  for (const std::uint64_t round : {0, 1}) gate.add_newcomer({.triad = 4}, round);
  Admission one = gate.only();
  EXPECT_EQ(one.state, AdmissionState::measure_again);
  EXPECT_THAT(one.reason,
              HasSubstr(" in both runs, among fewer nodes than a test needs (16); a further run can "
                        "clear it, and only more nodes of its kind condemn it"));
  gate.add_newcomer({.triad = 4}, 2);
  one = gate.only();
  EXPECT_EQ(one.state, AdmissionState::measure_again);
  EXPECT_THAT(one.reason, HasSubstr(" in the first run and the middle of the other 2, among fewer"));
}

TEST(Admit, APolicyMovesTheToleranceOfAMetric) {
  Gate gate;
  gate.add_fleet(12);
  for (const std::uint64_t round : {0, 1}) gate.add_newcomer({.triad = 1.3}, round);
  gate.policy.metrics = {{triad, .5, false, ""}};
  EXPECT_EQ(gate.only().state, AdmissionState::admitted);
  EXPECT_THAT(gate.only().verdicts, IsEmpty());
}

TEST(Admit, WhatTheNewcomerLacksIsCountedApartFromWhatWasCompared) {
  Gate gate;
  gate.add_fleet(12);
  for (std::uint64_t round : {0, 1})
    gate.add_newcomer({}, round, [](result::Run& run) {
      for (result::Process& process : run.processes)
        if (process.samples->benchmarks.size() > 1) process.samples->benchmarks.resize(1);
    });
  const Admission one = gate.only();
  EXPECT_EQ(one.state, AdmissionState::refused);
  EXPECT_THAT(one.reason, HasSubstr("2 findings with 1 metric compared: "));
}

TEST(Admit, WhatIsAdvisoryIsSaidAndDecidesNothing) {
  Gate gate;
  gate.add_fleet(12);
  gate.add_newcomer({.triad = 1.6, .latency = 1.3});
  gate.policy.metrics = {{triad, std::nullopt, true, "known to be slow"}};
  Admission one = gate.only();
  EXPECT_EQ(one.state, AdmissionState::measure_again);
  EXPECT_THAT(one.reason, HasSubstr("1 finding in doubt with 3 metrics compared, " + latency + " first"));
  gate.add_newcomer({.triad = 1.6, .latency = 1.3}, 1);
  one = gate.only();
  EXPECT_EQ(one.state, AdmissionState::refused);
  EXPECT_THAT(one.reason, HasSubstr("1 finding, 1 advisory with 3 metrics compared: " + latency))
      << "the drop that counts, not the larger";
  gate.policy.metrics.push_back({latency, std::nullopt, true, ""});
  one = gate.only();
  EXPECT_EQ(one.state, AdmissionState::admitted);
  EXPECT_EQ(one.reason, "of 3 metrics 2 stand out from 12 nodes, which the policy says and does not count");
  ASSERT_EQ(one.verdicts.size(), 2U);
  EXPECT_THAT(one.verdicts[0].reason, HasSubstr("advisory by the policy: known to be slow"));
}

TEST(Admit, ASecondRunThatIsFineLetsItIn) {
  Gate gate;
  gate.add_fleet(12);
  gate.add_newcomer({.triad = 1.3});
  gate.add_newcomer({}, 1);
  EXPECT_EQ(gate.judge().outcome.code, ExitCode::pass);
}

TEST(Admit, AFasterNewcomerIsNoneToRefuse) {
  Gate gate;
  gate.add_fleet(12);
  gate.add_newcomer({.triad = .7, .latency = .7});
  EXPECT_EQ(gate.judge().outcome.code, ExitCode::pass);
}

TEST(Admit, AnotherDriverIsNamedAndNotJudgedUnlessDeclared) {
  const Apply old = [](result::Run& run) { run.fingerprint.stack["driver.version"] = "570.86.15"; };
  Gate gate;
  gate.add_fleet(12);
  gate.add_newcomer({}, 0, old);
  Admission one = gate.only();
  EXPECT_EQ(one.state, AdmissionState::cannot_judge);
  EXPECT_THAT(one.reason, HasSubstr("stack.driver.version is 570.86.15 here and 580.65.06 there"));
  ASSERT_EQ(one.drift.size(), 1U);
  EXPECT_EQ(one.drift[0], (Drift{"stack.driver.version", "570.86.15", "580.65.06", 12, 12, false, true}));
  gate.policy.treatment = {"driver"};
  one = gate.only();
  EXPECT_EQ(one.state, AdmissionState::admitted);
  ASSERT_EQ(one.drift.size(), 1U);
  EXPECT_TRUE(one.drift[0].declared);
  // Nodes of its own driver come before a declaration, if there are any.
  gate.policy.treatment = {};
  gate.add_fleet(9, old);
  one = gate.only();
  EXPECT_EQ(one.state, AdmissionState::admitted);
  EXPECT_EQ(one.peers.devices, 9U);
}

/// The run's processes note these checksums of one benchmark, over and over.
Apply noting(const std::vector<std::string>& checksums, const std::string& driver = "580.65.06") {
  return [=](result::Run& run) {
    run.fingerprint.stack["driver.version"] = driver;
    for (std::size_t p = 0; p < run.processes.size(); ++p) {
      result::BenchmarkResult one = benchmark(
          "integrity/gemm/short", metric("repeats", "1", result::Direction::higher, "integrity", 3));
      one.metrics.front().judged = false;
      one.metrics.front().note = "recorded";
      one.notes = {{"checksum", checksums[p % checksums.size()]}};
      run.processes[p].samples->benchmarks.push_back(std::move(one));
    }
  };
}

TEST(Admit, AnotherChecksumRefusesUnlessADeclaredDifferenceMayRoundDifferently) {
  Gate gate;
  gate.add_fleet(12, noting({"good"}));
  gate.add_newcomer({}, 0, noting({"bad"}));
  EXPECT_EQ(gate.only().state, AdmissionState::measure_again);
  gate.add_newcomer({}, 1, noting({"bad"}));
  EXPECT_EQ(gate.only().state, AdmissionState::refused);

  Gate other;
  other.add_fleet(12, noting({"good"}));
  other.policy.treatment = {"driver"};
  for (const std::uint64_t round : {0, 1}) other.add_newcomer({}, round, noting({"bad"}, "590.10"));
  const Admission one = other.only();
  EXPECT_EQ(one.state, AdmissionState::admitted) << one.reason;
  EXPECT_THAT(one.verdicts, IsEmpty());
  EXPECT_THAT(one.remarks, ElementsAre(HasSubstr("may round differently")));
  other.add_newcomer({}, 2, noting({"bad", "worse"}, "590.10"));
  EXPECT_EQ(other.only().state, AdmissionState::refused) << "its own runs disagree";
}

TEST(Admit, SettingsThatAreNotAsUsualAreSaidWithTheirCount) {
  Gate gate;
  gate.add_fleet(11);
  gate.add_fleet(1, [](result::Run& run) { run.fingerprint.settings["gpu.0.power_limit_watt"] = "600"; });
  gate.add_newcomer({}, 0,
                    [](result::Run& run) { run.fingerprint.settings["gpu.0.power_limit_watt"] = "500"; });
  const Admission one = gate.only();
  EXPECT_EQ(one.state, AdmissionState::admitted);
  ASSERT_EQ(one.drift.size(), 1U);
  EXPECT_EQ(one.drift[0], (Drift{"settings.gpu.0.power_limit_watt", "500", "700", 11, 12, false, false}));
}

TEST(Admit, AnotherModelOrTooFewNodesCannotJudge) {
  Gate gate;
  gate.add_fleet(12);
  gate.add_newcomer({}, 0, [](result::Run& run) { run.fingerprint.device["gpu.0.name"] = "H100"; });
  EXPECT_EQ(gate.judge().outcome.code, ExitCode::cannot_judge);
  EXPECT_THAT(gate.only().reason, HasSubstr("it is H100 9.0, and the fleet has none: H200 9.0 (12 nodes)"));
  Gate few;
  few.add_fleet(5);
  few.add_newcomer();
  EXPECT_EQ(few.judge().outcome.code, ExitCode::cannot_judge);
  EXPECT_THAT(few.only().reason, HasSubstr("5 nodes of its kind (H200, driver 580.65.06), and 8 are needed"));
  Gate none;
  none.add_newcomer();
  EXPECT_EQ(none.only().reason, "the fleet holds no run but the newcomers' own");
  EXPECT_EQ(Gate().judge().outcome.code, ExitCode::cannot_judge);
}

/// Four GPUs a machine.
Apply in_boxes(const std::string& model = "H200") {
  return [model, gpu = 0](result::Run& run) mutable {
    run.boot_id = fmt::format("boot of box {}", gpu++ / 4);
    run.fingerprint.device["gpu.0.name"] = model;
  };
}

TEST(Admit, GpusOfOneMachineAreNotCountedAsNodes) {
  Gate gate;
  gate.add_fleet(12, in_boxes());
  gate.add_newcomer();
  Admission one = gate.only();
  EXPECT_EQ(one.state, AdmissionState::admitted);
  EXPECT_EQ(one.peers.devices, 12U);
  EXPECT_EQ(one.peers.machines, 3U);
  EXPECT_EQ(one.reason, "none of 3 metrics stands out from 12 GPUs on 3 nodes");

  Gate other;
  other.add_fleet(12, in_boxes("H100"));
  other.add_newcomer();
  EXPECT_THAT(other.only().reason, HasSubstr("the fleet has none: H100 9.0 (12 GPUs on 3 nodes)"));

  Gate few;
  few.add_fleet(4, in_boxes());
  few.add_newcomer();
  EXPECT_THAT(few.only().reason, HasSubstr("the fleet has 4 GPUs on 1 node of its kind (H200"));

  Gate unknown;
  unknown.add_fleet(12, [](result::Run& run) { run.boot_id.clear(); });
  unknown.add_newcomer();
  EXPECT_EQ(unknown.only().reason, "none of 3 metrics stands out from 12 GPUs");

  Gate lacking;
  lacking.add_fleet(12, in_boxes());
  lacking.add_newcomer({}, 0, [](result::Run& run) { drop_benchmark(run, "host/triad"); });
  one = lacking.only();
  EXPECT_EQ(one.state, AdmissionState::refused);
  EXPECT_THAT(one.reason, HasSubstr("12 of 12 GPUs measure it; this GPU does not report it"));
}

TEST(Admit, WhatWasNotComparedIsCountedInTheFleetsWords) {
  Gate gate;
  gate.add_fleet(12, [in_box = in_boxes()](result::Run& run) mutable {
    in_box(run);
    drop_benchmark(run, "host/triad");
  });
  gate.add_newcomer();
  EXPECT_THAT(
      gate.only().remarks,
      ElementsAre("1 metric was not compared: no other GPU of its kind has a value of it that counts."));
}

TEST(Admit, NobodyJudgesItself) {
  Gate gate;
  gate.add_fleet(8);
  gate.add_newcomer();
  gate.input.fleet.rounds.push_back(gate.input.newcomers.front());
  const Admissions judged = gate.judge();
  EXPECT_EQ(judged.nodes.at(0).peers.devices, 8U);
  EXPECT_THAT(judged.remarks.at(0), HasSubstr("nobody judges itself"));
  EXPECT_THAT(judged.remarks.at(0),
              HasSubstr("1 of the fleet's runs is the newcomer's own and was left out"));
}

TEST(Admit, ItsOwnRunsSayNothingOfWhatIsUsual) {
  Gate gate;
  const auto with = [](const char* value) {
    return [value](result::Run& run) { run.fingerprint.settings["libcuda_path"] = value; };
  };
  gate.add_fleet(8, with("/usr/lib"));
  gate.add_newcomer({}, 0, with("/opt/lib"));
  const PeerRound& own = gate.input.newcomers.front();
  gate.input.fleet.rounds.push_back(own);
  gate.usual.add(own.kind, own.id, gate.input.fingerprints.at(own.id));
  const Admission one = gate.only();
  ASSERT_EQ(one.drift.size(), 1U);
  EXPECT_EQ(one.drift[0], (Drift{"settings.libcuda_path", "/opt/lib", "/usr/lib", 8, 8, false, false}));
}

TEST(Admit, WhatIsMissingOrFailedIsRefusedByName) {
  Gate gate;
  gate.add_fleet(12);
  gate.add_newcomer({}, 0, [](result::Run& run) {
    for (result::Process& process : run.processes)
      std::erase_if(process.samples->benchmarks, [](const auto& found) { return found.id == "host/triad"; });
  });
  Admission one = gate.only();
  EXPECT_EQ(one.state, AdmissionState::refused);
  EXPECT_THAT(one.reason, HasSubstr("12 of 12 nodes measure it; this node does not report it"));
  // Without peers a failure still is one.
  Gate alone;
  alone.add_newcomer({}, 0, [](result::Run& run) {
    change(run, "host/triad", [](result::BenchmarkResult& found) {
      found.verifications = {{"checksum", false, 3.0, .5}};
    });
  });
  alone.add_fleet(3);
  one = alone.only();
  EXPECT_EQ(one.state, AdmissionState::refused);
  EXPECT_THAT(one.reason, HasSubstr("host/triad failed"));
}

TEST(Admit, AnUnreadableRunIsNoNode) {
  Gate gate;
  gate.add_fleet(12);
  gate.input.unread = {{"x.json", "x", "the file is truncated"}};
  EXPECT_EQ(gate.judge().outcome.code, ExitCode::cannot_judge);
  EXPECT_THAT(gate.only().reason, HasSubstr("truncated"));
}

/// Seeded: how often healthy newcomers are let in at once, and after the second run that doubt asks for.
TEST(Admit, HealthyNewcomersAreRarelyDoubtedOrRefused) {
  int doubted = 0;
  int refused = 0;
  constexpr int trials = 200;
  for (int trial = 0; trial < trials; ++trial) {
    std::mt19937_64 engine(static_cast<std::uint64_t>(trial) + 1);
    std::normal_distribution<double> normal;
    constexpr std::size_t metrics = 150;
    constexpr double between = .01;  // nodes
    constexpr double within = .003;  // rounds
    std::vector<PeerMetric> fleet(metrics);
    std::vector<double> own(metrics);
    std::vector<double> tolerances(metrics, .03);
    for (std::size_t m = 0; m < metrics; ++m) {
      fleet[m].tolerance = .03;
      for (int node = 0; node < 16; ++node)
        fleet[m].values.push_back(between * normal(engine) + within * normal(engine));
      own[m] = between * normal(engine);
    }
    const PeerRules rules;
    const std::vector<PeerScale> scales = peer_scales(fleet, rules);
    std::vector<double> once(metrics);
    for (std::size_t m = 0; m < metrics; ++m) once[m] = own[m] + within * normal(engine);
    const auto suspects = screen_newcomer(scales, tolerances, std::vector<std::vector<double>>{once}, rules);
    doubted += suspects.empty() ? 0 : 1;
    for (const PeerSuspect& suspect : suspects) {
      const double again = own[suspect.metric] + within * normal(engine) - scales[suspect.metric].centre;
      if (retest(suspect, scales[suspect.metric], .03, again, rules) == PeerDecision::confirmed) {
        ++refused;
        break;
      }
    }
  }
  EXPECT_LE(doubted, trials * 6 / 100);
  EXPECT_LE(refused, trials * 6 / 100);
  RecordProperty("doubted", doubted);
  RecordProperty("refused", refused);
}

TEST(Admit, ADropOfWhatItSaysItDetectsIsDetected) {
  int found = 0;
  constexpr int trials = 300;
  for (int trial = 0; trial < trials; ++trial) {
    std::mt19937_64 engine(static_cast<std::uint64_t>(trial) + 1);
    std::normal_distribution<double> normal;
    constexpr std::size_t metrics = 50;
    std::vector<PeerMetric> fleet(metrics);
    std::vector<double> values(metrics);
    std::vector<double> tolerances(metrics, .03);
    for (std::size_t m = 0; m < metrics; ++m) {
      fleet[m].tolerance = .03;
      for (int node = 0; node < 16; ++node) fleet[m].values.push_back(.02 * normal(engine));
      values[m] = .02 * normal(engine);
    }
    const PeerRules rules;
    const std::vector<PeerScale> scales = peer_scales(fleet, rules);
    values[7] += detectable_change(scales[7], .03, metrics, rules);
    for (const PeerSuspect& suspect :
         screen_newcomer(scales, tolerances, std::vector<std::vector<double>>{values}, rules))
      found += suspect.metric == 7 ? 1 : 0;
  }
  RecordProperty("found", found);
  // 90% are promised; chance and the moderated spread leave a little room.
  EXPECT_GE(found, trials * 84 / 100);
}

}  // namespace
}  // namespace gpugauge::judge

// The causes of what makes a node unlike its peers: from runs of a fleet to what is named.
#include "conductor/fleet_causes.hpp"

#include <map>
#include <mutex>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "unit/judge/runs.hpp"

namespace gpugauge::conductor {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

/// GPUs of one model, each alone on its node, with a power limit, clocks and two benchmarks.
class FleetCauses : public testing::Test {
 protected:
  static result::Run run(int node, double slower_gemm = 1) {
    result::Run out = judge::make_run(static_cast<std::uint64_t>(node) + 1);
    const std::string uuid = fmt::format("GPU-{:02}", node);
    out.device = uuid;
    out.fingerprint.device["gpu.0.uuid"] = uuid;
    out.fingerprint.device["gpu.0.name"] = "NVIDIA H100 80GB HBM3";
    out.fingerprint.device["gpu.0.compute_capability"] = "9.0";
    out.fingerprint.settings = {{"gpu.0.power_limit_watt", "700"},
                                {"gpu.0.power_limit_default_watt", "700"},
                                {"gpu.0.persistence", "on"},
                                {"host.name", "node-" + uuid}};
    for (result::Process& process : out.processes) {
      process.wall_seconds = 5;
      for (result::BenchmarkResult& benchmark : process.samples->benchmarks) {
        result::Metric& metric = benchmark.metrics.front();
        const bool gemm = benchmark.id == "host/triad";
        metric.metric_class = gemm ? "gemm16" : benchmark.id == "host/wake" ? "hbm" : "launch";
        if (gemm) metric.value /= slower_gemm;
      }
    }
    out.telemetry = {{"gpu:" + uuid, "sm_clock_hz", "hertz", {0, 1}, {1.7e9, 1.7e9}},
                     {"gpu:" + uuid, "throttle_reasons", "1", {0, 1}, {0, 0}},
                     {"gpu:" + uuid, "power_watts", "watt", {0, 1}, {650, 650}}};
    return out;
  }

  void add(result::Run run) {
    input_.rounds.push_back(collector_.reduce(run, run.id, fmt::format("n{}", run.device.substr(4))));
    runs_[run.id] = std::move(run);
  }

  /// A fleet of 12 whose node 5 is as `odd` says.
  void fleet(result::Run odd) {
    for (int node = 0; node < 12; ++node)
      if (node != 5) add(run(node));
    add(std::move(odd));
  }

  report::CausesOfNodes causes() {
    input_.metrics = collector_.metrics();
    judgement_ = judge::judge_peers(input_);
    return fleet_causes(input_, judgement_, [this](const judge::PeerRound& round) {
      const std::lock_guard lock(mutex_);
      read_.insert(round.label);
      const auto found = runs_.find(round.id);
      return found == runs_.end() ? std::nullopt : std::optional(found->second);
    });
  }

  static std::vector<std::string> confident(const report::NodeCauses& told) {
    std::vector<std::string> out;
    for (const diagnose::Finding& finding : told.diagnosis.findings)
      if (finding.score >= diagnose::confident) out.push_back(finding.cause);
    return out;
  }

  judge::PeerCollector collector_;
  judge::PeersInput input_;
  judge::PeersJudgement judgement_;
  std::map<std::string, result::Run> runs_;
  std::set<std::string> read_;  ///< labels of the runs that were asked for
  std::mutex mutex_;
};

TEST_F(FleetCauses, ALoweredPowerLimitIsNamed) {
  result::Run odd = run(5, 1.5);
  odd.fingerprint.settings["gpu.0.power_limit_watt"] = "400";
  odd.telemetry[0].values = {1.1e9, 1.1e9};
  odd.telemetry[1].values = {4, 4};  // the software's power cap
  odd.telemetry[2].values = {399, 399};
  fleet(odd);
  const report::CausesOfNodes all = causes();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(judgement_.nodes[all.begin()->first].label, "n05");
  const report::NodeCauses& told = all.begin()->second;
  EXPECT_EQ(told.observation.about.compared_with, "peers");
  EXPECT_THAT(confident(told), Contains("sw_power_cap"));
  EXPECT_EQ(told.against.size(), 3U);
  EXPECT_EQ(told.observation.changed->at("gpu.power_limit_watt"),
            (diagnose::Change{diagnose::Value("700"), diagnose::Value("400")}));
  EXPECT_EQ(told.observation.telemetry.at("sm_clock_expected_mhz"), diagnose::Value(1700.));
}

TEST_F(FleetCauses, AVariableThatNoPeerHasIsChangedAndOneThatAllHaveIsNot) {
  result::Run odd = run(5, 1.5);
  odd.fingerprint.settings["env.NVIDIA_TF32_OVERRIDE"] = "0";
  for (int node = 0; node < 12; ++node) {
    result::Run one = node == 5 ? odd : run(node);
    one.fingerprint.settings["env.CUDA_MODULE_LOADING"] = "EAGER";
    add(one);
  }
  const report::CausesOfNodes all = causes();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(*all.begin()->second.observation.changed,
              ElementsAre(testing::Pair("env.NVIDIA_TF32_OVERRIDE", testing::_)));
}

TEST_F(FleetCauses, OnlyOddNodesAndThreePeersAreRead) {
  fleet(run(5, 1.5));
  causes();
  EXPECT_EQ(read_.size(), 4U);
  EXPECT_TRUE(read_.contains("n05"));
}

TEST_F(FleetCauses, AHealthyFleetIsNotReadAgain) {
  fleet(run(5));
  EXPECT_THAT(causes(), IsEmpty());
  EXPECT_THAT(read_, IsEmpty());
}

TEST_F(FleetCauses, WhatIsAsFastAsThePeersIsAFigureToo) {
  fleet(run(5, 1.5));
  const auto all = causes();
  ASSERT_EQ(all.size(), 1U);
  std::map<std::string, double> factors;
  for (const diagnose::Metric& metric : all.begin()->second.observation.metrics)
    factors[metric.metric_class] = metric.factor.value_or(0);
  EXPECT_GT(factors["gemm16"], 1.4);
  EXPECT_EQ(factors["hbm"], 1);
  EXPECT_EQ(factors["launch"], 1);
}

TEST_F(FleetCauses, ARunThatIsGoneLeavesTheNodeWithoutCauses) {
  result::Run odd = run(5, 1.5);
  fleet(odd);
  runs_.erase(odd.id);
  EXPECT_THAT(causes(), IsEmpty());
}

TEST_F(FleetCauses, TheNewestRunOfEverythingCounts) {
  fleet(run(5, 1.5));
  result::Run later = run(5, 1.5);
  later.id = "01TESTRUNZ";
  later.started = "2026-03-01T00:00:00Z";
  later.fingerprint.settings["gpu.0.persistence"] = "off";
  add(later);
  const auto all = causes();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all.begin()->second.observation.changed->contains("gpu.persistence"));
}

TEST_F(FleetCauses, OfAHistoryFactsAndVerdictsTell) {
  result::Run odd = run(5, 1.5);
  odd.fingerprint.settings["gpu.0.power_limit_watt"] = "400";
  judge::tell_health(odd, "remap_failed", 1);
  fleet(odd);
  for (auto& [id, run] : runs_) {
    result::Run facts;
    facts.id = id;
    facts.device = run.device;
    facts.fingerprint = run.fingerprint;
    run = facts;
  }
  const auto all = causes();
  ASSERT_EQ(all.size(), 1U);
  const diagnose::Observation& seen = all.begin()->second.observation;
  EXPECT_TRUE(seen.changed->contains("gpu.power_limit_watt"));
  ASSERT_EQ(seen.errors.size(), 1U);
  EXPECT_THAT(seen.errors.front().text, HasSubstr("health/memory: a memory row"));
}

TEST_F(FleetCauses, WithoutAHealthyPeerOnlyWhatFailedIsDiagnosed) {
  result::Run odd = run(5);
  judge::change(odd, "host/triad", [](result::BenchmarkResult& found) {
    found.status = result::Status::failed;
    found.reason = "cudaErrorIllegalAddress (700)";
  });
  add(odd);
  const auto all = causes();
  ASSERT_EQ(all.size(), 1U);
  const report::NodeCauses& told = all.begin()->second;
  EXPECT_THAT(told.against, IsEmpty());
  EXPECT_EQ(told.observation.about.compared_with, "expected");
  EXPECT_FALSE(told.observation.changed.has_value());
  EXPECT_THAT(told.observation.errors, Not(IsEmpty()));
}

}  // namespace
}  // namespace gpugauge::conductor

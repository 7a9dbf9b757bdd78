// Probes as a check makes them, with families made of a few lines of shell.
#include "conductor/probing.hpp"

#include <csignal>

#include <gmock/gmock.h>

#include "conductor/observe.hpp"
#include "conductor/probe_nvml.hpp"
#include "conductor/probe_processors.hpp"
#include "unit/diagnose/find_probe.hpp"
#include "unit/run/fake_family.hpp"

namespace gpugauge::conductor {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// A host whose one benchmark was judged twice as slow, while OpenMP's threads are bound.
class Probing : public testing::Test {
 protected:
  Probing() {
    options_.profile = run::quick_plan({}).profile;
    sample("slow", 2e-3);
    sample("fast", 1e-3);
    Benchmark benchmark;
    benchmark.id = "host/op";
    benchmark.family = "host";
    benchmark.metric_class = "host_cpu";
    catalogue_.benchmarks = {benchmark};
    catalogue_.start_seconds["host"] = .1;
    result::Run run;
    run.device = "host";
    run.complete = true;
    run.fingerprint.settings = {{"env.KMP_AFFINITY", "compact"}};
    device_.rounds = {run};
    judge::Verdict verdict;
    verdict.judge = judge::Judge::baseline;
    verdict.kind = judge::VerdictKind::regressed;
    verdict.metric = "host/op:latency";
    verdict.metric_class = "host_cpu";
    verdict.better = result::Direction::lower;
    verdict.value = 2e-3;
    verdict.baseline = 1e-3;
    device_.verdicts = {verdict};
    setenv("KMP_AFFINITY", "compact", 1);
  }
  ~Probing() override { unsetenv("KMP_AFFINITY"); }

  void sample(const std::string& name, double seconds) const {
    result::Samples samples = run::good_samples("host");
    samples.benchmarks[0].metrics[0].value = seconds;
    run::write_text(fakes_.path() / (name + ".json"), result::to_json(samples));
  }

  std::string leave(const std::string& name) const {
    return "cp '" + (fakes_.path() / (name + ".json")).string() + "' \"$samples\"";
  }

  /// Few seconds: none of the probes that wait is made.
  bool ask(const std::string& script, double seconds_left = 4) {
    catalogue_.families = {fakes_.family("host", script)};
    device_.observation = observe(device_, nullptr);
    device_.diagnosis = diagnose::diagnose(*device_.observation);
    return ask_probes(options_, target_, catalogue_, nullptr, seconds_left, device_);
  }

  run::Fakes fakes_;
  MeasureOptions options_;
  Target target_{DeviceKind::host, "host", "host"};
  Catalogue catalogue_;
  report::DeviceReport device_;
};

TEST_F(Probing, AVariableThatExplainsItBecomesTheFinding) {
  EXPECT_TRUE(ask("if [ -n \"$KMP_AFFINITY\" ]; then " + leave("slow") + "; else " + leave("fast") + "; fi"));
  ASSERT_FALSE(device_.probes.empty());
  const report::ProbeAsked& asked = device_.probes.front();
  EXPECT_EQ(asked.probe, "without_thread_binding");
  EXPECT_EQ(asked.outcome, "recovers") << asked.found;
  EXPECT_THAT(
      report::sentence(asked),
      HasSubstr("it recovers: host/op:latency is 1 times as slow without KMP_AFFINITY, 2 times as it was"));
  ASSERT_FALSE(device_.diagnosis->findings.empty());
  EXPECT_EQ(device_.diagnosis->findings.front().cause, "cpu_affinity_wrong");
  EXPECT_GE(device_.diagnosis->findings.front().score, diagnose::confident);
  ASSERT_EQ(device_.observation->probes.size(), 1U);
  EXPECT_EQ(device_.observation->probes.front().by, "without_thread_binding");
  EXPECT_DOUBLE_EQ(device_.observation->probes.front().factor.value_or(0), 1);
  EXPECT_DOUBLE_EQ(device_.observation->probes.front().factor_without.value_or(0), 2);
  EXPECT_EQ(device_.probes.size(), 1U) << "the cause was clear after the first answer";
}

TEST_F(Probing, AVariableThatDoesNotIsDropped) {
  EXPECT_TRUE(ask(leave("slow")));
  ASSERT_FALSE(device_.probes.empty());
  EXPECT_EQ(device_.probes.front().outcome, "no_change") << device_.probes.front().found;
  for (const diagnose::Finding& finding : device_.diagnosis->findings)
    EXPECT_NE(finding.cause, "cpu_affinity_wrong");
  for (std::size_t i = 1; i < device_.probes.size(); ++i)
    EXPECT_NE(device_.probes[i].probe, device_.probes.front().probe) << "asked twice";
}

TEST_F(Probing, AFailingProbeHasNoAnswerAndChangesNothing) {
  const auto verdicts = device_.verdicts.size();
  EXPECT_TRUE(ask("echo broken >&2; exit 7"));
  ASSERT_FALSE(device_.probes.empty());
  for (const report::ProbeAsked& asked : device_.probes) {
    EXPECT_EQ(asked.outcome, "");
    EXPECT_THAT(report::sentence(asked), HasSubstr("asked, no answer because"));
  }
  EXPECT_THAT(device_.observation->probes, IsEmpty());
  EXPECT_EQ(device_.verdicts.size(), verdicts);
  EXPECT_EQ(device_.verdicts.front().kind, judge::VerdictKind::regressed);
}

TEST_F(Probing, AHangingProbeIsEnded) {
  options_.profile.limit_seconds = .3;
  EXPECT_TRUE(ask("if [ -z \"$KMP_AFFINITY\" ]; then sleep 60; fi; " + leave("slow")));
  ASSERT_FALSE(device_.probes.empty());
  EXPECT_EQ(device_.probes.front().outcome, "");
  EXPECT_LT(device_.probes.front().seconds, 20);
}

TEST_F(Probing, WhatHasPassedIsSaid) {
  EXPECT_TRUE(ask(leave("fast")));
  ASSERT_FALSE(device_.probes.empty());
  EXPECT_THAT(device_.probes.front().found, HasSubstr("no longer slow"));
  ASSERT_FALSE(device_.observation->probes.empty());
  EXPECT_EQ(device_.observation->probes.front().name, "repeat_later");
  EXPECT_EQ(device_.observation->probes.front().outcome, "normal");
}

TEST_F(Probing, WithoutTimeNothingIsMeasuredAndThatIsSaid) {
  for (const double left : {.5, -5.0}) {
    device_.probes.clear();
    EXPECT_TRUE(ask("touch '" + (fakes_.path() / "started").string() + "'", left));
    ASSERT_EQ(device_.probes.size(), 1U);
    EXPECT_THAT(report::sentence(device_.probes.front()),
                HasSubstr("asked, no answer because it takes about"));
    EXPECT_FALSE(std::filesystem::exists(fakes_.path() / "started"));
  }
}

TEST_F(Probing, WhereNothingIsSlowerNothingIsAsked) {
  device_.verdicts.front().kind = judge::VerdictKind::ok;
  EXPECT_TRUE(ask(leave("slow")));
  EXPECT_THAT(device_.probes, IsEmpty());
}

TEST_F(Probing, AdvisoryRegressionsAskNothing) {
  device_.verdicts.front().advisory = true;
  EXPECT_TRUE(ask(leave("slow")));
  EXPECT_THAT(device_.probes, IsEmpty());
}

TEST_F(Probing, ASignalEndsThem) {
  EXPECT_FALSE(ask("kill -INT $PPID; sleep 5"));
  ASSERT_EQ(device_.probes.size(), 1U);
  EXPECT_THAT(device_.probes.front().found, HasSubstr("signal"));
  EXPECT_THAT(device_.observation->probes, IsEmpty());
}

TEST(ProbeLink, IsReadFromTheTelemetryUnderLoad) {
  result::Run run;
  const auto series = [&](const char* name, std::vector<double> values) {
    run.telemetry.push_back({"gpu:GPU-1", name, "1", {}, std::move(values)});
  };
  series("pcie_generation", {1, 1, 4, 4, 4});
  series("pcie_generation_max", {4, 4, 4, 4, 4});
  series("pcie_width", {16, 16, 16, 16, 16});
  const diagnose::ProbeEntry& probe = *diagnose::find_probe("link_under_load");
  EXPECT_EQ(link_of(run, "GPU-1", probe).outcome, "") << "its greatest width is not known";
  series("pcie_width_max", {16, 16, 16, 16, 16});
  EXPECT_EQ(link_of(run, "GPU-1", probe).outcome, "normal") << "the first samples are from before the copy";
  run.telemetry[2].values = {8, 8, 8, 8, 8};
  const Found narrow = link_of(run, "GPU-1", probe);
  EXPECT_EQ(narrow.outcome, "slow");
  EXPECT_EQ(narrow.telemetry.at("pcie_width"), diagnose::Value(8.0));
  EXPECT_EQ(link_of(run, "GPU-2", probe).outcome, "");
}

TEST(ProbeProcessors, OnlyThoseAreNamedThatTheProcessIsLeft) {
  const std::vector<int> allowed = run::allowed_processors();
  constexpr int absent = 8191;
  EXPECT_EQ(processors_left_of({allowed.front(), absent}).processors, std::vector<int>{allowed.front()});
  EXPECT_THAT(processors_left_of({absent}).why_none, HasSubstr("may not use the processors 8191"));
  EXPECT_EQ(run::allowed_processors(), allowed) << "all as it was before";
}

TEST(ProbeProcessors, IdleOnesAreAmongTheAllowed) {
  const char* before = "cpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0\n";
  const char* after = "cpu0 99 0 0 1 0 0 0 0\ncpu1 1 0 0 99 0 0 0 0\ncpu2 0 0 0 100 0 0 0 0\n";
  EXPECT_THAT(idle_processors({0, 1}, before, after), testing::ElementsAre(1));
  EXPECT_THAT(idle_processors({0}, before, after), IsEmpty());
}

}  // namespace
}  // namespace gpugauge::conductor

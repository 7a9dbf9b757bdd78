// What an observation says of a GPU's clock settings, and of those who used it before.
#include "conductor/gpu_before.hpp"

#include <gtest/gtest.h>

#include "result/facts.hpp"

namespace gpugauge::conductor {
namespace {

using diagnose::Observation;
using diagnose::Value;
using Runs = std::vector<result::Run>;

result::Run clocked(const char* set, const char* standard) {
  result::Run run;
  run.device = "GPU-0";
  run.fingerprint.device["gpu.0.uuid"] = "GPU-0";
  run.fingerprint.settings = {{"gpu.0.sm_clock_application_mhz", set},
                              {"gpu.0.sm_clock_application_default_mhz", standard}};
  return run;
}

result::Run used(std::vector<double> processes, std::vector<double> utilization) {
  result::Run run;
  run.device = "GPU-0";
  const auto add = [&](const char* name, std::vector<double> values) {
    if (!values.empty())
      run.telemetry.push_back(
          {"gpu:GPU-0", name, "1", std::vector<double>(values.size(), .1), std::move(values)});
  };
  add("processes_before", std::move(processes));
  add("utilization_before", std::move(utilization));
  return run;
}

Observation seen(const Runs& rounds, const Runs* before = nullptr) {
  Observation out;
  add_gpu_before(rounds, before, out);
  return out;
}

TEST(GpuBefore, SaysTheApplicationClockAndWhetherItIsTheDefault) {
  Observation out = seen({clocked("1188", "1980")});
  EXPECT_EQ(out.telemetry.at("application_clock_mhz"), Value(1188.0));
  EXPECT_EQ(out.telemetry.at("application_clock_is_default"), Value(false));
  out = seen({clocked("1980", "1980")});
  EXPECT_EQ(out.telemetry.at("application_clock_is_default"), Value(true));
  EXPECT_TRUE(seen({clocked("unknown", "1980")}).telemetry.empty());
  EXPECT_TRUE(seen({}).telemetry.empty());
}

TEST(GpuBefore, AClockThatExplainsNoLossIsNoLock) {
  EXPECT_FALSE(seen({clocked("1530", "1290")}).telemetry.contains("application_clock_is_default"));
  const Runs same{clocked("1188", "1980")}, other{clocked("1980", "1980")};
  EXPECT_FALSE(seen(same, &same).telemetry.contains("application_clock_is_default"));
  EXPECT_EQ(seen(same, &other).telemetry.at("application_clock_is_default"), Value(false));
}

TEST(GpuBefore, AClockThatWasSetBeforeALaterRoundIsSeen) {
  const Observation out = seen({clocked("1980", "1980"), clocked("1188", "1980")});
  EXPECT_EQ(out.telemetry.at("application_clock_mhz"), Value(1188.0));
  EXPECT_EQ(out.telemetry.at("application_clock_is_default"), Value(false));
}

TEST(GpuBefore, SaysWhoElseUsedTheGpuAndOnlyWhereSomebodyDid) {
  const Observation out = seen({used({1}, {.6}), used({2}, {.4})});
  EXPECT_EQ(out.telemetry.at("other_processes"), Value(2.0));
  EXPECT_EQ(out.telemetry.at("utilization_before_percent"), Value(60.0)) << "of the first round";
  EXPECT_TRUE(seen({used({0}, {0})}).telemetry.empty()) << "somebody may have come later";
  EXPECT_TRUE(seen({used({0}, {0}), used({0}, {.9})}).telemetry.empty()) << "what the round before left";
  EXPECT_TRUE(seen({used({}, {}), used({}, {.9})}).telemetry.empty());
}

}  // namespace
}  // namespace gpugauge::conductor

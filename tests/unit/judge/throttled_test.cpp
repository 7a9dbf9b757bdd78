// Heat, hardware and a lowered power limit are said whatever the clock is.
#include "judge/throttled.hpp"

#include <algorithm>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/judge.hpp"
#include "one_gpu.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::HasSubstr;

TEST(Throttled, HeatAndHardwareAreCountedAtAnyClock) {
  for (const auto& [mask, word] : {std::pair(0x08, "hw_slowdown in 4 of 4 samples"),
                                   {0x20, "sw_thermal"},
                                   {0x40, "hw_thermal"},
                                   {0x80, "hw_power_brake"}}) {
    const Verdict found = verdict_on_gpu({.reasons = static_cast<double>(mask)}, "clocks/throttled");
    EXPECT_EQ(found.kind, VerdictKind::inconclusive);
    EXPECT_FALSE(found.advisory);
    EXPECT_FALSE(found.may_be_meant) << "nobody sets that on purpose";
    EXPECT_THAT(found.reason, HasSubstr(word));
  }
  EXPECT_TRUE(verdict_on_gpu({.reasons = 0x40, .mig = "on"}, "clocks/throttled").advisory);
  EXPECT_FALSE(verdict_on_gpu({.reasons = 0x40}, "clocks/throttled", {{"gpu.1.mig", "on"}}).advisory)
      << "another GPU of the node is cut up";
  for (const double usual : {0., 1., 2., 4., 0x100 * 1.})
    EXPECT_FALSE(judged_gpu({.reasons = usual}).contains("clocks/throttled")) << usual;
  // One sample alone is a moment, and sw_thermal in a few of many is a warm GPU's way.
  const auto in_samples = [](double mask, std::size_t samples) {
    result::Run run = OneGpu{}.run();
    for (result::Series& series : run.telemetry) {
      if (series.name != "throttle_reasons") continue;
      series.values.assign(40, 0);
      series.seconds.assign(40, 2);
      std::fill_n(series.values.begin(), samples, mask);
    }
    const std::vector<Verdict> found = judge_physical(run);
    return std::any_of(found.begin(), found.end(),
                       [](const Verdict& verdict) { return verdict.metric == "clocks/throttled"; });
  };
  EXPECT_FALSE(in_samples(0x40, 1));
  EXPECT_TRUE(in_samples(0x40, 2));
  EXPECT_FALSE(in_samples(0x20, 4));
  EXPECT_TRUE(in_samples(0x20, 5));
}

TEST(Throttled, APowerLimitThatWasLoweredInAnyRoundIsCounted) {
  const auto with_limit = [](const char* watt, int round) {
    result::Run run = OneGpu{}.run();
    run.round = round;
    run.fingerprint.device["gpu.0.uuid"] = "GPU-0";
    run.fingerprint.settings["gpu.0.power_limit_watt"] = watt;
    run.fingerprint.settings["gpu.0.power_limit_default_watt"] = "700";
    return run;
  };
  const auto lowered = [](const std::vector<result::Run>& rounds) {
    const std::vector<Verdict> found = judge_physical(rounds);
    return std::any_of(found.begin(), found.end(), [](const Verdict& verdict) {
      return verdict.metric == "power/limit" &&
             verdict.reason.starts_with("a power limit of 400 W where 700 W");
    });
  };
  EXPECT_FALSE(lowered({with_limit("700", 1), with_limit("700", 2)}));
  EXPECT_TRUE(lowered({with_limit("700", 1), with_limit("400", 2)}));
  EXPECT_TRUE(lowered({with_limit("700", 1), with_limit("400", 2), with_limit("700", 3)}));
}

TEST(Throttled, ALoweredPowerLimitIsCountedAtAnyClock) {
  const Verdict found = verdict_on_gpu(
      {}, "power/limit", {{"gpu.0.power_limit_watt", "400"}, {"gpu.0.power_limit_default_watt", "700"}});
  EXPECT_EQ(found.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(found.advisory);
  EXPECT_TRUE(found.may_be_meant);
  EXPECT_EQ(found.reason,
            "a power limit of 400 W where 700 W is the default: products are slower than this model's; `sudo "
            "nvidia-smi -i GPU-0 -pl 700` restores it, if it is not meant")
      << "without -i it would be set on all GPUs";
  for (const char* usual : {"700", "750", "unknown"})
    EXPECT_THROW(
        verdict_on_gpu({}, "power/limit",
                       {{"gpu.0.power_limit_watt", usual}, {"gpu.0.power_limit_default_watt", "700"}}),
        std::runtime_error)
        << usual;
}

TEST(Throttled, AGpuOfWhichNvmlSaysNothingIsSaid) {
  result::Run run = OneGpu{}.run();
  run.telemetry.clear();
  const std::vector<Verdict> found = judge_physical(run);
  const auto said = std::find_if(found.begin(), found.end(),
                                 [](const Verdict& verdict) { return verdict.metric == "clocks/telemetry"; });
  ASSERT_NE(said, found.end());
  EXPECT_TRUE(said->advisory);
  EXPECT_FALSE(judged_gpu({}).contains("clocks/telemetry"));
}

}  // namespace
}  // namespace gpugauge::judge

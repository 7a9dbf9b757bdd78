// The clocks of models are those of the recordings that the table names.
#include "judge/held_clocks.hpp"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "judge/collect.hpp"
#include "judge/statistics.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {
namespace {

/// The lowest median SM clock of a light benchmark in a run, in hertz.
double lowest_light_clock(const result::Run& run) {
  double lowest = 1e12;
  for (const auto& [key, metric] : collect(run).metrics)
    if (metric.judged() && !metric.sm_clock_hz.empty() && is_light_class(metric.form.metric_class))
      lowest = std::min(lowest, median(metric.sm_clock_hz));
  return lowest;
}

TEST(HeldClocks, AreWhatWasRecorded) {
  for (const char* const model : {"NVIDIA H100 80GB HBM3", "NVIDIA H200"}) {
    const auto held = held_clock(model);
    ASSERT_TRUE(held) << model;
    const result::Run run = result::read_run(std::filesystem::path(GPUGAUGE_SOURCE_DIR) / held->source);
    EXPECT_EQ(DeviceFacts(run, "copy/h2d").text("gpu.name"), model);
    EXPECT_NEAR(held->hertz, lowest_light_clock(run), 1e6) << model;
  }
}

TEST(HeldClocks, OfAnotherBoardAreNotKnown) {
  for (const char* const model : {"", "NVIDIA H200 NVL", "NVIDIA H100 PCIe", "NVIDIA A100-SXM4-80GB"})
    EXPECT_FALSE(held_clock(model)) << model;
}

TEST(HeldClocks, WorkThatDrawsPowerIsNotLight) {
  for (const char* const heavy : {"gemm16", "gemm32", "conv", "attention", "hbm", "host_cpu"})
    EXPECT_FALSE(is_light_class(heavy)) << heavy;
  EXPECT_TRUE(is_light_class("h2d"));
}

}  // namespace
}  // namespace gpugauge::judge

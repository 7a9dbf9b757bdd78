// The pairs of GPUs that metrics name.
#include "judge/gpu_way.hpp"

#include <gtest/gtest.h>

namespace gpugauge::judge {
namespace {

TEST(GpuWay, AMetricNamesItsPair) {
  const auto one_way = pair_named("latency_3_to_12").value();
  EXPECT_EQ(one_way.from, "3");
  EXPECT_EQ(one_way.to, "12");
  EXPECT_FALSE(one_way.both_ways);
  const auto both = pair_named("bandwidth_0_and_1").value();
  EXPECT_EQ(both.from + both.to, "01");
  EXPECT_TRUE(both.both_ways);
  for (const char* other : {"", "bandwidth", "_0_to_1", "bandwidth_0", "bandwidth_to_1", "bandwidth_0_to_",
                            "bandwidth_a_to_b", "bandwidth_0_to_1_p90", "bandwidth_to_"})
    EXPECT_FALSE(pair_named(other)) << other;
}

}  // namespace
}  // namespace gpugauge::judge

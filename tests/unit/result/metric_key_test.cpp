#include "result/metric_key.hpp"

#include <gtest/gtest.h>

#include "result/samples.hpp"

namespace gpugauge::result {
namespace {

TEST(MetricKey, IsTakenApartAsItWasPutTogether) {
  for (const char* const id : {"host/triad/one_core", "google-benchmark/copy/threads:4", "host/a:b/c:d"}) {
    const std::string key = metric_key(id, "bandwidth");
    EXPECT_EQ(benchmark_of(key), id);
    EXPECT_EQ(metric_name_of(key), "bandwidth");
    EXPECT_EQ(family_of(key), family_of(id));
  }
  EXPECT_EQ(family_of("google-benchmark/copy/threads:4"), "google-benchmark");
}

TEST(MetricKey, LeavesOtherNamesAsTheyAre) {
  for (const char* const name : {"", "host"}) {
    EXPECT_EQ(family_of(name), name);
    EXPECT_EQ(benchmark_of(name), name);
    EXPECT_EQ(metric_name_of(name), name);
  }
  EXPECT_EQ(benchmark_of("class/hbm"), "class/hbm");
}

}  // namespace
}  // namespace gpugauge::result

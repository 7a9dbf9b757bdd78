#include "support/requirements.hpp"

#include <gtest/gtest.h>

#include "support/environment.hpp"

namespace gpugauge::bench {
namespace {

class RequirementsHere : public testing::Test {
 protected:
  ~RequirementsHere() override { set_environment({}); }
  static void see(int capability) {
    set_environment({.unavailable = {},
                     .compute_capability = [capability] { return capability; },
                     .devices = {},
                     .describe = {}});
  }
};

TEST_F(RequirementsHere, OfOneGenerationAreMetThereAlone) {
  const Requirements hopper{
      .gpu = true, .minimum_compute_capability = 90, .only_that_compute_capability = true};
  see(90);
  EXPECT_EQ(unmet(hopper), std::nullopt);
  see(100);
  EXPECT_EQ(unmet(hopper), "needs compute capability 9.0 exactly, this GPU has 10.0");
  EXPECT_FALSE(stands_in_elsewhere(hopper));
}

TEST_F(RequirementsHere, AStandInIsForTheNamedGpusAlone) {
  const Requirements blackwell{.gpu = true, .instead_on = {100, 103}};
  for (const int capability : {100, 103}) {
    see(capability);
    EXPECT_EQ(unmet(blackwell), std::nullopt) << capability;
    EXPECT_FALSE(stands_in_elsewhere(blackwell)) << capability;
  }
  for (const int capability : {90, 101, 120}) {
    see(capability);
    EXPECT_TRUE(stands_in_elsewhere(blackwell)) << capability;
  }
  EXPECT_EQ(unmet(blackwell),
            "stands in for another benchmark on compute capability 10.0, 10.3, this GPU has 12.0");
}

TEST_F(RequirementsHere, AStandInForOlderGpusEndsWhereItsUpperBoundSays) {
  const Requirements turing{.gpu = true, .minimum_compute_capability = 70, .below_compute_capability = 80};
  see(75);
  EXPECT_FALSE(stands_in_elsewhere(turing));
  see(80);
  EXPECT_TRUE(stands_in_elsewhere(turing));
}

TEST_F(RequirementsHere, WithoutAGpuAreUnmetAndNobodyKnowsOfOtherGpus) {
  set_environment({});
  const Requirements blackwell{.gpu = true, .instead_on = {100, 103}};
  EXPECT_EQ(unmet(blackwell), "needs a GPU");
  EXPECT_FALSE(stands_in_elsewhere(blackwell));
  EXPECT_EQ(unmet({}), std::nullopt);
}

}  // namespace
}  // namespace gpugauge::bench

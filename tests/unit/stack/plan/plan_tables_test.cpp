// The plan over the tables of this build: combinations whose answer is well known.
#include <gmock/gmock.h>

#include "stack/plan/plan.hpp"

namespace gpugauge::stack {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

struct Known {
  const char* name;
  const char* plan;
  const char* gpu;
  Fit outcome;
  const char* limit;      ///< the first one; "" where it works
  const char* cuda = "";  ///< that of the wheel that is taken; "" where no test needs it
};

class PlanTables : public testing::TestWithParam<Known> {};

TEST_P(PlanTables, AnswersWhatIsKnown) {
  const PlanReport report = plan(parse_plan(GetParam().plan, GetParam().gpu), Inventory{}, tables());
  std::string pairs;
  for (const PairFit& pair : report.pairs) {
    pairs += pair.first + " | " + pair.second + " | " + to_string(pair.fit) + " | " + pair.reason + "\n";
    if (pair.fit != Fit::unknown) {
      EXPECT_FALSE(pair.sources.empty()) << pair.first << " with " << pair.second;
    }
  }
  EXPECT_EQ(report.outcome, GetParam().outcome) << report.sentence << "\n" << pairs;
  EXPECT_EQ(report.limits.empty() ? "" : report.limits.front(), GetParam().limit) << pairs;
  const std::string wheel = std::string(GetParam().cuda);
  if (wheel.empty()) return;
  EXPECT_THAT(report.assumptions, Contains(StartsWith("CUDA is " + wheel + ", that of a wheel of ")))
      << pairs;
  EXPECT_THAT(pairs, HasSubstr("Its best wheel here is that for CUDA " + wheel + ":"));
}

INSTANTIATE_TEST_SUITE_P(
    Known, PlanTables,
    testing::Values(
        Known{"one_release", "driver=570,cuda=12.8,cudnn=9.10,torch=2.8", "h100", Fit::works, ""},
        Known{"long_term_driver", "driver=535.104.05,cuda=12.8,torch=2.8", "h100", Fit::limited, "driver"},
        Known{"next_major", "driver=570.124.06,cuda=13.0", "h100", Fit::fails, "driver"},
        Known{"volta_is_dropped", "driver=580.65.06,cuda=13.0", "v100", Fit::fails, "gpu"},
        Known{"volta_and_new_driver", "driver=590.48.01,cuda=12.8", "v100", Fit::fails, "gpu"},
        Known{"volta_has_a_wheel", "driver=580.95.05,torch=2.10", "v100", Fit::works, "", "12.8"},
        Known{"pascal_has_a_wheel", "driver=580.95.05,torch=2.8", "gtx1080", Fit::works, "", "12.6"},
        Known{"p100_has_a_wheel", "driver=580.95.05,torch=2.8", "p100", Fit::works, "", "12.6"},
        Known{"hopper_takes_the_newest_wheel", "driver=580.95.05,torch=2.10", "h100", Fit::works, "", "13.0"},
        Known{"an_old_driver_counts_beside_unknown_gpus", "driver=550.54.14,torch=2.6", "h100", Fit::unknown,
              "", "12.4"},
        Known{"optional_cudnn", "driver=570.124.06,cuda=12.8,cudnn=9.10.2,tensorrt=10.9", "h100",
              Fit::unknown, ""},
        Known{"blackwell_needs_12_8", "driver=570.133.20,cuda=12.4", "b200", Fit::limited, "cuda"},
        Known{"blackwell_and_old_driver", "driver=550.54.14,cuda=12.8", "b200", Fit::fails, "driver"},
        Known{"newer_driver", "driver=580.65.06,cuda=11.8", "a100", Fit::works, ""},
        Known{"old_cudnn", "driver=580.65.06,cuda=13.0,cudnn=9.5", "h100", Fit::fails, "cudnn"},
        Known{"new_compiler", "driver=580.65.06,cuda=12.4,gcc=14", "h100", Fit::fails, "gcc"},
        Known{"future", "driver=900.10,cuda=19.0", "h100", Fit::unknown, ""},
        Known{"tensorflow_and_next_major", "driver=580.65.06,cuda=13.0,tensorflow=2.18", "", Fit::fails,
              "tensorflow"}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace gpugauge::stack

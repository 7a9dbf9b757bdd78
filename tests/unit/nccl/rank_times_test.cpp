#include "nccl/rank_times.hpp"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpugauge::bench::nccl {
namespace {

using testing::ElementsAre;

TEST(RankTimes, the_slowest_of_each_iteration_counts_and_ranks_are_named_by_their_medians) {
  const Timed all =
      slowest_of({to_text(RankTimes{"n1", {{"GPU-a", 2e-3}, {"GPU-b", 5e-3}}, {1e-3, 5e-3, 3e-3}}),
                  to_text(RankTimes{"n2", {{"GPU-c", 1e-3}}, {4e-3, 1e-3, 3.5e-3}})});
  EXPECT_THAT(all.seconds, ElementsAre(4e-3, 5e-3, 3.5e-3));
  EXPECT_EQ(all.slowest, "GPU-b (n1)");
  EXPECT_EQ(all.quickest, "GPU-c (n2)");
}

TEST(RankTimes, what_is_sent_comes_back) {
  const Timed sent{{1.234567e-6, 2.5, 1e-9}, "GPU-a (node 1)", "GPU-b (n2)"};
  const Timed back = parse_timed(to_text(sent));
  EXPECT_EQ(back.seconds, sent.seconds);
  EXPECT_EQ(back.slowest, sent.slowest);
  EXPECT_EQ(back.quickest, sent.quickest);
}

TEST(RankTimes, a_rank_of_fewer_iterations_is_refused_with_its_machine) {
  try {
    slowest_of({to_text(RankTimes{"n1", {}, {1, 2}}), to_text(RankTimes{"n2", {}, {1}})});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "a rank on n2 timed 1 iterations where another timed 2");
  }
}

TEST(RankTimes, what_is_no_such_text_is_refused) {
  for (const char* text :
       {"", "n1", "n1\n", "n1\n\n", "n1\nGPU-a x\n1 2\n", "n1\n\n1 2x\n", "n1\n\ninf\n", "n1\n\nnan\n"})
    EXPECT_THROW(slowest_of({text}), std::runtime_error) << text;
  for (const char* text : {"", "a", "a\nb", "a\nb\n", "a\nb\n1 y\n"})
    EXPECT_THROW(parse_timed(text), std::runtime_error) << text;
}

}  // namespace
}  // namespace gpugauge::bench::nccl

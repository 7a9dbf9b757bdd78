// Which failures of a library's candidate let the next one be tried: needs no GPU.
#include "support/cuda/candidates_tried.hpp"

#include <new>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/choice.hpp"
#include "support/cuda/error.hpp"

namespace {

using namespace gpugauge::bench;
using cuda::Refused;
using cuda::try_each;

TEST(TryEach, goes_past_what_the_library_refuses_and_keeps_the_first_reason) {
  const cuda::Tried tried = try_each(3, [](std::size_t index) -> double {
    if (index < 2) throw Refused(index == 0 ? "first" : "second");
    return 0.5;
  });
  ASSERT_EQ(tried.seconds.size(), 3U);
  EXPECT_FALSE(tried.seconds[0] || tried.seconds[1]);
  EXPECT_EQ(tried.seconds[2], 0.5);
  EXPECT_EQ(tried.refused, 2U);
  EXPECT_EQ(tried.refusal, "first");
  EXPECT_EQ(contenders(tried.seconds, 0, 1), std::vector<std::size_t>{2U});
}

TEST(TryEach, says_nothing_where_all_ran) {
  const cuda::Tried tried = try_each(2, [](std::size_t index) { return 1.0 + static_cast<double>(index); });
  EXPECT_EQ(tried.refused, 0U);
  EXPECT_EQ(tried.refusal, "");
}

// The next candidate would be reported as what programs get, and the GPU that failed as healthy.
TEST(TryEach, ends_with_any_other_failure) {
  int calls = 0;
  const auto failing_with = [&](const auto& error) {
    calls = 0;
    return [&calls, &error](std::size_t) -> double {
      ++calls;
      throw error;
    };
  };
  const std::runtime_error execution("CUBLAS_STATUS_EXECUTION_FAILED (13)");
  EXPECT_THROW(try_each(2, failing_with(execution)), std::runtime_error);
  EXPECT_EQ(calls, 1);
  const cuda::CudaError lost(cudaErrorIllegalAddress, "waiting");
  EXPECT_THROW(try_each(2, failing_with(lost)), cuda::CudaError);
  EXPECT_EQ(calls, 1);
  const cuda::OutOfMemory memory("no workspace");
  EXPECT_THROW(try_each(2, failing_with(memory)), std::bad_alloc);
  EXPECT_EQ(calls, 1);
}

TEST(TryEach, fails_where_all_were_refused) {
  try {
    try_each(2, [](std::size_t index) -> double { throw Refused(index == 0 ? "first" : "second"); });
    FAIL() << "nothing was thrown";
  } catch (const Refused&) {
    FAIL() << "one refusal of many";
  } catch (const cuda::AllRefused& error) {
    EXPECT_STREQ(error.what(), "first");
  }
}

auto planned(std::size_t candidates, int rounds) {
  return [=](double) { return Search{candidates, rounds}; };
}

TEST(TryInTurns, gives_the_medians_of_rounds_in_which_each_has_its_turn) {
  std::vector<std::size_t> turns;
  const cuda::Tried tried = cuda::try_in_turns(3, planned(3, 3), [&](std::size_t index) -> double {
    turns.push_back(index);
    if (index == 1) throw Refused("not this one");
    // A clock that falls from call to call; the last is faster by a tenth.
    return static_cast<double>(turns.size()) * (index == 2 ? 0.9 : 1.0);
  });
  EXPECT_EQ(turns, (std::vector<std::size_t>{0, 1, 2, 0, 2, 0, 2}));
  EXPECT_EQ(tried.seconds[0], 4.0);
  EXPECT_FALSE(tried.seconds[1]);
  EXPECT_DOUBLE_EQ(*tried.seconds[2], 0.9 * 5);
  EXPECT_EQ(tried.tried, 3U);
  EXPECT_EQ(tried.refused, 1U);
}

TEST(NoteSuffix, is_empty_only_for_what_a_program_gets) {
  EXPECT_EQ(cuda::note_suffix(0, 0), "");
  EXPECT_EQ(cuda::note_suffix(2, 2), "");
  EXPECT_EQ(cuda::note_suffix(3, 0), "_best");
  EXPECT_EQ(cuda::note_suffix(0, 2), "_best");
}

TEST(TryInTurns, one_round_is_trying_each) {
  const cuda::Tried tried = cuda::try_in_turns(
      2, planned(2, 1), [](std::size_t index) { return 1.0 + static_cast<double>(index); });
  EXPECT_EQ(tried.seconds[0], 1.0);
  EXPECT_EQ(tried.seconds[1], 2.0);
}

TEST(TryInTurns, ends_when_as_many_ran_as_are_planned_after_the_first) {
  std::vector<std::size_t> turns;
  std::vector<double> asked;
  const auto plan_of = [&](double seconds) {
    asked.push_back(seconds);
    return Search{2, 2};
  };
  const cuda::Tried tried = cuda::try_in_turns(5, plan_of, [&](std::size_t index) -> double {
    turns.push_back(index);
    if (index == 0 || index == 2) throw Refused("not this one");
    return 0.25 * static_cast<double>(index);
  });
  EXPECT_EQ(turns, (std::vector<std::size_t>{0, 1, 2, 3, 1, 3}));
  EXPECT_EQ(asked, std::vector<double>{0.25});
  EXPECT_EQ(tried.tried, 4U);
  EXPECT_EQ(tried.refused, 2U);
  ASSERT_EQ(tried.seconds.size(), 5U);
  EXPECT_FALSE(tried.seconds[4]);
  EXPECT_EQ(contenders(tried.seconds, 0, 1), std::vector<std::size_t>{1U});
}

TEST(TryInTurns, tries_until_one_runs_whatever_is_planned) {
  const cuda::Tried tried = cuda::try_in_turns(3, planned(1, 1), [](std::size_t index) -> double {
    if (index < 2) throw Refused("not this one");
    return 1;
  });
  EXPECT_EQ(tried.tried, 3U);
  EXPECT_EQ(tried.seconds[2], 1.0);
}

}  // namespace

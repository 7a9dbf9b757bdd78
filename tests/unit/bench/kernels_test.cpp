// The work that the host benchmarks do: that it is what they say it is.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/chase.hpp"
#include "support/cold_memory.hpp"
#include "support/fma.hpp"
#include "support/futex_pair.hpp"
#include "support/mapping.hpp"
#include "support/stream.hpp"
#include "support/thread_team.hpp"

namespace gpugauge::bench {
namespace {

TEST(Cycle, VisitsEveryLineOnceBeforeItReturns) {
  for (const std::uint64_t lines : {4U, 8U, 64U, 1024U, 65536U}) {
    for (const std::uint64_t seed : {0U, 1U, 77U}) {
      const Cycle cycle(lines, seed);
      std::vector<bool> seen(lines, false);
      std::uint64_t line = 0;
      for (std::uint64_t step = 0; step < lines; ++step) {
        ASSERT_LT(line, lines);
        ASSERT_FALSE(seen[line]) << lines << " lines, seed " << seed << ": line " << line << " twice";
        seen[line] = true;
        line = cycle.next(line);
      }
      EXPECT_EQ(line, 0U);
    }
  }
}

TEST(Cycle, JumpsAsFarAsItWalks) {
  const Cycle cycle(4096, 5);
  std::uint64_t line = 0;
  for (std::uint64_t step = 0; step < 10'000; ++step) {
    ASSERT_EQ(cycle.after(0, step), line) << step;
    line = cycle.next(line);
  }
}

TEST(Cycle, HasNoFavouriteStride) {
  // A prefetcher that follows strides must not gain: no distance between neighbours comes often.
  const Cycle cycle(65536, 1);
  std::map<std::int64_t, int> strides;
  std::uint64_t line = 0;
  for (int step = 0; step < 65536; ++step) {
    const std::uint64_t next = cycle.next(line);
    ++strides[static_cast<std::int64_t>(next) - static_cast<std::int64_t>(line)];
    line = next;
  }
  const auto most = std::max_element(strides.begin(), strides.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  EXPECT_LT(most->second, 65536 / 100);
}

TEST(Cycle, RefusesNumbersOfLinesThatAreNoPowerOfTwo) {
  for (const std::uint64_t lines : {0U, 1U, 2U, 6U, 1000U})
    EXPECT_THROW(Cycle(lines, 0), std::invalid_argument);
}

TEST(Chase, EndsWhereItsCycleSays) {
  const Mapping memory(100'000, Pages::small);
  Chase chase({memory.data(), memory.bytes()}, 3);
  EXPECT_EQ(chase.bytes(), 65536U);  // the power of two below
  EXPECT_TRUE(chase.stands_right());
  for (const std::int64_t steps : {1, 1000, 1024, 12345}) {
    chase.follow(steps);
    EXPECT_TRUE(chase.stands_right()) << steps;
  }
}

TEST(PowerOfTwoBelow, IsTheLargestThatIsNotAbove) {
  EXPECT_EQ(power_of_two_below(0), 1U);
  EXPECT_EQ(power_of_two_below(1), 1U);
  EXPECT_EQ(power_of_two_below(48 << 10), std::uint64_t{32} << 10);
  EXPECT_EQ(power_of_two_below(std::uint64_t{1} << 40), std::uint64_t{1} << 40);
}

TEST(Fma, EveryKernelIsExact) {
  const std::vector<FmaKernel> kernels = fma_kernels();
  ASSERT_FALSE(kernels.empty());
  for (const FmaKernel& kernel : kernels) {
    for (const std::int64_t rounds : {0, 1, 7, 100'000}) {
      double sum = 0;  // chain c starts at c and counts up by 1 a round
      for (int chain = 0; chain < fma_chains; ++chain)
        sum += kernel.lanes * (chain + static_cast<double>(rounds));
      EXPECT_EQ(kernel.run(rounds, 1, 1), sum) << kernel.name;
      EXPECT_EQ(kernel.expected(rounds), sum) << kernel.name;
    }
    // 2 x + 1, three times, from c: 8 c + 7
    double sum = 0;
    for (int chain = 0; chain < fma_chains; ++chain) sum += kernel.lanes * (8 * chain + 7);
    EXPECT_EQ(kernel.run(3, 2, 1), sum) << kernel.name;
    EXPECT_EQ(kernel.flops_per_round(), 24 * kernel.lanes);
  }
}

class StreamCovers : public testing::TestWithParam<Stream::Kind> {};

TEST_P(StreamCovers, EveryElementOnceThePassIsWhole) {
  ThreadTeam team(allowed_cpus());
  const double arrays = GetParam() == Stream::Kind::copy ? 2 : 3;
  const std::size_t slice = static_cast<std::size_t>(arrays) * Stream::slice_elements * sizeof(double);
  const Mapping memory(slice * static_cast<std::size_t>(team.size()) * 5 + 100, Pages::small);
  Stream stream(GetParam(), {memory.data(), memory.bytes()}, team);
  EXPECT_EQ(stream.slices_per_member(), 5);
  EXPECT_EQ(stream.bytes(), slice * static_cast<std::size_t>(team.size()) * 5);
  EXPECT_EQ(stream.bytes_per_operation(), static_cast<double>(slice) * team.size());
  stream.walk(3);
  EXPECT_EQ(stream.largest_error(), 0);  // walks the two slices that are left
  stream.walk(13);
  EXPECT_EQ(stream.largest_error(), 0);
}

TEST_P(StreamCovers, AndFindsOneThatIsWrongOrWasNeverWritten) {
  ThreadTeam team({allowed_cpus().back()});
  const Mapping memory(6 * Stream::slice_elements * sizeof(double), Pages::small);
  Stream stream(GetParam(), {memory.data(), memory.bytes()}, team);
  const auto slices = static_cast<std::size_t>(stream.slices_per_member());
  stream.walk(stream.slices_per_member());
  double& last = stream.target()[slices * Stream::slice_elements - 1];
  last += 0.5;
  EXPECT_EQ(stream.largest_error(), 0.5);
  stream.target()[0] = std::nan("");
  EXPECT_TRUE(std::isnan(stream.largest_error()));
}

TEST_P(StreamCovers, AndRefusesMemoryForLessThanASlice) {
  ThreadTeam team({allowed_cpus().back()});
  const Mapping memory(1000, Pages::small);
  EXPECT_THROW(Stream(GetParam(), {memory.data(), memory.bytes()}, team), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Kinds, StreamCovers, testing::Values(Stream::Kind::copy, Stream::Kind::triad),
                         [](const auto& one) { return one.param == Stream::Kind::copy ? "copy" : "triad"; });

TEST(ThreadTeam, EveryMemberRunsEveryTaskOnItsOwnProcessor) {
  const std::vector<int> cpus = allowed_cpus();
  std::vector<int> runs(cpus.size(), 0);
  std::vector<std::vector<int>> where(cpus.size());
  {
    ThreadTeam team(cpus);
    ASSERT_EQ(team.size(), static_cast<int>(cpus.size()));
    for (int round = 0; round < 100; ++round) {
      team.run([&](int member) {
        ++runs[static_cast<std::size_t>(member)];
        where[static_cast<std::size_t>(member)] = allowed_cpus();
      });
    }
  }
  for (std::size_t member = 0; member < cpus.size(); ++member) {
    EXPECT_EQ(runs[member], 100);
    EXPECT_EQ(where[member], std::vector<int>{cpus[member]});
  }
  EXPECT_EQ(allowed_cpus(), cpus) << "the caller's affinity is put back";
}

TEST(ThreadTeam, RefusesAProcessorThatDoesNotExist) {
  EXPECT_THROW(ThreadTeam({8000}), std::system_error);
  EXPECT_THROW(ThreadTeam({allowed_cpus().front(), 8000}), std::system_error);
}

TEST(FutexPair, AnswersEveryWake) {
  const std::vector<int> cpus = allowed_cpus();
  for (const int there : {cpus.front(), cpus.back()}) {
    FutexPair pair(cpus.back(), there);
    for (const std::int64_t wakes : {1, 2, 3, 100, 101}) pair.exchange(wakes);
    EXPECT_TRUE(pair.answered());
    EXPECT_EQ(pair.wakes_answered(), 1 + 1 + 2 + 50 + 51);
  }
  EXPECT_EQ(allowed_cpus(), cpus);
}

TEST(ColdMemory, IsSharedByTheBenchmarksOfAProcess) {
  const std::vector<int> cpus = allowed_cpus();
  const std::span<std::byte> first = cold_memory(cpus);
  EXPECT_GT(first.size(), 0U);
  EXPECT_LE(first.size(), 4 * last_level_bytes(cpus));
  EXPECT_EQ(cold_memory(cpus).data(), first.data());
}

TEST(ColdBytes, AreWhatIsWantedWithinAQuarterOfMemoryAndTwoGibibytes) {
  constexpr std::size_t gib = std::size_t{1} << 30;
  EXPECT_EQ(cold_bytes(gib, 16 * gib), gib);
  EXPECT_EQ(cold_bytes(gib, 2 * gib), gib / 2);
  EXPECT_EQ(cold_bytes(9 * gib, 64 * gib), 2 * gib);
  EXPECT_EQ(cold_bytes(gib, 0), gib);  // unknown memory does not shrink it
}

TEST(Mapping, IsZeroedAlignedAndAsLargeAsAsked) {
  const Mapping memory(5'000'000, Pages::huge);
  EXPECT_EQ(memory.bytes(), 5'000'000U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % (2 << 20), 0U);
  EXPECT_TRUE(std::all_of(memory.data(), memory.data() + memory.bytes(),
                          [](std::byte b) { return b == std::byte{0}; }));
}

TEST(Mapping, NamesTheSizeThatTheSystemDoesNotGive) {
  try {
    const Mapping memory(std::size_t{1} << 60, Pages::small);
    FAIL() << "2^60 bytes were given";
  } catch (const std::bad_alloc& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("1152921504606846976 bytes"));
  }
}

}  // namespace
}  // namespace gpugauge::bench

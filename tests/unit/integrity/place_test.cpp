#include "integrity/place.hpp"

#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

namespace gpugauge::bench::integrity {
namespace {

using kernels::integrity::Faults;
using kernels::integrity::pattern;

TEST(TileFaults, says_nothing_when_all_is_the_same) {
  TileFaults faults(2, 64);
  faults.begin({1, 2, 3, 4}, {3, 2, 1, 0});
  faults.add({1, 2, 3, 4}, {0, 1, 2, 3});
  EXPECT_EQ(faults.count(), 0U);
  EXPECT_EQ(faults.sentence(), "");
}

TEST(TileFaults, names_tile_rows_columns_and_sm) {
  TileFaults faults(2, 64);
  faults.begin({1, 2, 3, 4}, {0, 1, 2, 3});
  faults.add({1, 2, 9, 4}, {10, 11, 12, 13});
  EXPECT_EQ(faults.count(), 1U);
  EXPECT_EQ(faults.sentence(), "1 tile differs; made by SM 12 (1); the first at rows 64-127, columns 0-63")
      << "one against one: the repeat is the suspect";
}

TEST(TileFaults, the_sm_with_the_most_wrong_tiles_comes_first) {
  TileFaults faults(4, 64);
  faults.begin({1, 1, 1, 1}, {0, 1, 2, 3});
  faults.add({1, 0, 1, 0}, {5, 7, 7, 9});
  faults.add({1, 1, 1, 2}, {9, 7, 5, 9});
  EXPECT_EQ(faults.count(), 3U);
  EXPECT_EQ(faults.sentence(),
            "3 tiles differ; made by SM 9 (2), SM 7 (1); the first at rows 0-63, columns 64-127");
  EXPECT_EQ(faults.sentence(1),
            "3 tiles differ; made by SM 9 (2) and 1 more; the first at rows 0-63, columns 64-127");
}

TEST(TileFaults, without_a_place_are_numbered) {
  TileFaults faults = TileFaults::numbered("transform");
  faults.begin({1, 2, 3}, {0, 1, 2});
  faults.add({1, 2, 9}, {10, 11, 12});
  EXPECT_EQ(faults.sentence(), "1 transform differs; made by SM 12 (1); the first is number 2");
  faults.add({1, 7, 3}, {10, 12, 11});
  EXPECT_EQ(faults.sentence(), "2 transforms differ; made by SM 12 (2); the first is number 1");
}

TEST(TileFaults, where_the_repeats_agree_the_first_run_was_wrong_and_its_sm_is_named) {
  TileFaults faults(2, 64);
  faults.begin({1, 2, 99, 4}, {10, 11, 17, 13});
  for (std::uint32_t repeat = 0; repeat < 5; ++repeat)
    faults.add({1, 2, 3, 4}, {repeat, repeat + 1, repeat + 2, repeat + 3});
  EXPECT_EQ(faults.count(), 1U);
  EXPECT_EQ(faults.sentence(),
            "1 tile of the first run differs from the repeats, which agree; made by SM 17 (1); the first at "
            "rows 64-127, columns 0-63");
  // A later fault is told beside it, of the same tile and of another.
  faults.add({1, 2, 98, 7}, {0, 1, 18, 18});
  EXPECT_EQ(faults.count(), 3U);
  EXPECT_EQ(
      faults.sentence(),
      "1 tile of the first run differs from the repeats, which agree; made by SM 17 (1); the first at "
      "rows 64-127, columns 0-63; 2 tiles differ; made by SM 18 (2); the first at rows 64-127, columns 0-63");
}

TEST(TileFaults, an_sm_that_is_wrong_in_the_first_run_and_again_is_named_alone) {
  TileFaults faults = TileFaults::numbered("transform");
  faults.begin({9, 2}, {17, 1});
  faults.add({1, 2}, {3, 4});
  faults.add({9, 2}, {17, 4});  // the same wrong bits
  faults.add({1, 2}, {5, 4});
  EXPECT_EQ(faults.sentence(), "2 transforms differ; made by SM 3 (1), SM 5 (1); the first is number 0")
      << "two against two";
  faults.add({1, 2}, {6, 4});
  EXPECT_EQ(
      faults.sentence(),
      "1 transform of the first run differs from the repeats, which agree; made by SM 17 (1); the first "
      "is number 0");
}

TEST(TileFaults, where_no_two_runs_agree_each_repeat_is_a_suspect) {
  TileFaults faults = TileFaults::numbered("transform");
  faults.begin({1}, {0});
  for (std::uint64_t repeat = 0; repeat < 9; ++repeat) faults.add({10 + repeat}, {7});
  EXPECT_EQ(faults.sentence(), "9 transforms differ; made by SM 7 (9); the first is number 0");
}

TEST(TileFaults, a_right_sum_that_comes_late_is_still_found) {
  TileFaults faults = TileFaults::numbered("transform");
  faults.begin({1}, {17});
  for (std::uint64_t repeat = 0; repeat < 3; ++repeat) faults.add({10 + repeat}, {17});
  for (int repeat = 0; repeat < 5; ++repeat) faults.add({2}, {3});
  EXPECT_EQ(
      faults.sentence(),
      "1 transform of the first run differs from the repeats, which agree; made by SM 17 (1); the first "
      "is number 0; 3 transforms differ; made by SM 17 (3); the first is number 0");
}

TEST(TileFaults, refuses_sums_that_do_not_belong_together) {
  TileFaults faults(2, 64);
  EXPECT_THROW(faults.begin({1}, {1, 2}), std::logic_error);
  faults.begin({1, 2}, {1, 2});
  EXPECT_THROW(faults.add({1}, {1}), std::logic_error);
  EXPECT_THROW(faults.add({1, 2}, {1}), std::logic_error);
}

TEST(Faults, are_told_by_bytes_bits_and_sms) {
  Faults faults;
  EXPECT_EQ(sentence_of(faults), "");
  faults.count = 3;
  faults.first = 512;
  faults.last = 516;
  faults.bits = 0x10;
  faults.sms[0] = 1U << 3;
  faults.sms[4] = 1U << 4;
  EXPECT_EQ(sentence_of(faults),
            "3 words differ, bytes 0x1000-0x1027 of the buffer, bits 0x10, read by SM 3, 132");
}

TEST(Pattern, no_two_words_are_alike_and_the_inverse_flips_every_bit) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    seen.insert(pattern(i, false));
    EXPECT_EQ(pattern(i, false) ^ pattern(i, true), ~std::uint64_t{0});
  }
  EXPECT_EQ(seen.size(), 10'000U);
  // Addresses that a missing line would make one: 32 GiB apart.
  EXPECT_NE(pattern(5, false), pattern(5 + (std::uint64_t{1} << 32), false));
}

}  // namespace
}  // namespace gpugauge::bench::integrity

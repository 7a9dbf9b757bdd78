// How much GPU memory the memory screen takes.
#include <gtest/gtest.h>

#include "integrity/amount.hpp"

namespace {

using namespace gpugauge::bench;
using integrity::screened_bytes;

constexpr std::size_t gibibyte = std::size_t{1} << 30;
constexpr std::size_t mebibyte = std::size_t{1} << 20;

GpuMemory card(std::size_t total_gib, std::size_t free_gib) {
  return {.total = total_gib * gibibyte, .free = free_gib * gibibyte};
}
GpuMemory integrated(std::size_t total_gib, std::size_t free_gib) {
  GpuMemory memory = card(total_gib, free_gib);
  memory.shared_with_host = true;
  return memory;
}

TEST(ScreenedBytes, of_a_card_are_all_but_a_tenth_and_the_runtimes_and_of_the_short_screen_16_gib) {
  EXPECT_EQ(screened_bytes(card(80, 79), true), 79 * gibibyte - 8 * gibibyte - 256 * mebibyte);
  EXPECT_EQ(screened_bytes(card(80, 79), false), 16 * gibibyte);
  EXPECT_EQ(screened_bytes(card(10, 8), false), 7 * gibibyte - 256 * mebibyte);
  EXPECT_EQ(screened_bytes(card(10, 8), true), 7 * gibibyte - 256 * mebibyte);
}

TEST(ScreenedBytes, leave_the_host_half_of_a_memory_that_is_its_own_too) {
  EXPECT_EQ(screened_bytes(integrated(120, 100), true), 16 * gibibyte);
  EXPECT_EQ(screened_bytes(integrated(120, 100), false), 16 * gibibyte);
  EXPECT_EQ(screened_bytes(integrated(30, 20), true), 10 * gibibyte);
  EXPECT_EQ(screened_bytes(integrated(30, 20), false), 10 * gibibyte);
  EXPECT_EQ(screened_bytes(integrated(30, 5), true), 2 * gibibyte - 256 * mebibyte)
      << "a tenth stays free here, too";
}

TEST(ScreenedBytes, are_none_where_less_than_a_gibibyte_can_be_had) {
  EXPECT_EQ(screened_bytes(card(80, 9), true), 0U);
  EXPECT_EQ(screened_bytes(card(80, 8), true), 0U);
  EXPECT_EQ(screened_bytes(card(80, 0), true), 0U);
  GpuMemory small{.total = 4 * gibibyte, .free = 2 * gibibyte - mebibyte};
  EXPECT_GT(screened_bytes(small, true), gibibyte);
  small.shared_with_host = true;
  EXPECT_EQ(screened_bytes(small, true), 0U) << "half of it is less";
}

TEST(ScreenedBytes, are_whole_mebibytes) {
  EXPECT_EQ(screened_bytes({.total = 0, .free = 3 * gibibyte + 5}, true), 3 * gibibyte - 256 * mebibyte);
}

}  // namespace

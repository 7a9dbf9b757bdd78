#include "judge/exit_style.hpp"

#include <array>

#include <gtest/gtest.h>

namespace gpugauge::judge {
namespace {

TEST(ExitStyle, EachTellsEveryCodeByItsOwnConventions) {
  // pass, regressed, tool error, cannot judge, inconclusive
  const auto of = [](ExitStyle style) {
    std::array<int, 5> out{};
    for (int code = 0; code < 5; ++code) out[static_cast<std::size_t>(code)] = exit_status(style, code);
    return out;
  };
  EXPECT_EQ(of(ExitStyle::ci), (std::array{0, 1, 2, 3, 4}));
  EXPECT_EQ(of(ExitStyle::nagios), (std::array{0, 2, 3, 3, 1}));
  EXPECT_EQ(of(ExitStyle::slurm), (std::array{0, 1, 0, 0, 0})) << "only what was shown may drain a node";
  EXPECT_EQ(of(ExitStyle::npd), (std::array{0, 1, 2, 2, 2}));
}

TEST(ExitStyle, WhatIsNoCodeIsAToolError) {
  for (const int code : {-1, 5, 255}) EXPECT_EQ(exit_status(ExitStyle::ci, code), 2);
}

TEST(ExitStyle, Words) {
  EXPECT_EQ(exit_styles(), "ci, nagios, slurm, npd");
  EXPECT_EQ(exit_style("ci"), ExitStyle::ci);
  EXPECT_EQ(exit_style("nagios"), ExitStyle::nagios);
  EXPECT_EQ(exit_style("slurm"), ExitStyle::slurm);
  EXPECT_EQ(exit_style("npd"), ExitStyle::npd);
  EXPECT_EQ(exit_style("icinga"), std::nullopt);
  EXPECT_EQ(nagios_word(0), "OK");
  EXPECT_EQ(nagios_word(1), "CRITICAL");
  EXPECT_EQ(nagios_word(3), "UNKNOWN");
  EXPECT_EQ(nagios_word(4), "WARNING");
}

}  // namespace
}  // namespace gpugauge::judge

#include "result/window.hpp"

#include <gtest/gtest.h>

namespace gpugauge::result {
namespace {

TEST(WindowSeconds, AreAShareThatCutsNoSecond) {
  EXPECT_EQ(window_seconds({.share = .5}, {.seconds = .5}), .25);
  EXPECT_EQ(window_seconds({.share = .5}, {.seconds = 1}), 1);
  EXPECT_EQ(window_seconds({.share = .5}, {.seconds = 4}), 2);
  EXPECT_EQ(window_seconds({.share = 8}, {.seconds = .25}), 2);
}

TEST(WindowSeconds, HoldTheMeanOfSmoke) {
  EXPECT_EQ(window_seconds({.smoke_mean = true}, {.seconds = .25, .mean_seconds = 1}), 1);
  EXPECT_EQ(window_seconds({.smoke_mean = true}, {.seconds = 2, .mean_seconds = 1}), 2);
  EXPECT_EQ(window_seconds({.smoke_mean = false}, {.seconds = .25, .mean_seconds = 1}), .25);
}

TEST(WindowSeconds, AreWhatIsAskedForSustainedLoad) {
  EXPECT_EQ(window_seconds({.share = 300, .sustained = true}, {.seconds = .2, .sustained_seconds = 3}), 3);
  EXPECT_EQ(window_seconds({.share = 300, .sustained = true}, {.seconds = .2}), 60);
  EXPECT_EQ(window_seconds({.share = 300}, {.seconds = .2, .sustained_seconds = 3}), 60);
}

}  // namespace
}  // namespace gpugauge::result

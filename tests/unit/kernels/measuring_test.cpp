// The parts of bench/support/cuda that are plain arithmetic.
#include <sstream>

#include <gtest/gtest.h>

#include "launch/fit_metrics.hpp"
#include "support/cuda/fit.hpp"
#include "support/cuda/mapped.hpp"
#include "support/cuda/rotation.hpp"

namespace {

using namespace gpugauge::bench::cuda;

TEST(RotationSets, hold_three_times_the_l2_together) {
  constexpr std::size_t mebibyte = 1 << 20;
  EXPECT_EQ(rotation_sets(96 * mebibyte, 50 * mebibyte), 2U);
  EXPECT_EQ(rotation_sets(150 * mebibyte, 50 * mebibyte), 1U);
  EXPECT_EQ(rotation_sets(150 * mebibyte - 1, 50 * mebibyte), 2U);
  EXPECT_EQ(rotation_sets(mebibyte, 50 * mebibyte), 150U);
  EXPECT_EQ(rotation_sets(mebibyte, 0), 1U);
}

TEST(RotationSets, of_what_is_held_against_the_bus_hold_sixteen_times_a_large_l2) {
  constexpr std::size_t mebibyte = 1 << 20;
  EXPECT_EQ(bus_rotation_sets(512 * mebibyte, 50 * mebibyte), 1U) << "as before on an H100";
  EXPECT_EQ(bus_rotation_sets(134 * mebibyte, 60 * mebibyte), 2U) << "as before on an H200";
  EXPECT_EQ(bus_rotation_sets(512 * mebibyte, 72 * mebibyte), 3U);
  EXPECT_EQ(bus_rotation_sets(512 * mebibyte, 128 * mebibyte), 4U);
  EXPECT_EQ(bus_rotation_sets(2048 * mebibyte, 128 * mebibyte), 1U);
  EXPECT_EQ(bus_rotation_sets(2048 * mebibyte - 1, 128 * mebibyte), 2U);
}

TEST(BusArrayBytes, are_a_gibibyte_or_sixteen_times_l2) {
  constexpr std::size_t mebibyte = 1 << 20;
  EXPECT_EQ(bus_array_bytes(0), 1024 * mebibyte);
  EXPECT_EQ(bus_array_bytes(60 * mebibyte), 1024 * mebibyte) << "as before on an H200";
  EXPECT_EQ(bus_array_bytes(96 * mebibyte), 1536 * mebibyte);
  EXPECT_EQ(bus_array_bytes(128 * mebibyte), 2048 * mebibyte);
  EXPECT_EQ(bus_array_bytes(128 * mebibyte + 1), 2049 * mebibyte);
}

TEST(Rotation, gives_sets_in_turn) {
  Rotation<int> rotation(3, 7);
  EXPECT_EQ(rotation.size(), 3U);
  EXPECT_EQ(rotation[0], 7);
  EXPECT_EQ(&rotation[0], &rotation[3]);
  EXPECT_NE(&rotation[0], &rotation[1]);
}

TEST(FitLine, finds_an_exact_line) {
  const Line line = fit_line({1, 4, 16, 64}, {2.5, 7, 25, 97});
  EXPECT_NEAR(line.fixed, 1, 1e-12);
  EXPECT_NEAR(line.slope, 1.5, 1e-12);
  EXPECT_NEAR(line.largest_residual, 0, 1e-12);
}

// Weights 1, 1/4 and 1/16: the normal equations, solved in fractions by hand. Unweighted it would be 5/6 and
// 3/4.
TEST(FitLine, minimises_relative_errors) {
  const Line line = fit_line({0, 2, 4}, {1, 2, 4});
  EXPECT_NEAR(line.fixed, 32.0 / 33, 1e-12);
  EXPECT_NEAR(line.slope, 7.0 / 11, 1e-12);
  EXPECT_NEAR(line.largest_residual, 4.0 / 33, 1e-12);
}

TEST(FitLine, refuses_what_has_no_line) {
  EXPECT_THROW(fit_line({1, 1}, {2, 3}), std::invalid_argument);
  EXPECT_THROW(fit_line({1, 2}, {2, 0}), std::invalid_argument);
  EXPECT_THROW(fit_line({1, 2}, {2}), std::invalid_argument);
  EXPECT_THROW(fit_line({}, {}), std::invalid_argument);
}

gpugauge::result::BenchmarkResult fitted(const std::vector<double>& nodes, const std::vector<double>& micro) {
  using namespace gpugauge::bench;
  static const Definition definition =
      define("launch", "fitted").isolates("x").bad_value("x").custom_metrics({"launch"}).body([](Trial&) {});
  const Instance instance{&definition, {}, "launch/fitted"};
  Trial trial(instance, Window{}, 1);
  std::vector<double> seconds;
  seconds.reserve(micro.size());
  for (const double one : micro) seconds.push_back(one * 1e-6);
  launch::add_fit(trial, "launch", "per_node", nodes, seconds);
  trial.verify("made for the test", true);
  return trial.finish();
}

// Graphs on an H100: one node takes the time of a plain launch, and pulled the line up at all others.
TEST(AddFit, judges_no_line_that_a_time_is_far_off) {
  const auto off = fitted({1, 4, 16, 64, 200}, {1.811302, 5.139555, 16.904620, 62.891425, 193.72});
  ASSERT_EQ(off.metrics.size(), 2U);
  for (const auto& metric : off.metrics) {
    EXPECT_FALSE(metric.judged) << metric.name;
    EXPECT_EQ(metric.note, "a time is 6.2% off the line, and a fit is judged up to 4.0%");
  }
  const auto on = fitted({4, 16, 64, 200}, {5.139555, 16.904620, 62.891425, 193.72});
  ASSERT_EQ(on.metrics.size(), 2U);
  EXPECT_EQ(on.metrics[0].name, "fixed");
  EXPECT_NEAR(on.metrics[0].value, 1.29e-6, 0.01e-6);
  EXPECT_EQ(on.metrics[1].name, "per_node");
  EXPECT_NEAR(on.metrics[1].value, 0.9657e-6, 0.001e-6);
  for (const auto& metric : on.metrics) EXPECT_TRUE(metric.judged) << metric.note;
}

TEST(AddFit, judges_no_part_that_is_not_above_zero) {
  const auto line = fitted({1, 2}, {1, 3});
  EXPECT_EQ(line.metrics[0].note, "no value above 0 was found");
  EXPECT_FALSE(line.metrics[0].judged);
  EXPECT_TRUE(line.metrics[1].judged);
}

TEST(MappedLibraries, names_each_file_once_and_shows_two_copies) {
  std::istringstream maps(
      "7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06\n"
      "7f01-7f02 r--p 00001000 08:01 1 /usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06\n"
      "7f02-7f03 r-xp 00000000 08:01 2 /opt/a b/libcudnn_ops.so.9.1.0\n"
      "7f03-7f04 r-xp 00000000 08:01 3 /usr/local/lib/libcudnn_ops.so.9.13.0\n"
      "7f04-7f05 r-xp 00000000 08:01 4 /usr/lib/libc.so.6\n"
      "7f05-7f06 rw-p 00000000 00:00 0 [heap]\n");
  const auto found = mapped_libraries(maps);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.at("libcuda"), "/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06");
  EXPECT_EQ(found.at("libcudnn_ops"), "/opt/a b/libcudnn_ops.so.9.1.0:/usr/local/lib/libcudnn_ops.so.9.13.0");
}

}  // namespace

// Comparisons of several buffers as one.
#include "support/cuda/comparison.hpp"

#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "support/cuda/candidates_tried.hpp"

namespace {

using gpugauge::bench::cuda::error_of;
using gpugauge::bench::cuda::together;
using gpugauge::kernels::Comparison;

TEST(Together, is_complete_where_each_is) {
  const Comparison both = together({{.elements = 5, .compared = 5}, {.elements = 7, .compared = 7}});
  EXPECT_TRUE(both.complete());
  EXPECT_EQ(both.elements, 12U);
  EXPECT_EQ(error_of(both), 0);
}

TEST(Together, adds_what_is_wrong_and_keeps_the_largest_error) {
  EXPECT_EQ(error_of(together({{.elements = 5, .compared = 5, .wrong = 2},
                               {.elements = 7, .compared = 7, .wrong = 3},
                               {.elements = 1, .compared = 1}})),
            5);
  EXPECT_EQ(error_of(together({{.elements = 5, .compared = 5, .error = 0.25},
                               {.elements = 7, .compared = 7, .error = 0.5},
                               {.elements = 1, .compared = 1, .error = 0.125}})),
            0.5);
}

// What one was compared too often does not make up for what another was not.
TEST(Together, is_not_complete_where_one_is_not_or_there_is_none) {
  EXPECT_FALSE(together({}).complete());
  EXPECT_FALSE(together({{.elements = 5, .compared = 6}, {.elements = 7, .compared = 6}}).complete());
  EXPECT_FALSE(together({{.elements = 5, .compared = 5}, {.elements = 7}}).complete());
  EXPECT_FALSE(together({{.elements = 5, .compared = 5}, {}}).complete()) << "one that was never begun";
  EXPECT_EQ(error_of(together({{}, {.elements = 5, .compared = 5}})), HUGE_VAL);
}

// The first is what a program gets: what is said of the fastest one must not take its place.
TEST(NoteNumerics, keeps_what_the_first_candidate_computes_beside_the_fastest) {
  namespace bench = gpugauge::bench;
  using bench::cuda::note_suffix;
  const bench::Definition definition = bench::define("numerics", "op").custom_metrics({"conv"});
  const bench::Instance instance = bench::instances_of(definition).front();
  bench::Trial trial(instance, {.batch_seconds = 1e-3, .seconds = 1e-3}, 7);
  const auto off_by = [](double error) {
    return Comparison{.elements = 5, .compared = 5, .wrong = 0, .error = error};
  };
  bench::cuda::note_numerics(trial, off_by(3e-8), note_suffix(0, 0));
  bench::cuda::note_numerics(trial, off_by(3e-5), note_suffix(4, 0));
  bench::cuda::note_numerics(trial, Comparison{.elements = 5, .compared = 4}, "_of_a_part");
  gpugauge::result::Metric metric;
  metric.name = "made_for_the_test";
  trial.metric(std::move(metric));
  trial.verify("made for the test", true);
  const auto notes = trial.finish().notes;
  EXPECT_EQ(notes.at("numerics"), "fp32");
  EXPECT_EQ(notes.at("numerics_best"), "tf32");
  EXPECT_FALSE(notes.contains("numerics_of_a_part"));
}

}  // namespace

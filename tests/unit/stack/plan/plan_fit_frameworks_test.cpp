#include <gtest/gtest.h>

#include "stack/plan/plan_fit.hpp"
#include "unit/stack/rules/cuda_world.hpp"

namespace gpugauge::stack {
namespace {

using world::v;

const Tables& frameworks_tables() {
  static const Tables made = world::tables();
  return made;
}

TEST(FrameworkCuda, AWheelOfItsOwnCudaFits) {
  EXPECT_EQ(fit_framework_cuda(frameworks_tables(), "torch", v("2.8.0"), v("12.8")).fit, Fit::works);
  const PairFit other = fit_framework_cuda(frameworks_tables(), "torch", v("2.8.0"), v("13.0"));
  EXPECT_EQ(other.fit, Fit::limited) << "a wheel carries its CUDA: it runs beside any toolkit";
  EXPECT_EQ(other.remedy, "Take CUDA 12.6, 12.8 or 12.9, or another release of PyTorch.");
  EXPECT_EQ(fit_framework_cuda(frameworks_tables(), "torch", v("9.9"), v("12.8")).reason,
            "The tables of this build end with PyTorch 2.8.");
  EXPECT_EQ(fit_framework_cuda(frameworks_tables(), "cupy", v("13.4"), v("12.8")).reason,
            "The tables know nothing of CuPy.");
}

TEST(FrameworkCuda, WhatLoadsTheSystemsCudaNeedsItsMajorVersion) {
  EXPECT_EQ(fit_framework_cuda(frameworks_tables(), "tensorflow", v("2.20.0"), v("12.8")).fit, Fit::works);
  EXPECT_EQ(fit_framework_cuda(frameworks_tables(), "tensorflow", v("2.20.0"), v("13.0")).fit, Fit::fails);
  EXPECT_EQ(fit_framework_cuda(frameworks_tables(), "jax", v("0.9.1"), v("12.4")).fit, Fit::works)
      << "12 means any 12.x";
  EXPECT_EQ(fit_framework_cuda(frameworks_tables(), "jax", v("0.9.1"), v("13.0")).fit, Fit::unknown)
      << "nobody read that row";
}

TEST(FrameworkDriver, TheBestWheelCounts) {
  const PairFit new_driver = fit_framework_driver(frameworks_tables(), "torch", v("2.8.0"), v("580.65.06"));
  EXPECT_EQ(new_driver.fit, Fit::works);
  EXPECT_NE(new_driver.reason.find("Its best wheel here is that for CUDA 12.9"), std::string::npos)
      << new_driver.reason;
  EXPECT_EQ(new_driver.first, "PyTorch 2.8.0");
  EXPECT_EQ(new_driver.second, "driver 580.65.06");
  EXPECT_EQ(fit_framework_driver(frameworks_tables(), "torch", v("2.8.0"), v("535.104.05")).fit,
            Fit::limited);
  EXPECT_EQ(fit_framework_driver(frameworks_tables(), "torch", v("2.8.0"), v("470.82")).fit, Fit::fails);
}

TEST(FrameworkCudnn, FollowsWhoBringsIt) {
  EXPECT_EQ(fit_framework_cudnn(frameworks_tables(), "torch", v("2.8.0"), v("12.8"), v("9.10.2")).fit,
            Fit::works);
  EXPECT_EQ(fit_framework_cudnn(frameworks_tables(), "torch", v("2.8.0"), v("12.8"), v("9.17.0")).fit,
            Fit::limited);
  EXPECT_EQ(
      fit_framework_cudnn(frameworks_tables(), "tensorflow", v("2.20.0"), std::nullopt, v("9.17.0")).fit,
      Fit::works);
  EXPECT_EQ(fit_framework_cudnn(frameworks_tables(), "tensorflow", v("2.20.0"), std::nullopt, v("9.2.0")).fit,
            Fit::fails);
  EXPECT_EQ(fit_framework_cudnn(frameworks_tables(), "tensorflow", v("2.20.0"), std::nullopt, v("8.9.6")).fit,
            Fit::fails);
}

TEST(FrameworkDriver, AWheelThatWasChosenCountsAlone) {
  const PairFit older =
      fit_framework_driver(frameworks_tables(), "torch", v("2.8.0"), v("580.65.06"), v("12.6"));
  EXPECT_NE(older.reason.find("Its best wheel here is that for CUDA 12.6"), std::string::npos)
      << older.reason;
  EXPECT_EQ(fit_framework_driver(frameworks_tables(), "torch", v("2.8.0"), v("580.65.06"), v("13.0")),
            fit_framework_driver(frameworks_tables(), "torch", v("2.8.0"), v("580.65.06")))
      << "no wheel of it";
}

TEST(FrameworkCudnn, ALowerBoundAndAnOptionalOneAreNoExactVersions) {
  struct Row {
    const char* framework;
    const char* release;
    const char* cuda;
    const char* cudnn;
    Fit fit;
  };
  const Row rows[] = {
      {"jax", "0.7.0", "12.8", "9.10.2", Fit::works},
      {"jax", "0.7.0", "12.8", "9.8.0", Fit::works},
      {"jax", "0.7.0", "12.8", "9.7.1", Fit::limited},
      {"jax", "0.7.0", "12.8", "8.9.7", Fit::limited},
      {"jax", "0.7.0", "12.8", "10.1", Fit::limited},
      {"jax", "0.10.1", "12.9", "9.10.2", Fit::works},
      {"jax", "0.10.1", "13.0", "9.10.2", Fit::limited},
      {"jax", "0.10.1", "13.0", "9.12.0", Fit::works},
      {"jax", "0.4.29", "12.3", "9.1", Fit::limited},
      {"tensorrt", "10.9", "12.8", "9.10.2", Fit::unknown},
      {"tensorrt", "10.0", "12.4", "8.8.1", Fit::unknown},
      {"tensorrt", "10.9", "12.8", "8.9.7", Fit::works},
      {"tensorrt", "9.3", "12.2", "9.10.2", Fit::fails},
  };
  for (const Row& row : rows) {
    const PairFit pair =
        fit_framework_cudnn(tables(), row.framework, v(row.release), v(row.cuda), v(row.cudnn));
    EXPECT_EQ(pair.fit, row.fit) << row.framework << " " << row.release << " cuDNN " << row.cudnn << ": "
                                 << pair.reason;
  }
  EXPECT_EQ(fit_framework_cudnn(tables(), "jax", v("0.10.1"), v("13.0"), v("9.10.2")).remedy,
            "Leave cuDNN to the wheel (9.12 or a newer 9).");
}

TEST(FrameworkGpu, TheWheelOfThatCudaCounts) {
  EXPECT_EQ(fit_framework_gpu(frameworks_tables(), "torch", v("2.8.0"), v("12.8"), v("10.0")).fit,
            Fit::works);
  EXPECT_EQ(fit_framework_gpu(frameworks_tables(), "torch", v("2.8.0"), v("12.8"), v("8.9")).fit, Fit::works)
      << "8.6 runs on 8.9";
  EXPECT_EQ(fit_framework_gpu(frameworks_tables(), "torch", v("2.8.0"), v("12.6"), v("10.0")).fit,
            Fit::unknown)
      << "PTX decides";
  EXPECT_EQ(fit_framework_gpu(frameworks_tables(), "torch", v("2.8.0"), v("12.8"), v("6.1")).fit, Fit::fails);
  EXPECT_EQ(fit_framework_gpu(frameworks_tables(), "torch", v("2.8.0"), v("12.6"), v("6.1")).fit, Fit::works);
  EXPECT_EQ(fit_framework_gpu(frameworks_tables(), "torch", v("2.8.0"), std::nullopt, v("6.1")).fit,
            Fit::works);
  EXPECT_EQ(fit_framework_gpu(frameworks_tables(), "tensorflow", v("2.20.0"), std::nullopt, v("9.0")).fit,
            Fit::unknown);
}

TEST(FrameworkPython, IsInTheList) {
  EXPECT_EQ(fit_framework_python(frameworks_tables(), "torch", v("2.8.0"), v("3.13.1")).fit, Fit::works);
  const PairFit newer = fit_framework_python(frameworks_tables(), "torch", v("2.8.0"), v("3.14"));
  EXPECT_EQ(newer.fit, Fit::fails);
  EXPECT_EQ(newer.limit, "python");
  EXPECT_EQ(fit_framework_python(frameworks_tables(), "jax", v("0.9.0"), v("3.12")).fit, Fit::unknown);
}

TEST(WithinRanges, ReadsTheListsOfTheTables) {
  EXPECT_EQ(within_ranges("3.10-3.13", v("3.10")), true);
  EXPECT_EQ(within_ranges("3.10-3.13", v("3.13.9")), true);
  EXPECT_EQ(within_ranges("3.10-3.13", v("3.14")), false);
  EXPECT_EQ(within_ranges("3.10-3.13", v("3.9")), false);
  EXPECT_EQ(within_ranges("2.7, 3.5-3.7", v("2.7")), true);
  EXPECT_EQ(within_ranges("2.7, 3.5-3.7", v("3.4")), false);
  EXPECT_EQ(within_ranges("3.11+", v("3.15")), true);
  EXPECT_EQ(within_ranges("3.11+", v("3.10")), false);
  EXPECT_EQ(within_ranges("", v("3.10")), std::nullopt);
  EXPECT_EQ(within_ranges("any", v("3.10")), std::nullopt);
  EXPECT_EQ(within_ranges("3.9-x", v("3.10")), std::nullopt);
}

}  // namespace
}  // namespace gpugauge::stack

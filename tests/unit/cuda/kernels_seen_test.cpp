// The switch that keeps CUPTI out of a process that it would end: needs no GPU.
#include "support/cuda/kernels_seen.hpp"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/trial.hpp"

namespace {

using namespace gpugauge::bench;

TEST(KernelsSeen, is_switched_off_before_anything_is_run_and_says_so) {
  const Definition definition =
      define("kernels", "seen").isolates("x").bad_value("x").custom_metrics({"launch"}).body([](Trial&) {});
  const Instance instance{&definition, {}, "kernels/seen"};
  Trial trial(instance, {}, 1);
  setenv("GPUGAUGE_KERNEL_NAMES", "off", 1);
  bool ran = false;
  const cuda::KernelsSeen seen = cuda::kernels_of(trial, nullptr, [&](cudaStream_t) { ran = true; });
  unsetenv("GPUGAUGE_KERNEL_NAMES");
  EXPECT_FALSE(ran);
  EXPECT_TRUE(seen.names.empty());
  EXPECT_EQ(seen.unknown_because, "GPUGAUGE_KERNEL_NAMES=off");

  cuda::note_kernels(trial, seen, "_best");
  gpugauge::result::Metric metric;
  metric.name = "any";
  trial.metric(metric);
  trial.verify("made for the test", true);
  EXPECT_EQ(trial.finish().notes.at("kernel_unknown_best"),
            "kernel names unknown: GPUGAUGE_KERNEL_NAMES=off");
}

}  // namespace

// How much of a window a GPU was at work.
#include <string>

#include <gtest/gtest.h>

#include "support/trial.hpp"

namespace {

using namespace gpugauge::bench;

// Half of the time passes between batches.
struct IdleTimer final : Timer {
  explicit IdleTimer(bool gpu) : gpu_(gpu) {}
  BatchTime time_batch(std::int64_t) override {
    const double start = steady_seconds();
    while (steady_seconds() - start < 2e-4) {
    }
    return {1e-4, 0};
  }
  void warm_up() override {}
  std::string name() const override { return "idle"; }
  double resolution_seconds() const override { return 1e-8; }
  bool times_gpu_at_work() const override { return gpu_; }

 private:
  bool gpu_;
};

gpugauge::result::BenchmarkResult measured(bool gpu) {
  static const Definition definition = define("trial", "op").quantity(Quantity::latency, "launch");
  const Instance instance = instances_of(definition).front();
  Trial trial(instance, {.batch_seconds = 1e-4, .seconds = 0.005}, 7);
  IdleTimer timer(gpu);
  trial.time(timer);
  trial.verify("made for the test", true);
  return trial.finish();
}

TEST(GpuBusyShare, is_that_of_the_batches_in_the_window) {
  const std::string said = measured(true).notes.at("gpu_busy_share");
  EXPECT_EQ(said.size(), 5U) << said;
  EXPECT_GT(std::stod(said), 0.0);
  EXPECT_LE(std::stod(said), 0.5);  // less where the machine is busy
}

TEST(GpuBusyShare, is_not_said_of_what_no_gpu_did) {
  EXPECT_EQ(measured(false).notes.count("gpu_busy_share"), 0U);
}

}  // namespace

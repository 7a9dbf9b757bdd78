// The host's figures beside a GPU's, where one command measured both.
#include "conductor/host_figures.hpp"

#include <gmock/gmock.h>

#include "diagnose/diagnose.hpp"

namespace gpugauge::conductor {
namespace {

report::DeviceReport device(const std::string& name, const std::vector<diagnose::Metric>& metrics) {
  report::DeviceReport out;
  out.rounds.emplace_back().device = name;
  out.observation.emplace().about.compared_with = "earlier";
  out.observation->metrics = metrics;
  out.diagnosis = diagnose::diagnose(*out.observation);
  return out;
}

diagnose::Metric figure(const std::string& metric_class, double factor) {
  diagnose::Metric out;
  out.metric_class = metric_class;
  out.factor = factor;
  return out;
}

TEST(HostFigures, StandBesideTheGpusThatAreNotWell) {
  std::vector<report::DeviceReport> devices{
      device("GPU-0", {figure("launch", 2)}),
      device("host", {figure("host_cpu", 1.5), figure("host_memory", 1), figure("integrity", 1)}),
      device("GPU-1", {figure("launch", 1)})};
  EXPECT_EQ(share_host_figures(devices), std::vector<std::size_t>{0});
  const auto& slow = devices[0].observation->metrics;
  ASSERT_EQ(slow.size(), 3u);
  EXPECT_EQ(slow[1], figure("host_cpu", 1.5));
  EXPECT_EQ(slow[2], figure("host_memory", 1));
  EXPECT_EQ(devices[0].diagnosis->sentence, diagnose::diagnose(*devices[0].observation).sentence);
  EXPECT_EQ(devices[1].observation->metrics.size(), 3u);
  EXPECT_EQ(devices[2].observation->metrics.size(), 1u);
  EXPECT_EQ(devices[2].diagnosis->state, diagnose::State::healthy);
  EXPECT_TRUE(share_host_figures(devices).empty()) << "once only";
  EXPECT_EQ(devices[0].observation->metrics.size(), 3u);
}

TEST(HostFigures, WithoutTheHostNothingChanges) {
  std::vector<report::DeviceReport> devices{device("GPU-0", {figure("launch", 2)})};
  share_host_figures(devices);
  EXPECT_EQ(devices[0].observation->metrics.size(), 1u);
  devices.push_back(device("host", {}));
  devices.back().observation.reset();
  share_host_figures(devices);
  EXPECT_EQ(devices[0].observation->metrics.size(), 1u);
}

TEST(HostFigures, AFrameworkIsNotBlamedForASlowProcessor) {
  diagnose::Metric torch = figure("launch", 2);
  torch.scope.framework = "torch";
  std::vector<report::DeviceReport> devices{device("GPU-0", {torch, figure("launch", 1)}),
                                            device("host", {figure("host_cpu", 2)})};
  const auto score = [&] {
    for (const auto& finding : devices[0].diagnosis->findings)
      if (finding.cause == "framework_launch_overhead") return finding.score;
    return 0.;
  };
  EXPECT_GE(score(), .7);
  share_host_figures(devices);
  EXPECT_LE(score(), .35);
}

}  // namespace
}  // namespace gpugauge::conductor

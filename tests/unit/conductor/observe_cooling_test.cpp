// A round may wait for its GPU to cool: what telemetry saw meanwhile is of no load.
#include <string>

#include <gmock/gmock.h>

#include "conductor/observe.hpp"
#include "report/summary.hpp"

namespace gpugauge::conductor {
namespace {

/// A round whose only process began after four seconds.
result::Run after_a_wait() {
  const std::string gpu = "gpu:GPU-0";
  result::Run run;
  run.device = "GPU-0";
  run.started = "2026-11-27T10:00:00Z";
  run.complete = true;
  run.fingerprint.device = {{"gpu.0.uuid", "GPU-0"}, {"gpu.0.name", "NVIDIA H100 80GB HBM3"}};
  result::Process process;
  process.family = "cublas";
  process.start_seconds = 4;
  process.wall_seconds = 2;
  run.processes = {process};
  run.telemetry = {{gpu, "sm_clock_hz", "hertz", {0, 1, 2, 3, 5}, {3e8, 3e8, 3e8, 3e8, 1.9e9}},
                   {gpu, "temperature_celsius", "celsius", {0, 1, 2, 3, 5}, {86, 80, 75, 70, 60}},
                   {gpu, "throttle_reasons", "1", {0, 1, 2, 3, 5}, {1, 1, 1, 1, 0}}};
  return run;
}

TEST(ObserveCooling, TakesNoTelemetryFromBeforeTheFirstProcess) {
  report::DeviceReport device;
  device.rounds = {after_a_wait()};
  const diagnose::Observation seen = observe(device, nullptr);
  EXPECT_EQ(seen.telemetry.at("sm_clock_mhz"), diagnose::Value(1900.0));
  EXPECT_EQ(seen.telemetry.at("temperature_c"), diagnose::Value(60.0));
  EXPECT_EQ(seen.telemetry.at("throttle_reasons"), diagnose::Value(diagnose::Value::List{"none"}));
}

}  // namespace
}  // namespace gpugauge::conductor

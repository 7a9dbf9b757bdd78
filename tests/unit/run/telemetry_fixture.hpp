// Collects GPU telemetry from a process that stands in for the command's own, or from our own child on a fake NVML.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake_family.hpp"
#include "run/telemetry_gpu.hpp"

namespace gpugauge::run {

/// Collects from a process that stands in for the command's own.
class GpuTelemetryTest : public ::testing::Test {
 protected:
  using Until = std::function<bool(const GpuTelemetry&)>;

  /// Waits until `until` holds, at most 30 s.
  std::vector<result::Series> collect(const Command& command, const Until& until,
                                      double first_answer_seconds = 30) {
    GpuTelemetry::Options options;
    options.command = command;
    options.first_answer_seconds = first_answer_seconds;
    Loop loop;
    double now = 0;
    GpuTelemetry telemetry(loop, options, [&] { return now++; });
    loop.run_for(30, [&] { return until(telemetry); });
    telemetry.finish();
    remark_ = telemetry.remark();
    return telemetry.series();
  }
  std::vector<result::Series> collect(const std::string& body, const Until& until,
                                      double first_answer_seconds = 30) {
    return collect(Command{fakes_.script("telemetry", body), {}, {}}, until, first_answer_seconds);
  }

  /// What the fake NVML answers from now on; never half of it.
  void scenario(const std::string& text) const {
    write_text(fakes_.path() / "next", text);
    std::filesystem::rename(fakes_.path() / "next", fakes_.path() / "scenario");
  }
  /// Values of the series of that name of the only GPU, or of the one whose UUID ends so.
  static std::vector<double> values_of(const std::vector<result::Series>& all, const std::string& name,
                                       const std::string& uuid_end = "") {
    for (const result::Series& one : all)
      if (one.name == name && one.source.ends_with(uuid_end)) return one.values;
    return {};
  }

  /// Our own child, on the fake NVML that answers as `text` says.
  Command nvml(const std::string& text) const {
    scenario(text);
    return {GPUGAUGE_TELEMETRY_CHILD,
            {"0.05"},
            {{"LD_LIBRARY_PATH", GPUGAUGE_FAKE_DRIVER},
             {"GPUGAUGE_FAKE_SCENARIO", (fakes_.path() / "scenario").string()}}};
  }

  /// From the fake NVML, which answers as `after` says as soon as the first line has come.
  std::vector<result::Series> collect_changed(const std::string& before, const std::string& after) {
    return collect(nvml(before), [&](const GpuTelemetry& telemetry) {
      if (!has_series(telemetry)) return false;
      scenario(after);
      return true;
    });
  }

  static bool has_failed(const GpuTelemetry& telemetry) { return !telemetry.remark().empty(); }
  static bool has_series(const GpuTelemetry& telemetry) { return !telemetry.series().empty(); }
  static bool has_ended(const GpuTelemetry& telemetry) { return !telemetry.alive(); }

  Fakes fakes_;
  std::string remark_;
};

}  // namespace gpugauge::run

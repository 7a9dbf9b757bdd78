#include "conductor/probe_nvml.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "result/stopwatch.hpp"
#include "run/stop_signals.hpp"
#include "run/telemetry_gpu.hpp"

namespace gpugauge::conductor {
namespace {

constexpr double patience_seconds = 15;  ///< a driver that answers later counts as hanging

std::vector<double> values_of(const std::vector<result::Series>& series, const std::string& uuid,
                              const std::string& name) {
  for (const result::Series& one : series)
    if (one.source == "gpu:" + uuid && one.name == name) return one.values;
  return {};
}

/// The median of the upper half: the value reached under load; nullopt for no values.
std::optional<double> reached(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2 + (values.size() - values.size() / 2) / 2];
}

/// The result of asking NVML for a while without a run.
struct Listened {
  std::vector<result::Series> series;
  std::string remark;
  double first_answer = -1;  ///< seconds; < 0 = no answer
  bool failed = false;       ///< its process ended or reported an error
  bool stopped = false;
};

Listened listen(double seconds, bool until_first_answer) {
  Listened out;
  const result::Stopwatch listening;
  const auto now = [&] { return listening.seconds(); };
  run::Loop loop;
  run::StopSignals watch(loop, [&](int) { out.stopped = true; });
  run::GpuTelemetry::Options options;
  options.command = run::telemetry_command();
  options.command.arguments.back() = "0.1";
  options.first_answer_seconds = seconds + 1;
  run::GpuTelemetry telemetry(loop, std::move(options), now);
  loop.run_for(seconds, [&] {
    if (out.first_answer < 0 && !telemetry.series().empty()) out.first_answer = now();
    return out.stopped || !telemetry.alive() || (until_first_answer && out.first_answer >= 0);
  });
  out.failed = !telemetry.alive() || !telemetry.remark().empty();
  telemetry.finish();
  watch.end();
  out.series = telemetry.series();
  if (out.first_answer < 0) out.remark = telemetry.remark();
  return out;
}

Found nvml_silent(const Listened& listened) {
  Found out;
  out.stopped = listened.stopped;
  out.no_answer = listened.stopped          ? "a signal asked the command to stop"
                  : listened.remark.empty() ? "NVML says nothing about it"
                                            : listened.remark;
  return out;
}

}  // namespace

Found link_of(const result::Run& run, const std::string& uuid, const diagnose::ProbeEntry& probe) {
  const auto value = [&](const char* name) { return reached(values_of(run.telemetry, uuid, name)); };
  const auto generation = value("pcie_generation");
  const auto generation_max = value("pcie_generation_max");
  const auto width = value("pcie_width");
  const auto width_max = value("pcie_width_max");
  Found out;
  if (!generation || !generation_max || !width || !width_max) {
    out.no_answer =
        run.remarks.empty() ? "NVML does not say what the link is and could be" : run.remarks.front();
    return out;
  }
  out.outcome = *generation < *generation_max || *width < *width_max ? "slow" : "normal";
  out.words = fmt::format("while it copied the link had generation {:g} of {:g} and {:g} of {:g} lanes",
                          *generation, *generation_max, *width, *width_max);
  out.detail = fmt::format("{}generation {:g} of {:g}, width {:g} of {:g}", probe.detail, *generation,
                           *generation_max, *width, *width_max);
  out.telemetry = {{"pcie_generation", *generation},
                   {"pcie_generation_max", *generation_max},
                   {"pcie_width", *width},
                   {"pcie_width_max", *width_max},
                   {"pcie_sampled", diagnose::Value("load")}};
  return out;
}

Found busy_while_idle(const std::string& uuid, double limit_seconds) {
  constexpr double seconds = 1.5;
  const Listened listened = listen(std::clamp(limit_seconds, .5, seconds), false);
  const auto busy = reached(values_of(listened.series, uuid, "utilization"));
  if (listened.stopped || !busy) return nvml_silent(listened);
  Found out;
  const double percent = *busy * 100;
  constexpr double somebody = 10;
  out.outcome = percent >= somebody ? "slow" : "normal";
  out.words =
      fmt::format("NVML says that it is busy {:.0f}% of the time while nothing of ours runs", percent);
  out.telemetry = {{"utilization_before_percent", percent}};
  return out;
}

Found time_to_answer(const diagnose::ProbeEntry& probe, double limit_seconds) {
  const double most = std::clamp(limit_seconds, 1.0, patience_seconds);
  const Listened listened = listen(most, true);
  constexpr double slow = 2;
  const bool never = listened.first_answer < 0;
  if (listened.stopped || (never && (listened.failed || most <= slow))) return nvml_silent(listened);
  Found out;
  out.outcome = never || listened.first_answer > slow ? "slow" : "succeeds";
  const std::string after =
      never ? fmt::format("more than {:.0f}", most) : fmt::format("{:.2f}", listened.first_answer);
  out.detail = std::string(probe.detail) + after;
  out.words = fmt::format("NVML's first answer took {} s", after);
  return out;
}

}  // namespace gpugauge::conductor

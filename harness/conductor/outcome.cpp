#include "conductor/outcome.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conductor/mentioned.hpp"
#include "judge/lost_gpu.hpp"

namespace gpugauge::conductor {
namespace {

/// The gravest finding on any device that ends with code 1; nullopt where there is none.
std::optional<judge::VerdictKind> gravest_found(const std::vector<report::DeviceReport>& devices) {
  for (const judge::VerdictKind kind : judge::fatal_kinds)
    for (const report::DeviceReport& device : devices)
      if (device.outcome.code == judge::ExitCode::regressed && device.outcome.found == kind) return kind;
  return std::nullopt;
}

judge::Outcome combine_devices(const std::vector<report::DeviceReport>& devices) {
  if (devices.size() == 1) return devices.front().outcome;
  const auto worst = std::max_element(devices.begin(), devices.end(), [](const auto& a, const auto& b) {
    return judge::graver(b.outcome.code, a.outcome.code);
  });
  if (worst == devices.end()) return {judge::ExitCode::cannot_judge, "cannot judge: no device was measured"};
  const judge::ExitCode code = worst->outcome.code;
  std::vector<std::string> labels;
  bool decided = true;
  for (const report::DeviceReport& device : devices) {
    if (device.outcome.code != code) continue;
    labels.push_back(device.label);
    decided = decided && device.outcome.decided;
  }
  const auto found = code == judge::ExitCode::regressed ? gravest_found(devices) : std::nullopt;
  const bool pass = code == judge::ExitCode::pass;  // of those that are fine nobody wants the names
  return {code,
          fmt::format("{}: {} of {} devices{}{}{}", found ? to_string(*found) : to_string(code),
                      labels.size(), devices.size(), pass ? "" : ": ",
                      pass ? "" : fmt::format("{}", fmt::join(labels, "; ")), mentioned(devices)),
          decided, found};
}

}  // namespace

std::vector<judge::Verdict> judge_node(const std::vector<judge::ChecksumSide>& devices) {
  std::vector<judge::Verdict> out = judge::judge_checksums_between(devices);
  for (judge::Verdict& verdict : judge::judge_lost_between(devices)) out.push_back(std::move(verdict));
  return out;
}

judge::Outcome combine(const std::vector<report::DeviceReport>& devices,
                       const std::vector<judge::Verdict>& node) {
  judge::Outcome out = combine_devices(devices);
  for (const judge::Verdict& verdict : node) {
    if (verdict.kind != judge::VerdictKind::failed) continue;
    out = {judge::ExitCode::regressed, fmt::format("failed: {}; {}", verdict.reason, out.sentence), true,
           judge::VerdictKind::failed};
  }
  return out;
}

judge::Outcome outcome(const report::Report& report, const Hindrance& hindrance) {
  judge::Outcome found = combine(report.devices, report.node);
  const bool shown = found.code == judge::ExitCode::regressed || found.code == judge::ExitCode::error;
  if (!hindrance.held.empty())
    return shown ? judge::Outcome{found.code,
                                  fmt::format("{}; {}; --wait SECONDS waits for it", found.sentence,
                                              hindrance.held),
                                  true, found.found}
                 : judge::Outcome{judge::ExitCode::cannot_judge,
                                  fmt::format("cannot judge: {}; nothing was measured; --wait SECONDS waits "
                                              "for it",
                                              hindrance.held)};
  if (hindrance.gpu_missing && !shown)
    return {judge::ExitCode::cannot_judge,
            report.devices.empty()
                ? "cannot judge: no usable GPU, nothing was measured"
                : "cannot judge: a GPU was asked for and none is usable; " + found.sentence};
  if (hindrance.stopped &&
      (found.code == judge::ExitCode::pass || found.code == judge::ExitCode::inconclusive))
    return {judge::ExitCode::cannot_judge,
            fmt::format("cannot judge: stopped after {} of {} devices; {}", report.devices.size(),
                        hindrance.wanted, found.sentence)};
  return found;
}

bool chose_all(const stack::GpuReport& gpus, const std::vector<Chosen>& chosen) {
  return !gpus.gpus.empty() && std::all_of(gpus.gpus.begin(), gpus.gpus.end(), [&](const stack::Gpu& gpu) {
    return std::any_of(chosen.begin(), chosen.end(),
                       [&](const Chosen& one) { return one.target.selection == gpu.uuid; });
  });
}

bool looked_at_all(const report::Report& report, const stack::GpuReport& gpus,
                   const std::vector<Chosen>& chosen, const std::vector<std::string>& narrowed) {
  const auto to_the_end = [](const report::DeviceReport& device) {
    return !device.interrupted && device.broke_off.empty() && !device.rounds.empty() &&
           device.rounds.back().complete;
  };
  return narrowed.empty() && report.devices.size() == chosen.size() && chose_all(gpus, chosen) &&
         std::all_of(report.devices.begin(), report.devices.end(), to_the_end);
}

}  // namespace gpugauge::conductor

#include "conductor/node_check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "baseline/kept_file.hpp"
#include "conductor/node_fingerprint.hpp"
#include "conductor/observe.hpp"
#include "result/time.hpp"
#include "stack/environment.hpp"
#include "stack/inventory/collect.hpp"
#include "stack/inventory/rdma_ports.hpp"

namespace gpugauge::conductor {
namespace {

/// One that was wanted stands among the families of the round.
bool is_in_round(const SilentFamily& family, const report::DeviceReport& device) {
  if (device.rounds.empty()) return false;
  const std::vector<result::Process>& processes = device.rounds.front().processes;
  return std::any_of(processes.begin(), processes.end(),
                     [&](const result::Process& process) { return process.family == family.name; });
}

}  // namespace

void refuse_links_in_check(const std::filesystem::path& state) {
  for (const char* const folder : {"baselines", "site", "verdicts", "monitor"})
    baseline::refuse_links_in_state(state / folder);
  std::error_code none_yet;
  for (std::filesystem::directory_iterator verdict(state / "verdicts", none_yet), end;
       !none_yet && verdict != end; verdict.increment(none_yet))
    baseline::refuse_links_in_state(verdict->path());
}

judge::NodeFound found_on(const stack::GpuReport& gpus, const stack::Inventory& node) {
  judge::NodeFound out;
  if (gpus.state == stack::GpuState::usable)
    for (const stack::Gpu& gpu : gpus.gpus) out.models.push_back(gpu.name);
  for (const stack::RdmaPort& port : stack::certain_rdma_ports(node))
    if (port.active()) out.rdma_gigabits.push_back(port.gigabits().value_or(0));
  return out;
}

stack::Findings why_no_gpu(const stack::Inventory& node, const std::string& today) {
  const stack::RuleInput input{node, stack::tables(), stack::Policy::development, today};
  stack::Findings found;
  stack::check_start_up(input, found);
  if (found.empty()) found = stack::diagnose_stack(input);
  std::erase_if(found, [](const stack::Finding& one) { return one.severity != stack::Severity::failure; });
  return found;
}

NoGpu ask_why_no_gpu(const stack::GpuReport& gpus, stack::Inventory& node, const std::string& today) {
  stack::Context context;
  context.environment = stack::current_environment();
  constexpr double once_more_seconds = 5;
  if (gpus.state == stack::GpuState::error && gpus.code == 0) context.timeout_seconds = once_more_seconds;
  stack::collect_gpus(context, node);
  return {why_no_gpu(node, today), observe_unusable(gpus, node_fingerprint(gpus), node, result::utc_now())};
}

void say_what_was_left_out(report::DeviceReport& device, const std::vector<SilentFamily>& silent,
                           bool node_left_out) {
  for (const SilentFamily& family : silent)
    if (!is_in_round(family, device)) device.remarks.push_back(sentence(family));
  if (node_left_out)
    device.remarks.emplace_back(
        "What the policy expects of the node was not looked at: only the host was asked for.");
}

void keep_and_say(const std::filesystem::path& state, report::DeviceReport& device, const Narrowed& narrowed,
                  const stack::GpuReport& gpus, const stack::MachineNow& now) {
  const auto profile = keep_verdict(state, device, narrowed, gpus, now);
  if (!profile) return;
  device.remarks.push_back(fmt::format(
      "An earlier check in this boot failed this device. `gpugauge status` goes on to say so until a check "
      "of the whole device{} decides otherwise.",
      profile->empty() ? "" : fmt::format(" by profile {} or a deeper one", *profile)));
}

InTurn check_in_turn(CheckOptions options, const std::vector<Chosen>& chosen, const stack::GpuReport& gpus,
                     bool said, const std::function<void(report::DeviceReport)>& take) {
  std::size_t taken = 0;
  for (const auto& [target, choice] : chosen) {
    bool stop = false;
    try {
      report::DeviceReport device = check(options, target, choice, gpus);
      options.spent_seconds += device.further_seconds;
      // What could not be measured of one device keeps no other from being measured; a signal does.
      stop = device.told_to_stop || device.stopped_when_decided;
      take(std::move(device));
      ++taken;
    } catch (const std::exception& error) {
      // What was said before stays said; without it the error is all that there is to say.
      if (taken == 0 && !said) throw;
      return {true, fmt::format("{}: {}", target.label, error.what())};
    }
    if (stop) return {taken < chosen.size(), ""};
  }
  return {};
}

void judge_together(report::Report& report, const stack::GpuReport& gpus, const std::vector<Chosen>& chosen,
                    const judge::Policy& policy, const Hindrance& hindrance,
                    const std::function<Shown()>& shown) {
  std::vector<judge::ChecksumSide> sides;
  for (const report::DeviceReport& device : report.devices) sides.push_back({device.label, device.rounds});
  for (judge::Verdict& verdict : judge_node(sides)) report.node.push_back(std::move(verdict));
  if (chose_all(gpus, chosen))
    for (judge::Verdict& verdict : judge_gone_cards(report.devices, policy, shown()))
      report.node.push_back(std::move(verdict));
  report.outcome = outcome(report, hindrance);
}

}  // namespace gpugauge::conductor

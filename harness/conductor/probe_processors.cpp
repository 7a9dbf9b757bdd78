#include "conductor/probe_processors.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "result/number.hpp"
#include "result/processor_list.hpp"
#include "stack/tree.hpp"

namespace gpugauge::conductor {
namespace {

/// The NUMA node of the device's GPU; nullopt where the kernel reports none.
std::optional<int> node_of_gpu(const ProbeContext& context) {
  const result::Fingerprint& fingerprint = context.device.rounds.front().fingerprint;
  constexpr std::string_view uuid = "uuid";
  for (const auto& [name, value] : fingerprint.device) {
    if (!name.ends_with(".uuid") || value != context.target.selection) continue;
    const auto found = fingerprint.topology.find(name.substr(0, name.size() - uuid.size()) + "numa_node");
    if (found == fingerprint.topology.end()) return std::nullopt;
    // -1 is no node from the firmware; words are absent and unreadable
    const auto node = result::number_in<int>(found->second);
    return node && *node >= 0 ? node : std::nullopt;
  }
  return std::nullopt;
}

std::vector<int> processors_of_node(int node) {
  return result::parse_processors(
      stack::Tree("/").read(fmt::format("/sys/devices/system/node/node{}/cpulist", node)).text);
}

bool all_among(const std::vector<int>& some, const std::vector<int>& those) {
  return std::includes(those.begin(), those.end(), some.begin(), some.end());
}

ChosenProcessors no_processors(std::string why) {
  ChosenProcessors out;
  out.why_none = std::move(why);
  return out;
}

ChosenProcessors every_processor(bool pinned) {
  const std::vector<int> allowed = run::allowed_processors();
  ChosenProcessors out = processors_left_of(
      result::parse_processors(stack::Tree("/").read("/sys/devices/system/cpu/online").text));
  if (!out.why_none.empty()) return out;
  if (out.processors == allowed)
    return no_processors("the control group allows no other processors than these");
  if (pinned)
    std::erase_if(out.processors, [&](int processor) {
      return std::find(allowed.begin(), allowed.end(), processor) != allowed.end();
    });
  out.detail =
      fmt::format("{} ({})", pinned ? "the others" : "all of them", result::processors_text(out.processors));
  return out;
}

ChosenProcessors those_idle(const std::function<bool(double)>& wait) {
  const stack::Tree tree("/");
  const std::string before = tree.read("/proc/stat").text;
  ChosenProcessors out;
  out.stopped = !wait(1);
  if (out.stopped) return out;
  out.processors = idle_processors(run::allowed_processors(), before, tree.read("/proc/stat").text);
  if (out.processors.empty()) return no_processors("no processor that it may use was idle");
  out.detail = " " + result::processors_text(out.processors);
  return out;
}

ChosenProcessors those_of_the_gpu(const ProbeContext& context) {
  const std::optional<int> node = node_of_gpu(context);
  ChosenProcessors out;
  if (node) out.processors = processors_of_node(*node);
  if (out.processors.empty())
    return no_processors("the kernel does not say to which NUMA node the GPU belongs");
  out = processors_left_of(out.processors);
  if (!out.why_none.empty()) return out;
  out.detail = fmt::format("{}: {}", *node, result::processors_text(out.processors));
  return out;
}

}  // namespace

ChosenProcessors choose_processors(diagnose::Processors which, bool pinned, const ProbeContext& context,
                                   const std::function<bool(double)>& wait) {
  switch (which) {
    case diagnose::Processors::all:
      return every_processor(pinned);
    case diagnose::Processors::idle:
      return those_idle(wait);
    case diagnose::Processors::local_to_gpu:
      return those_of_the_gpu(context);
    case diagnose::Processors::as_they_are:
      break;
  }
  return {};
}

ChosenProcessors processors_left_of(const std::vector<int>& processors) {
  ChosenProcessors out;
  try {
    const run::Confined confined(processors);
    out.processors = run::allowed_processors();
  } catch (const std::system_error& error) {
    return no_processors(error.what());
  }
  return out;
}

std::vector<int> idle_processors(const std::vector<int>& allowed, const std::string& before,
                                 const std::string& after) {
  constexpr double idle = .9;
  const std::map<int, double> shares = run::idle_shares(before, after);
  std::vector<int> out;
  for (const int processor : allowed)
    if (const auto found = shares.find(processor); found != shares.end() && found->second >= idle)
      out.push_back(processor);
  return out;
}

bool needs_pinning(const ProbeContext& context) {
  if (context.target.kind != DeviceKind::gpu) return false;
  const std::optional<int> node = node_of_gpu(context);
  if (!node) return false;
  const std::vector<int> local = processors_of_node(*node);
  return !local.empty() && !all_among(run::allowed_processors(), local);
}

}  // namespace gpugauge::conductor

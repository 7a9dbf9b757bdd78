// The loss above which a metric regresses: tolerances per class, each with its reason.
#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "judge/class_mean.hpp"
#include "judge/judge_peers.hpp"
#include "judge/per_clock.hpp"
#include "judge/pinned.hpp"
#include "result/pattern.hpp"

namespace gpugauge::judge {
namespace {

struct Row {
  std::string_view metric_class;
  double tolerance;
  std::string_view reason;
};

/// what a round-based gate can see on a device of its own (see tests/simulation)
constexpr double general = .03;

/// Classes without a row have the general tolerance.
constexpr std::array table{
    Row{"launch", .05,
        "microseconds of processor time: moves with caches, interrupts and the processor's clock"},
    Row{"first_launch", .05, "file cache and loader of the host take part"},
    Row{"init", .05, "file cache and loader of the host take part"},
    Row{"alloc", .05, "microseconds of processor time, and the state of the driver's heaps"},
    Row{"sync", .05, "microseconds of processor time, and wake-up by the scheduler"},
    Row{"coll_large", .05, "many devices and links: the slowest of them is measured"},
    Row{"coll_small", .05,
        "microseconds on many devices and links: the slowest of them, or one way's start of a copy"},
    Row{"host_cpu", .10,
        "hosts are shared and virtual: neighbours and turbo steps move them by several percent"},
    Row{"host_memory", .10,
        "hosts are shared and virtual: neighbours and page placement move them by several percent"},
    Row{"framework_op", .05, "the framework's own dispatch comes on top of the library's kernel"},
    Row{"application", .05, "what it does is not known here; a policy file says it better"},
};

/// Healthy devices of one model differ where the power limit sets the clock: published spreads of matrix
/// products run from 4 to 8%. Memory, links and launches lie within 1 to 2%.
constexpr double between_power_limited = .08;

bool power_limited(std::string_view metric_class) {
  constexpr std::array classes{"gemm64", "gemm32", "gemmtf32", "gemm16", "gemm8", "conv", "attention"};
  return std::find(classes.begin(), classes.end(), metric_class) != classes.end();
}

/// The tolerance of the policy's last matching entry for a metric or class mean. Entries that do not name
/// classes, above all "*", apply to metrics only: no class mean needs as much.
std::optional<double> by_name(const Policy& policy, const std::string& key) {
  const std::string classes = class_key("");
  const bool of_class = key.starts_with(classes);
  std::optional<double> value;
  for (const MetricRule& rule : policy.metrics)
    if (rule.tolerance && rule.pattern.starts_with(classes) == of_class && result::matches(rule.pattern, key))
      value = rule.tolerance;
  return value;
}

}  // namespace

double tolerance(const Policy& policy, const std::string& metric_class) {
  if (!result::is_class(metric_class))
    throw std::invalid_argument(fmt::format("'{}' is no class of metrics", metric_class));
  double value = general;
  for (const Row& row : table) {
    if (row.metric_class == metric_class) value = row.tolerance;
  }
  if (const auto set = policy.tolerance.find(metric_class); set != policy.tolerance.end())
    value = set->second;
  if (!(value > 0 && value < 1))
    throw std::invalid_argument(
        fmt::format("the tolerance of {} is {}; it must be above 0 and below 1", metric_class, value));
  return value;
}

double tolerance(const Policy& policy, const std::string& metric_class, const std::string& key) {
  return by_name(policy, key).value_or(tolerance(policy, metric_class));
}

double class_mean_tolerance(const Policy& policy, const std::string& metric_class) {
  return by_name(policy, class_key(metric_class))
      .value_or(class_mean_share * tolerance(policy, metric_class));
}

const MetricRule* advisory_rule(const Policy& policy, const std::string& key) {
  const MetricRule* found = nullptr;
  for (const MetricRule& rule : policy.metrics)
    if (rule.advisory && result::matches(rule.pattern, key)) found = *rule.advisory ? &rule : nullptr;
  return found;
}

void apply_advisory(const Policy& policy, Verdict& verdict) {
  const MetricRule* rule = advisory_rule(policy, verdict.metric);
  if (rule == nullptr || verdict.advisory) return;
  if (verdict.kind == VerdictKind::failed) {
    verdict.reason += "; the policy calls it advisory, but what is wrong or impossible always counts";
    return;
  }
  verdict.advisory = true;
  verdict.reason += fmt::format("; advisory by the policy{}", rule->why.empty() ? "" : ": " + rule->why);
}

void apply_advisory(const Policy& policy, std::vector<Verdict>& physical) {
  for (Verdict& verdict : physical)
    if (verdict.kind == VerdictKind::failed ||
        (verdict.kind == VerdictKind::inconclusive && verdict.may_be_meant))
      apply_advisory(policy, verdict);
}

double between_nodes(const std::string& metric_class, std::string_view key) {
  // A published range of 8% over hundreds of cards is about four standard deviations; other classes lie
  // within 1 to 2%.
  constexpr double power = .02;
  constexpr double others = .01;
  // an assumption: processors of one name run at different speeds in different racks
  constexpr double hosts = .05;
  if (metric_class == "host_cpu" || metric_class == "host_memory") return hosts;
  return power_limited(metric_class) && !is_per_clock(key) ? power : others;
}

double peer_tolerance(const Policy& policy, const std::string& metric_class) {
  const double own = tolerance(policy, metric_class);
  const bool set = policy.tolerance.contains(metric_class);
  return !set && power_limited(metric_class) ? std::max(own, between_power_limited) : own;
}

double peer_tolerance(const Policy& policy, const std::string& metric_class, const std::string& key) {
  return by_name(policy, key)
      .value_or(is_per_clock(key) ? tolerance(policy, metric_class) : peer_tolerance(policy, metric_class));
}

}  // namespace gpugauge::judge

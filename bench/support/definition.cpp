// What a benchmark declares, and its words.
#include "support/definition.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "support/warm_up.hpp"

namespace gpugauge::bench {

namespace {

// Classes that keep the Tensor Cores, or all CUDA cores, busy.
bool draws_power(const std::string& metric_class) {
  return metric_class.rfind("gemm", 0) == 0 || metric_class == "conv" || metric_class == "attention";
}

void need_classes(const Definition& definition, const std::vector<std::string>& names) {
  if (names.empty())
    throw std::invalid_argument(fmt::format("benchmark {}: its metrics need a class", definition.id()));
  for (const std::string& name : names)
    if (!result::is_class(name))
      throw std::invalid_argument(
          fmt::format("benchmark {}: '{}' is not a class of result::classes", definition.id(), name));
}

}  // namespace

Definition::Definition(std::string family_name, std::string op_name)
    : family(std::move(family_name)), op(std::move(op_name)) {}

Definition& Definition::isolates(std::string sentence) {
  isolates_text = std::move(sentence);
  return *this;
}

Definition& Definition::bad_value(std::string sentence) {
  bad_value_text = std::move(sentence);
  return *this;
}

Definition& Definition::variant(std::string name) {
  variant_name = std::move(name);
  return *this;
}

Definition& Definition::axis(std::string name, std::vector<std::string> values) {
  axes.push_back({std::move(name), std::move(values)});
  return *this;
}

Definition& Definition::quantity(Quantity quantity, std::string class_name) {
  need_classes(*this, {class_name});
  quantity_kind = quantity;
  metric_classes = {class_name};
  metric_class = std::move(class_name);
  return *this;
}

Definition& Definition::statistics(std::vector<Statistic> statistics) {
  statistic_kinds = std::move(statistics);
  return *this;
}

Definition& Definition::custom_metrics(std::vector<std::string> classes) {
  need_classes(*this, classes);
  is_custom = true;
  metric_class = classes.front();
  metric_classes = std::move(classes);
  return *this;
}

Definition& Definition::classes_of(const std::string& axis, const std::string& value,
                                   std::vector<std::string> classes) {
  need_classes(*this, classes);
  value_classes.push_back({axis, value, std::move(classes)});
  return *this;
}

Definition& Definition::requires_gpu(int minimum_compute_capability) {
  requirements.gpu = true;
  requirements.minimum_compute_capability = minimum_compute_capability;
  return *this;
}

Definition& Definition::requires_gpu_of(int compute_capability) {
  requirements.only_that_compute_capability = true;
  return requires_gpu(compute_capability);
}

Definition& Definition::stands_in_below(int compute_capability) {
  requirements.gpu = true;
  requirements.below_compute_capability = compute_capability;
  return *this;
}

Definition& Definition::stands_in_on(std::vector<int> compute_capabilities) {
  requirements.gpu = true;
  requirements.instead_on = std::move(compute_capabilities);
  return *this;
}

Definition& Definition::requires_devices(int count) {
  requirements.gpu = true;
  requirements.devices = count;
  return *this;
}

Definition& Definition::from(Depth depth) {
  default_depth = depth;
  return *this;
}

Definition& Definition::from(Depth depth, const std::string& axis, const std::vector<std::string>& values) {
  for (const std::string& value : values) value_depths.push_back({axis, value, depth});
  return *this;
}

Definition& Definition::batch_seconds(double seconds) {
  batch_target_seconds = seconds;
  return *this;
}

Definition& Definition::window_share(double share) {
  window_factor = share;
  return *this;
}

Definition& Definition::also_takes(double seconds) {
  extra_seconds = seconds;
  return *this;
}

Definition& Definition::saturating() {
  is_saturating = true;
  return *this;
}

Definition& Definition::sustained() {
  is_sustained = true;
  return *this;
}

Definition& Definition::power_heavy() {
  is_power_heavy = true;
  return *this;
}

Definition& Definition::memory_bound() {
  is_memory_bound = true;
  return *this;
}

Definition& Definition::deterministic() {
  is_deterministic = true;
  return *this;
}

Definition& Definition::beside(std::string name, std::function<std::string(const Instance&)> other) {
  beside_name = std::move(name);
  beside_id = std::move(other);
  return *this;
}

Definition& Definition::body(std::function<void(Trial&)> function) {
  run = std::move(function);
  return *this;
}

std::string Definition::id() const {
  return variant_name.empty() ? family + "/" + op : family + "/" + op + "/" + variant_name;
}

std::string Definition::unit() const {
  if (!quantity_kind) return "";
  switch (*quantity_kind) {
    case Quantity::latency:
      return "second";
    case Quantity::bandwidth:
      return "byte/second";
    case Quantity::throughput:
      return "flop/second";
    case Quantity::rate:
      return "operation/second";
  }
  return "";
}

bool Definition::draws_much_power() const {
  return is_power_heavy || draws_power(metric_class);
}

double Definition::warm_seconds() const {
  constexpr double stated_by_families = 0.05;  // of the usual warm-up, which this replaces
  return draws_much_power() && requirements.gpu ? power_warm_up.shortest - stated_by_families : 0;
}

std::string Definition::metric_name(Statistic statistic) const {
  if (!quantity_kind) return "";
  const std::string base = to_string(*quantity_kind);
  return statistic == Statistic::median ? base : base + "_" + to_string(statistic);
}

std::string to_string(Quantity quantity) {
  switch (quantity) {
    case Quantity::latency:
      return "latency";
    case Quantity::bandwidth:
      return "bandwidth";
    case Quantity::throughput:
      return "throughput";
    case Quantity::rate:
      return "rate";
  }
  return "";
}

std::string to_string(Statistic statistic) {
  switch (statistic) {
    case Statistic::median:
      return "median";
    case Statistic::mean:
      return "mean";
    case Statistic::p90:
      return "p90";
    case Statistic::p99:
      return "p99";
    case Statistic::minimum:
      return "minimum";
  }
  return "";
}

std::string to_string(Depth depth) {
  switch (depth) {
    case Depth::smoke:
      return "smoke";
    case Depth::quick:
      return "quick";
    case Depth::standard:
      return "standard";
    case Depth::deep:
      return "deep";
    case Depth::exhaustive:
      return "exhaustive";
  }
  return "";
}

Depth depth_from(const std::string& word) {
  const std::vector<Depth> all{Depth::smoke, Depth::quick, Depth::standard, Depth::deep, Depth::exhaustive};
  std::string words;
  for (const Depth depth : all) {
    if (to_string(depth) == word) return depth;
    words += (words.empty() ? "" : ", ") + to_string(depth);
  }
  throw std::invalid_argument(fmt::format("'{}' is no depth; there are {}", word, words));
}

Depth Instance::depth() const {
  std::optional<Depth> deepest;
  for (const Definition::DepthOfValue& one : definition->value_depths) {
    const auto chosen = parameters.find(one.axis);
    if (chosen != parameters.end() && chosen->second == one.value)
      deepest = std::max(deepest.value_or(one.depth), one.depth);
  }
  return deepest.value_or(definition->default_depth);
}

std::string Instance::beside() const {
  return definition->beside_id ? definition->beside_id(*this) : "";
}

const std::vector<std::string>& Instance::metric_classes() const {
  for (const Definition::ClassesOfValue& one : definition->value_classes) {
    const auto chosen = parameters.find(one.axis);
    if (chosen != parameters.end() && chosen->second == one.value) return one.classes;
  }
  return definition->metric_classes;
}

result::Direction direction(Quantity quantity) {
  return quantity == Quantity::latency ? result::Direction::lower : result::Direction::higher;
}

Definition define(std::string family, std::string op) {
  return {std::move(family), std::move(op)};
}

}  // namespace gpugauge::bench

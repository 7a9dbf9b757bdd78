// Questions about telemetry and inventory.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "diagnose/seen.hpp"
#include "diagnose/vocabulary.hpp"
#include "stack/compat/version.hpp"

namespace gpugauge::diagnose {
namespace {

std::string equation(std::string_view key, const Value& value) {
  return value.is_null() ? fmt::format("{} is absent", key) : fmt::format("{} = {}", key, value.text());
}

/// True when a null value of this key means that there is none.
bool absent_tells(std::string_view name) {
  return std::any_of(inventory_keys.begin(), inventory_keys.end(),
                     [&](const Key& key) { return key.name == name && key.absent_tells; });
}

const Value* find(const std::map<std::string, Value>& table, std::string_view key) {
  const auto found = table.find(std::string(key));
  return found == table.end() || found->second.tells_nothing() ? nullptr : &found->second;
}

/// The reasons as nvidia-smi -q prints them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> printed_reasons{
    {{"sw_power_cap", "SW Power Cap*: Active"},
     {"hw_slowdown", "HW Slowdown*: Active"},
     {"hw_thermal", "HW Thermal Slowdown*: Active"},
     {"hw_power_brake", "HW Power Brake Slowdown*: Active"},
     {"sw_thermal", "SW Thermal Slowdown*: Active"},
     {"applications_clocks", "Applications Clocks Setting*: Active"}}};

/// True when a list of the vocabulary has this key.
template <typename Keys>
bool is_key(const Keys& keys, std::string_view name) {
  return std::any_of(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
}

}  // namespace

const Value* Seen::elsewhere(std::string_view part, std::string_view key) const {
  if (it_->changed)
    for (const std::string& field : {fmt::format("{}.{}", part, key), std::string(key)})
      if (const auto change = it_->changed->find(field);
          change != it_->changed->end() && !change->second.after.is_null())
        return &change->second.after;
  return find(it_->settings, key);
}

const Value* Seen::telemetry(std::string_view key) const {
  const Value* value = find(it_->telemetry, key);
  if (value != nullptr && !value->is_null()) return value;
  return is_key(telemetry_keys, key) ? elsewhere("telemetry", key) : nullptr;
}

const Value* Seen::inventory(std::string_view key) const {
  const Value* value = find(it_->inventory, key);
  if (value != nullptr && (!value->is_null() || absent_tells(key))) return value;
  return is_key(inventory_keys, key) ? elsewhere("inventory", key) : nullptr;
}

bool Seen::known(std::string_view key) const {
  return telemetry(key) != nullptr || inventory(key) != nullptr;
}

std::optional<double> Seen::number(std::string_view key) const {
  const Value* value = telemetry(key);
  if (value == nullptr) value = inventory(key);
  return value == nullptr ? std::nullopt : value->number();
}

Fact Seen::on(std::string_view key, Words patterns) const {
  const Value* value = telemetry(key);
  if (value == nullptr) value = inventory(key);
  if (value == nullptr || value->off()) return std::nullopt;
  if (patterns.size() > 0 && !contains_any(value->text(), patterns)) return std::nullopt;
  return equation(key, *value);
}

Fact Seen::off(std::string_view key) const {
  const Value* value = telemetry(key);
  if (value == nullptr) value = inventory(key);
  if (value == nullptr || value->on()) return std::nullopt;
  return equation(key, *value);
}

Fact Seen::at_least(std::string_view key, double least) const {
  const std::optional<double> value = number(key);
  if (!value || *value < least) return std::nullopt;
  return fmt::format("{} = {:.4g}", key, *value);
}

Fact Seen::less_than(std::string_view key, double most) const {
  const std::optional<double> value = number(key);
  if (!value || *value >= most) return std::nullopt;
  return fmt::format("{} = {:g}", key, *value);
}

Fact Seen::below(std::string_view key, std::string_view reference, double share) const {
  const std::optional<double> value = number(key);
  const std::optional<double> of = number(reference);
  if (!value || !of || *value >= *of * share) return std::nullopt;
  return fmt::format("{} = {:.4g} of {:.4g}", key, *value, *of);
}

Fact Seen::moved(std::string_view quantity, Words directions) const {
  for (const auto& [name, direction] : it_->moved)
    if (contains(name, quantity) &&
        std::find(directions.begin(), directions.end(), direction) != directions.end())
      return fmt::format("{}: {}", name, direction);
  return std::nullopt;
}

Fact Seen::throttled(Words reasons) const {
  const auto is_wanted = [&](std::string_view reason) {
    return std::find(reasons.begin(), reasons.end(), reason) != reasons.end();
  };
  if (const Value* seen = telemetry("throttle_reasons"); seen != nullptr) {
    for (const std::string& reason : seen->items())
      if (is_wanted(reason)) return fmt::format("throttle reason {}", reason);
    return std::nullopt;
  }
  for (const auto& [reason, printed] : printed_reasons)
    if (is_wanted(reason))
      for (const std::string& line : it_->log)
        if (contains(line, printed)) return fmt::format("log: \"{}\"", line);
  return std::nullopt;
}

Fact Seen::not_throttled() const {
  const Value* seen = telemetry("throttle_reasons");
  if (seen == nullptr || seen->is_null()) return std::nullopt;
  for (const std::string& reason : seen->items())
    if (reason != "none" && reason != "idle") return std::nullopt;
  return "no throttle reason while it was slow";
}

Fact Seen::capped_by_design() const {
  if (!throttled({"sw_power_cap"}) || below("power_limit_w", "power_limit_default_w")) return std::nullopt;
  if (throttled({"hw_slowdown", "hw_thermal", "hw_power_brake", "sw_thermal"})) return std::nullopt;
  return "the power cap at the board's own limit holds the clock, as designed";
}

Fact Seen::versions_differ(std::string_view key, std::string_view other) const {
  const Value* one = inventory(key);
  const Value* two = inventory(other);
  if (one == nullptr || two == nullptr || one->off() || two->off()) return std::nullopt;
  if (!one->number() || !two->number()) return std::nullopt;
  const auto a = stack::Version::parse(one->text());
  const auto b = stack::Version::parse(two->text());
  if (!a || !b || a->covers(*b)) return std::nullopt;
  return fmt::format("{} = {}, {} = {}", key, one->text(), other, two->text());
}

namespace {

/// The GPU, or the slow one of several, whose name `holds` accepts.
template <typename Holds>
Fact gpu_that(const Observation& it, const Holds& holds) {
  if (holds(it.about.gpu)) return fmt::format("the GPU is of the model {}", it.about.gpu);
  for (const Metric& metric : it.metrics)
    if (holds(metric.scope.gpu) && slower_by_figure(metric))
      return fmt::format("the slow GPU is of the model {}", metric.scope.gpu);
  return std::nullopt;
}

}  // namespace

Fact Seen::gpu_is(Words models) const {
  return gpu_that(*it_, [&](const std::string& name) { return contains_any(name, models); });
}

Fact Seen::gpu_named(Words models) const {
  return gpu_that(*it_, [&](const std::string& name) {
    return std::any_of(models.begin(), models.end(),
                       [&](std::string_view model) { return contains_whole_words(name, model); });
  });
}

Fact Seen::framework_is(Words names) const {
  if (const Value* name = inventory("framework.name"); name != nullptr && contains_any(name->text(), names))
    return fmt::format("the framework is {}", name->text());
  for (const Metric& metric : it_->metrics)
    if (contains_any(metric.scope.framework, names))
      return fmt::format("the framework is {}", metric.scope.framework);
  return std::nullopt;
}

}  // namespace gpugauge::diagnose

// Questions about variables, settings, errors, logs and kernel names.
#include <algorithm>

#include <fmt/format.h>

#include "diagnose/error_codes.hpp"
#include "diagnose/seen.hpp"
#include "diagnose/vocabulary.hpp"

namespace gpugauge::diagnose {
namespace {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 120;
  return text.size() <= most ? fmt::format("\"{}\"", text)
                             : fmt::format("\"{}...\"", text.substr(0, most - 3));
}

/// Compares whole names; a "*" at the end of the pattern matches anything.
bool is_named(std::string_view name, std::string_view pattern) {
  if (!pattern.empty() && pattern.back() == '*') {
    pattern.remove_suffix(1);
    return lower(name).starts_with(lower(pattern));
  }
  return lower(name) == lower(pattern);
}

/// True for a changed field of this name that is no inventory key; those keys have their own questions.
bool is_setting(const std::string& field, std::string_view name) {
  return contains(field, name) && std::none_of(inventory_keys.begin(), inventory_keys.end(),
                                               [&](const Key& key) { return key.name == field; });
}

std::string shown(const ErrorSeen& error) {
  std::string out = error.api.empty() ? "error" : error.api + " error";
  if (!error.code.is_null()) out += " " + error.code.text();
  if (!error.text.empty()) out += (error.code.is_null() ? " " : ": ") + in_quotes(error.text);
  return out;
}

Fact error_of(const Observation& it, bool nvml, int code, Words names) {
  for (const ErrorSeen& error : it.errors) {
    // A code without an interface may belong to any; CUDA's two interfaces share their numbers.
    const bool own = error.api.empty() || (error.api == "nvml") == nvml;
    const bool number = error.code.number() == static_cast<double>(code);
    const bool name = error.code.plain_text() != nullptr && contains_any(error.code.text(), names);
    // CUDA's own number identifies the error, whatever else the text says.
    const bool of_cuda = error.api.empty() || error.api == "cuda" || error.api == "driver";
    const bool known = of_cuda && error.code.number();
    const bool in_text = !nvml && !known && tells_code(error.text, code);
    if ((own && (number || name || in_text)) || contains_any_stated(error.text, names)) return shown(error);
  }
  for (const std::string& line : it.log)
    if (contains_any_stated(line, names) ||
        (!nvml && contains(line, "error") && contains(line, "cu") && tells_code(line, code)))
      return "log: " + in_quotes(line);
  for (const Metric& metric : it.metrics)
    if (contains_any_stated(metric.note, names)) return "the report says: " + in_quotes(metric.note);
  for (const Probe& probe : it.probes)
    if (probe.outcome == "fails" && contains_any(probe.detail, names))
      return fmt::format("tried: {} fails with {}", probe.name, in_quotes(probe.detail));
  return std::nullopt;
}

}  // namespace

Fact Seen::environment(std::string_view name, Words values) const {
  const auto is_wanted = [&](const std::string& value) {
    return values.size() == 0 || std::any_of(values.begin(), values.end(), [&](std::string_view wanted) {
             return is_named(value, wanted);
           });
  };
  for (const auto& [variable, value] : it_->environment)
    if (is_named(variable, name) && is_wanted(value))
      return fmt::format("{}={} in the environment", variable, value);
  // Some reports list variables under the settings.
  for (const auto& [key, value] : it_->settings)
    if (is_named(key, name) && is_wanted(value.text())) return fmt::format("{} = {}", key, value.text());
  return std::nullopt;
}

Fact Seen::setting(std::string_view name, Words values) const {
  for (const auto& [key, value] : it_->settings)
    if (contains(key, name) && contains_any(value.text(), values))
      return fmt::format("{} = {}", key, value.text());
  if (it_->changed)
    for (const auto& [key, change] : *it_->changed)
      if (is_setting(key, name) && contains_any(change.after.text(), values) && !change.after.is_null())
        return fmt::format("{} = {}, which it was not before", key, change.after.text());
  return std::nullopt;
}

Fact Seen::setting_off(std::string_view name) const {
  for (const auto& [key, value] : it_->settings)
    if (contains(key, name) && value.off()) return fmt::format("{} = {}", key, value.text());
  if (it_->changed)
    for (const auto& [key, change] : *it_->changed)
      if (is_setting(key, name) && change.after.off() && !change.after.is_null() && change.before.on())
        return fmt::format("{} = {}, which it was not before", key, change.after.text());
  return std::nullopt;
}

Fact Seen::error(int code, Words names) const {
  return error_of(*it_, false, code, names);
}

Fact Seen::nvml_error(int code, Words names) const {
  return error_of(*it_, true, code, names);
}

Fact Seen::said(Words patterns, Words unless) const {
  const auto holds = [&](const std::string& text) {
    return contains_any_stated(without_inactive(text), patterns) && !contains_any(text, unless);
  };
  for (const std::string& line : it_->log)
    if (holds(line)) return "log: " + in_quotes(line);
  for (const ErrorSeen& error : it_->errors)
    if (holds(error.text) || (error.code.plain_text() != nullptr && holds(error.code.text())))
      return shown(error);
  return std::nullopt;
}

Fact Seen::told(Words patterns, Words unless) const {
  if (Fact fact = said(patterns, unless)) return fact;
  const auto holds = [&](const std::string& text) {
    return contains_any_affirmed(without_inactive(text), patterns) && !contains_any(text, unless);
  };
  for (const Metric& metric : it_->metrics)
    if (holds(metric.note)) return "the report says: " + in_quotes(metric.note);
  for (const auto& [key, value] : it_->settings) {
    const std::string text = fmt::format("{} = {}", key, value.text());
    // A switch's name means nothing without its value: "nouveau = absent", "memlock = unlimited".
    const bool by_value =
        std::any_of(patterns.begin(), patterns.end(), [&, &name = key](std::string_view one) {
          return contains_any_affirmed(without_inactive(text), {one}) && !contains(name, one);
        });
    if (by_value && !contains_any(text, unless)) return text;
  }
  return std::nullopt;
}

Fact Seen::xid(const std::vector<int>& numbers) const {
  for (const std::string& line : it_->log)
    if (tells_xid(line, numbers)) return "log: " + in_quotes(line);
  // Of words: unless they are of another time or card.
  for (const Metric& metric : it_->metrics)
    if (tells_xid(metric.note, numbers) &&
        !contains_any(metric.note,
                      {"replaced", "last week", "last month", "last year", "earlier", "in the past",
                       "used to", "another node", "other node", "another card", "other card"}))
      return "the report says: " + in_quotes(metric.note);
  return std::nullopt;
}

Fact Seen::kernel(Words patterns) const {
  for (const std::string& name : it_->kernels)
    if (contains_any(name, patterns)) return fmt::format("kernel {}", name);
  return std::nullopt;
}

Fact Seen::instruction_lost(Words patterns) const {
  for (const Instruction& one : it_->sass) {
    if (one.change == "more") continue;
    if (patterns.size() == 0 || contains_any(one.instruction, patterns))
      return fmt::format("machine code: {} {}", one.instruction,
                         one.change == "less" ? "stands there less often" : "is gone");
  }
  return std::nullopt;
}

}  // namespace gpugauge::diagnose

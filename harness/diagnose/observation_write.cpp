// Writes an observation and leaves out what is unknown.
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "diagnose/observation.hpp"
#include "result/json_array.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::diagnose {
namespace {

using nlohmann::ordered_json;

double finite(double number, const char* key) {
  if (!std::isfinite(number))
    throw std::invalid_argument(fmt::format("an observation's '{}' is not finite", key));
  return number;
}

ordered_json json_of(const Value& value, const char* key) {
  if (const bool* flag = value.flag()) return *flag;
  if (const double* number = value.plain_number()) {
    const double whole = std::nearbyint(finite(*number, key));
    constexpr double most = 9e15;
    if (whole == *number && std::abs(whole) < most) return static_cast<std::int64_t>(whole);
    return *number;
  }
  if (const std::string* text = value.plain_text()) return *text;
  if (const Value::List* list = value.list()) return *list;
  return nullptr;
}

template <typename Table>
ordered_json object_of(const Table& table) {
  ordered_json out = ordered_json::object();
  for (const auto& [key, value] : table) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Value>)
      out[key] = json_of(value, key.c_str());
    else
      out[key] = value;
  }
  return out;
}

void set(ordered_json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

template <typename T>
void set(ordered_json& object, const char* key, const std::optional<T>& value) {
  if constexpr (std::is_same_v<T, double>) {
    if (value) object[key] = finite(*value, key);
  } else {
    if (value) object[key] = *value;
  }
}

void set_part(ordered_json& object, const char* key, ordered_json part) {
  if (!part.empty()) object[key] = std::move(part);
}

ordered_json json_of(const About& about) {
  ordered_json out = ordered_json::object();
  set(out, "source", about.source);
  set(out, "gpu", about.gpu);
  set(out, "compute_capability", about.compute_capability);
  set(out, "gpus", about.gpus);
  set(out, "nodes", about.nodes);
  set(out, "compared_with", about.compared_with);
  if (about.changed_is_all) out["changed_is_all"] = true;
  return out;
}

ordered_json json_of(const Scope& scope) {
  ordered_json out = ordered_json::object();
  set(out, "op", scope.op);
  set(out, "dtype", scope.dtype);
  set(out, "layout", scope.layout);
  set(out, "size", scope.size);
  set(out, "aligned", scope.aligned);
  set(out, "library", scope.library);
  set(out, "direction", scope.direction);
  set(out, "gpu", scope.gpu);
  set(out, "node", scope.node);
  set(out, "framework", scope.framework);
  set(out, "phase", scope.phase);
  set(out, "path", scope.path);
  return out;
}

ordered_json json_of(const Metric& metric) {
  ordered_json out{{"class", metric.metric_class}};
  if (metric.fails) {
    out["factor"] = nullptr;
    out["fails"] = true;
  } else {
    set(out, "factor", metric.factor);
    set(out, "judged", metric.judged);
  }
  set(out, "value", metric.value);
  set(out, "unit", metric.unit);
  set(out, "spread", metric.spread);
  set(out, "bimodal", metric.bimodal);
  set_part(out, "scope", json_of(metric.scope));
  set(out, "note", metric.note);
  return out;
}

ordered_json json_of(const ErrorSeen& error) {
  ordered_json out = ordered_json::object();
  set(out, "api", error.api);
  if (!error.code.is_null()) out["code"] = json_of(error.code, "code");
  set(out, "text", error.text);
  return out;
}

ordered_json json_of(const Instruction& instruction) {
  return {{"instruction", instruction.instruction}, {"change", instruction.change}};
}

ordered_json json_of(const Numerics& numerics) {
  ordered_json out = ordered_json::object();
  set(out, "op", numerics.op);
  set(out, "dtype", numerics.dtype);
  set(out, "relative_error", numerics.relative_error);
  set(out, "tf32_switch_changes_result", numerics.tf32_switch_changes_result);
  return out;
}

ordered_json json_of(const Probe& probe) {
  ordered_json out{{"name", probe.name}, {"outcome", probe.outcome}};
  set(out, "detail", probe.detail);
  set(out, "by", probe.by);
  set(out, "factor", probe.factor);
  set(out, "factor_without", probe.factor_without);
  return out;
}

}  // namespace

std::string to_json(const Observation& observation) {
  ordered_json out{{"schema", observation_schema}};
  set_part(out, "about", json_of(observation.about));
  if (observation.changed) {
    ordered_json changed = ordered_json::object();
    for (const auto& [field, change] : *observation.changed) {
      ordered_json pair = ordered_json::array();
      pair.push_back(json_of(change.before, field.c_str()));
      pair.push_back(json_of(change.after, field.c_str()));
      changed[field] = std::move(pair);
    }
    out["changed"] = std::move(changed);
  }
  set_part(out, "metrics", result::array_of(observation.metrics, json_of));
  ordered_json telemetry = object_of(observation.telemetry);
  set_part(telemetry, "moved", object_of(observation.moved));
  set_part(out, "telemetry", std::move(telemetry));
  set_part(out, "inventory", object_of(observation.inventory));
  set_part(out, "environment", object_of(observation.environment));
  set_part(out, "settings", object_of(observation.settings));
  set_part(out, "errors", result::array_of(observation.errors, json_of));
  if (!observation.log.empty()) out["log"] = observation.log;
  if (!observation.kernels.empty()) out["kernels"] = observation.kernels;
  set_part(out, "sass", result::array_of(observation.sass, json_of));
  set_part(out, "numerics", result::array_of(observation.numerics, json_of));
  set_part(out, "probes", result::array_of(observation.probes, json_of));
  return result::dump_json(out);
}

}  // namespace gpugauge::diagnose

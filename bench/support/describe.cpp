#include <nlohmann/json.hpp>

#include "support/family.hpp"

namespace gpugauge::bench {

namespace {

nlohmann::ordered_json json_of(const Definition& definition) {
  nlohmann::ordered_json axes = nlohmann::ordered_json::array();
  for (const Axis& axis : definition.axes) axes.push_back({{"name", axis.name}, {"values", axis.values}});
  nlohmann::ordered_json ids = nlohmann::ordered_json::array();
  for (const Instance& instance : instances_of(definition)) ids.push_back(instance.id);
  nlohmann::ordered_json depths = nlohmann::ordered_json::object();
  for (const Instance& instance : instances_of(definition)) depths[instance.id] = to_string(instance.depth());
  nlohmann::ordered_json classes = nlohmann::ordered_json::object();
  for (const Instance& instance : instances_of(definition)) classes[instance.id] = instance.metric_classes();
  nlohmann::ordered_json beside = nlohmann::ordered_json::object();
  for (const Instance& instance : instances_of(definition))
    if (const std::string other = instance.beside(); !other.empty()) beside[instance.id] = other;
  nlohmann::ordered_json metrics = nlohmann::ordered_json::array();
  if (definition.quantity_kind)
    for (const Statistic statistic : definition.statistic_kinds)
      metrics.push_back({{"name", definition.metric_name(statistic)}, {"statistic", to_string(statistic)}});
  return {
      {"id", definition.id()},
      {"op", definition.op},
      {"variant", definition.variant_name},
      {"isolates", definition.isolates_text},
      {"bad_value", definition.bad_value_text},
      {"axes", axes},
      {"ids", ids},
      {"depths", depths},
      {"quantity", definition.quantity_kind ? to_string(*definition.quantity_kind) : "custom"},
      {"unit", definition.unit()},
      {"better",
       definition.quantity_kind ? std::string(result::to_string(direction(*definition.quantity_kind))) : ""},
      {"class", definition.metric_class},
      {"classes", classes},
      {"metrics", metrics},
      {"beside", {{"name", definition.beside_name}, {"ids", beside}}},
      {"batch_seconds", definition.batch_target_seconds},
      {"window_share", definition.window_factor},
      {"warm_seconds", definition.warm_seconds()},
      {"extra_seconds", definition.extra_seconds},
      {"sustained", definition.is_sustained},
      {"deterministic", definition.is_deterministic},
      {"requires",
       {{"gpu", definition.requirements.gpu},
        {"minimum_compute_capability", definition.requirements.minimum_compute_capability},
        {"only_that_compute_capability", definition.requirements.only_that_compute_capability},
        {"below_compute_capability", definition.requirements.below_compute_capability},
        {"instead_on", definition.requirements.instead_on},
        {"devices", definition.requirements.devices}}}};
}

}  // namespace

std::string describe(const FamilyInfo& family) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Definition* definition : definitions()) all.push_back(json_of(*definition));
  const nlohmann::ordered_json root{{"schema", "gpugauge.definitions/1"},
                                    {"family", family.name},
                                    {"start_seconds", family.start_seconds},
                                    {"beside_seconds", family.beside_seconds},
                                    {"definitions", all}};
  return root.dump(2) + "\n";
}

}  // namespace gpugauge::bench

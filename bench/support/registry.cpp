// The benchmarks of a family's executable: what they must declare, and their instances.
#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "support/definition.hpp"

namespace gpugauge::bench {

namespace {

// Definitions are held by pointer, because instances keep pointing at them while others register.
std::vector<std::unique_ptr<const Definition>>& registry() {
  static std::vector<std::unique_ptr<const Definition>> list;
  return list;
}

// A word of an id must be usable in a file name, a regular expression and a shell without quoting.
bool is_word(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

void check(const Definition& definition) {
  const auto refuse = [&](const std::string& fault) {
    throw std::logic_error(fmt::format("benchmark {}: {}", definition.id(), fault));
  };
  const auto need_word = [&](const std::string& what, const std::string& word) {
    if (!is_word(word))
      refuse(fmt::format("{} '{}' is not a word of letters, digits, '_', '-' and '.'", what, word));
  };
  need_word("family", definition.family);
  need_word("op", definition.op);
  if (!definition.variant_name.empty()) need_word("variant", definition.variant_name);
  std::set<std::string> names;
  for (const Axis& axis : definition.axes) {
    need_word("axis", axis.name);
    if (!names.insert(axis.name).second) refuse(fmt::format("axis {} is there twice", axis.name));
    if (axis.values.empty()) refuse(fmt::format("axis {} has no values", axis.name));
    for (const std::string& value : axis.values) need_word(fmt::format("axis {} value", axis.name), value);
    if (std::set<std::string>(axis.values.begin(), axis.values.end()).size() != axis.values.size())
      refuse(fmt::format("axis {} has a value twice", axis.name));
  }
  if (definition.isolates_text.empty()) refuse("isolates() is missing");
  if (definition.bad_value_text.empty()) refuse("bad_value() is missing");
  if (!definition.run) refuse("body() is missing");
  if (definition.quantity_kind.has_value() == definition.is_custom)
    refuse("exactly one of quantity() and custom_metrics() is needed");
  if (definition.quantity_kind && definition.statistic_kinds.empty()) refuse("statistics() is empty");
  if (!(definition.batch_target_seconds > 0)) refuse("batch_seconds() must be positive");
  if (!(definition.window_factor > 0)) refuse("window_share() must be positive");
  const Requirements& needed = definition.requirements;
  if (needed.below_compute_capability != 0 &&
      needed.below_compute_capability <= needed.minimum_compute_capability)
    refuse("stands_in_below() leaves no compute capability");
  if (!std::is_sorted(needed.instead_on.begin(), needed.instead_on.end()) ||
      (!needed.instead_on.empty() &&
       (needed.minimum_compute_capability != 0 || needed.below_compute_capability != 0)))
    refuse("stands_in_on() names every compute capability itself, in ascending order");
  if (definition.requirements.devices < 1) refuse("requires_devices() must be 1 or more");
  if (definition.beside_id) need_word("beside()", definition.beside_name);
  const auto need_value = [&](const char* call, const std::string& name, const std::string& value) {
    const auto axis = std::find_if(definition.axes.begin(), definition.axes.end(),
                                   [&](const Axis& candidate) { return candidate.name == name; });
    if (axis == definition.axes.end())
      refuse(fmt::format("{}() names the axis {}, which it lacks", call, name));
    if (std::find(axis->values.begin(), axis->values.end(), value) == axis->values.end())
      refuse(fmt::format("{}() names {} {}, which the axis lacks", call, name, value));
  };
  for (const Definition::DepthOfValue& one : definition.value_depths) need_value("from", one.axis, one.value);
  for (const Definition::ClassesOfValue& one : definition.value_classes)
    need_value("classes_of", one.axis, one.value);
}

}  // namespace

Registration::Registration(Definition definition) {
  check(definition);
  const std::vector<Instance> fresh = instances_of(definition);
  std::set<std::string> taken;
  for (const Instance& instance : instances()) taken.insert(instance.id);
  for (const Instance& instance : fresh)
    if (taken.count(instance.id) != 0)
      throw std::logic_error(fmt::format("benchmark {}: the id is registered twice", instance.id));
  registry().push_back(std::make_unique<const Definition>(std::move(definition)));
}

std::vector<const Definition*> definitions() {
  std::vector<const Definition*> all;
  for (const auto& definition : registry()) all.push_back(definition.get());
  // Definitions with one id, which differ in their axes' values, stay in the order of their file.
  std::stable_sort(all.begin(), all.end(),
                   [](const Definition* a, const Definition* b) { return a->id() < b->id(); });
  return all;
}

std::vector<Instance> instances_of(const Definition& definition) {
  std::vector<Instance> all{{&definition, {}, definition.id()}};
  for (const Axis& axis : definition.axes) {
    std::vector<Instance> longer;
    for (const Instance& shorter : all) {
      for (const std::string& value : axis.values) {
        Instance instance = shorter;
        instance.parameters[axis.name] = value;
        instance.id += "/" + value;
        longer.push_back(std::move(instance));
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::vector<Instance> instances() {
  std::vector<Instance> all;
  for (const auto& definition : registry()) {
    std::vector<Instance> some = instances_of(*definition);
    all.insert(all.end(), some.begin(), some.end());
  }
  std::sort(all.begin(), all.end(), [](const Instance& a, const Instance& b) { return a.id < b.id; });
  return all;
}

}  // namespace gpugauge::bench

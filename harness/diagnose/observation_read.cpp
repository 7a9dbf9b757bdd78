// Reads an observation and refuses every unknown key and word, with its name and place.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/observation.hpp"
#include "diagnose/observation_forms.hpp"
#include "diagnose/vocabulary.hpp"
#include "result/object_reader.hpp"
#include "result/vocabulary.hpp"

namespace gpugauge::diagnose {
namespace {

using nlohmann::json;
using result::ObjectReader;
using result::Place;

void require_word(const std::string& word, std::span<const std::string_view> words, const Place& place) {
  if (std::find(words.begin(), words.end(), word) == words.end())
    place.refuse(fmt::format("{} is no word of this format; there are {}", result::quoted(word),
                             fmt::join(words, ", ")));
}

void require_class(const std::string& word, const Place& place) {
  if (result::is_class(word)) return;
  std::vector<std::string_view> all;
  all.reserve(result::classes.size());
  for (const result::ClassInfo& info : result::classes) all.push_back(info.name);
  place.refuse(
      fmt::format("{} is no class of measurement; there are {}", result::quoted(word), fmt::join(all, ", ")));
}

std::string optional_word(ObjectReader& reader, const std::string& key,
                          std::span<const std::string_view> words) {
  if (reader.optional(key) == nullptr) return "";
  std::string word = reader.text(key);
  require_word(word, words, reader.place().key(key));
  return word;
}

std::optional<int> optional_count(ObjectReader& reader, const std::string& key) {
  const std::optional<int> count = reader.optional_integer(key);
  if (count && *count < 0) reader.place().key(key).refuse("should be 0 or more");
  return count;
}

Value value_of(const json& element, const Place& place) {
  switch (element.type()) {
    case json::value_t::null:
      return {};
    case json::value_t::boolean:
      return element.get<bool>();
    case json::value_t::string:
      return element.get<std::string>();
    case json::value_t::number_float:
    case json::value_t::number_integer:
    case json::value_t::number_unsigned:
      return element.get<double>();
    case json::value_t::array: {
      Value::List list;
      for (std::size_t i = 0; i < element.size(); ++i) {
        if (!element[i].is_string()) place.index(i).refuse("should be text");
        list.push_back(element[i].get<std::string>());
      }
      return list;
    }
    default:
      break;
  }
  place.refuse("should be text, a number, true or false, a list of texts, or null");
}

void require_kind(const Value& value, Kind kind, const Place& place) {
  if (value.is_null()) return;  // looked for and unknown
  if (kind == Kind::number && value.plain_number() == nullptr) place.refuse("should be a number");
  if (kind == Kind::flag && value.flag() == nullptr) place.refuse("should be true or false");
  if (kind == Kind::text && value.plain_text() == nullptr) place.refuse("should be text");
  if (kind == Kind::list && value.list() == nullptr) place.refuse("should be a list of texts");
}

/// Reads an object whose keys are all in the table.
std::map<std::string, Value> table_of(const json& object, std::span<const Key> keys, const Place& place) {
  std::map<std::string, Value> out;
  for (const auto& [name, element] : object.items()) {
    const std::string& key = name;
    const auto known =
        std::find_if(keys.begin(), keys.end(), [&](const Key& entry) { return entry.name == key; });
    if (known == keys.end())
      place.refuse(fmt::format("the key {} is not part of this format", result::quoted(key)));
    Value value = in_kind(value_of(element, place.key(key)), *known);
    require_kind(value, known->kind, place.key(key));
    out.emplace(key, std::move(value));
  }
  return out;
}

std::map<std::string, Value> free_table(const json& object, const Place& place) {
  std::map<std::string, Value> out;
  for (const auto& [name, element] : object.items()) out.emplace(name, value_of(element, place.key(name)));
  return out;
}

About read_about(const json& value, const Place& place) {
  ObjectReader reader(value, place);
  About about;
  about.source = reader.optional_text("source");
  about.gpu = reader.optional_text("gpu");
  if (const json* capability = reader.optional("compute_capability");
      capability != nullptr && capability->is_number())
    about.compute_capability = fmt::format("{:.1f}", capability->get<double>());
  else
    about.compute_capability = reader.optional_text("compute_capability");
  about.gpus = optional_count(reader, "gpus");
  about.nodes = optional_count(reader, "nodes");
  about.compared_with = optional_word(reader, "compared_with", sides);
  about.changed_is_all = reader.optional_boolean("changed_is_all").value_or(false);
  reader.done();
  return about;
}

/// Variables are text; a number without quotes is kept as written.
std::map<std::string, std::string> read_environment(const json& object, const Place& place) {
  std::map<std::string, std::string> out;
  for (const auto& [name, element] : object.items()) {
    if (!element.is_string() && !element.is_number()) place.key(name).refuse("should be text");
    out.emplace(name, element.is_string() ? element.get<std::string>() : element.dump());
  }
  return out;
}

std::map<std::string, Change> read_changed(const json& object, const Place& place) {
  std::map<std::string, Change> out;
  for (const auto& [name, pair] : object.items()) {
    const Place here = place.key(name);
    if (!pair.is_array() || pair.size() != 2) here.refuse("should be a list of two: before and after");
    out.emplace(name, Change{value_of(pair[0], here.index(0)), value_of(pair[1], here.index(1))});
  }
  return out;
}

Scope read_scope(const json& value, const Place& place) {
  ObjectReader reader(value, place);
  Scope scope;
  scope.op = reader.optional_text("op");
  scope.dtype = reader.optional_text("dtype");
  scope.layout = reader.optional_text("layout");
  scope.size = optional_word(reader, "size", sizes);
  scope.aligned = reader.optional_boolean("aligned");
  scope.library = reader.optional_text("library");
  scope.direction = optional_word(reader, "direction", copy_directions);
  scope.gpu = reader.optional_text("gpu");
  scope.node = reader.optional_text("node");
  scope.framework = reader.optional_text("framework");
  scope.phase = optional_word(reader, "phase", phases);
  scope.path = reader.optional_text("path");
  reader.done();
  return scope;
}

Metric read_metric(const json& value, const Place& place) {
  ObjectReader reader(value, place);
  Metric metric;
  metric.metric_class = reader.text("class");
  require_class(metric.metric_class, place.key("class"));
  if (const json* factor = reader.optional("factor"); factor != nullptr) {
    metric.fails = factor->is_null();
    if (!metric.fails) metric.factor = reader.number("factor");
    if (metric.factor && *metric.factor <= 0)
      place.key("factor").refuse("is a ratio of times and should be above 0");
  }
  metric.judged = optional_word(reader, "judged", judgements);
  metric.value = reader.optional_number("value");
  metric.unit = reader.optional_text("unit");
  metric.spread = reader.optional_number("spread");
  if (metric.spread && *metric.spread < 0) place.key("spread").refuse("should be 0 or more");
  metric.bimodal = reader.optional_boolean("bimodal");
  if (const json* scope = reader.optional("scope"); scope != nullptr)
    metric.scope = read_scope(*scope, place.key("scope"));
  metric.note = reader.optional_text("note");
  // A null factor may mean that nobody had a ratio; "fails" makes it clear.
  const std::optional<bool> fails = reader.optional_boolean("fails");
  metric.fails = fails ? *fails : metric.fails && metric.judged.empty() && !tells_that_it_ran(metric);
  if (metric.fails) metric.factor.reset();
  // Somebody compared, and gives no figure.
  if (!metric.factor && !metric.fails && metric.judged == "unchanged") metric.factor = 1;
  reader.done();
  return metric;
}

void read_telemetry(json value, const Place& place, Observation& observation) {
  if (!value.is_object()) ObjectReader(value, place);
  if (const auto moved = value.find("moved"); moved != value.end()) {
    const ObjectReader reader(*moved, place.key("moved"));
    for (const auto& [name, word] : moved->items()) {
      const Place here = place.key("moved").key(name);
      if (!word.is_string()) here.refuse("should be text");
      require_word(word.get<std::string>(), movements, here);
      observation.moved.emplace(name, word.get<std::string>());
    }
    value.erase("moved");
  }
  observation.telemetry = table_of(value, telemetry_keys, place);
  const auto word = [&](const char* key, std::span<const std::string_view> words) {
    if (const auto found = observation.telemetry.find(key); found != observation.telemetry.end())
      for (const std::string& item : found->second.items()) require_word(item, words, place.key(key));
  };
  word("throttle_reasons", throttle_reasons);
  word("pcie_sampled", std::array<std::string_view, 2>{"idle", "load"});
  word("ran_on", std::array<std::string_view, 2>{"cpu", "gpu"});
  word("drift", std::array<std::string_view, 3>{"worse_with_time", "recovers_when_cool", "none"});
}

ErrorSeen read_error(const json& value, const Place& place) {
  ObjectReader reader(value, place);
  ErrorSeen error;
  error.api = optional_word(reader, "api", apis);
  if (const json* code = reader.optional("code"); code != nullptr) {
    error.code = value_of(*code, place.key("code"));
    if (error.code.flag() != nullptr || error.code.list() != nullptr)
      place.key("code").refuse("should be a number or a name");
  }
  error.text = reader.optional_text("text");
  reader.done();
  return error;
}

Instruction read_instruction(const json& value, const Place& place) {
  ObjectReader reader(value, place);
  Instruction instruction{reader.text("instruction"), reader.text("change")};
  require_word(instruction.change, instruction_changes, place.key("change"));
  reader.done();
  return instruction;
}

Numerics read_numerics(const json& value, const Place& place) {
  ObjectReader reader(value, place);
  Numerics numerics;
  numerics.op = reader.optional_text("op");
  numerics.dtype = reader.optional_text("dtype");
  numerics.relative_error = reader.optional_number("relative_error");
  if (numerics.relative_error && *numerics.relative_error < 0)
    place.key("relative_error").refuse("should be 0 or more");
  numerics.tf32_switch_changes_result = reader.optional_boolean("tf32_switch_changes_result");
  reader.done();
  return numerics;
}

Probe read_probe(const json& value, const Place& place) {
  ObjectReader reader(value, place);
  Probe probe{reader.text("name"), reader.text("outcome"), reader.optional_text("detail")};
  probe.by = reader.optional_text("by");
  probe.factor = reader.optional_number("factor");
  probe.factor_without = reader.optional_number("factor_without");
  for (const char* key : {"factor", "factor_without"}) {
    const std::optional<double>& factor =
        key == std::string_view("factor") ? probe.factor : probe.factor_without;
    if (factor && *factor <= 0) place.key(key).refuse("should be above 0");
  }
  require_word(probe.name, probe_names, place.key("name"));
  require_word(probe.outcome, probe_outcomes, place.key("outcome"));
  reader.done();
  return probe;
}

template <typename T, typename Read>
void read_list(ObjectReader& reader, const char* key, std::vector<T>& into, const Read& read) {
  if (reader.optional(key) == nullptr) return;
  reader.each(key, [&](const json& element, const Place& place) { into.push_back(read(element, place)); });
}

}  // namespace

Observation parse_observation(const std::string& text, const std::string& origin) {
  const json document = result::parse_json(text, origin);
  const Place root{origin, ""};
  ObjectReader reader(document, root);
  Observation out;
  if (document.empty()) root.refuse("holds nothing that was seen, not even a schema: it is no observation");
  if (reader.optional("schema") != nullptr) result::require_schema(reader, observation_schema);
  if (const json* about = reader.optional("about")) out.about = read_about(*about, root.key("about"));
  if (reader.optional("changed") != nullptr)
    out.changed = read_changed(reader.object("changed"), root.key("changed"));
  read_list(reader, "metrics", out.metrics, read_metric);
  if (const json* telemetry = reader.optional("telemetry"))
    read_telemetry(*telemetry, root.key("telemetry"), out);
  if (reader.optional("inventory") != nullptr)
    out.inventory = table_of(reader.object("inventory"), inventory_keys, root.key("inventory"));
  if (reader.optional("environment") != nullptr)
    out.environment = read_environment(reader.object("environment"), root.key("environment"));
  if (reader.optional("settings") != nullptr)
    out.settings = free_table(reader.object("settings"), root.key("settings"));
  read_list(reader, "errors", out.errors, read_error);
  if (reader.optional("log") != nullptr) out.log = reader.texts("log");
  if (reader.optional("kernels") != nullptr) out.kernels = reader.texts("kernels");
  read_list(reader, "sass", out.sass, read_instruction);
  // A single operation needs no list around it.
  if (const json* numerics = reader.optional("numerics"); numerics != nullptr && numerics->is_object())
    out.numerics.push_back(read_numerics(*numerics, root.key("numerics")));
  else
    read_list(reader, "numerics", out.numerics, read_numerics);
  read_list(reader, "probes", out.probes, read_probe);
  reader.done();
  return out;
}

}  // namespace gpugauge::diagnose

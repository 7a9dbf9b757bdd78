#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "result/object_reader.hpp"
#include "stack/plan/lock.hpp"

namespace gpugauge::stack {
namespace {

using result::ObjectReader;
using result::Place;

constexpr std::size_t text_most = 4096;

LockField field_from(const std::string& key, const nlohmann::json& value, const Place& place) {
  if (key.empty() || key.size() > 200) place.refuse("is no key of the inventory");
  ObjectReader reader(value, place);
  LockField field;
  field.key = key;
  field.value = reader.text("value");
  const std::string match = reader.text("match");
  if (match == "range")
    field.match = Match::range;
  else if (match == "ignore")
    field.match = Match::ignore;
  else if (match != "exact")
    place.key("match").refuse("should be exact, range or ignore");
  field.range = reader.optional_text("range");
  if (field.match == Match::range && !VersionBounds::parse(field.range))
    place.key("range").refuse("should be bounds on a version such as '>=580.65 <581'");
  if (field.match != Match::range && !field.range.empty())
    place.key("range").refuse(fmt::format("stands beside \"match\": \"{}\", which does not use it", match));
  if (field.match == Match::exact && field.value.empty())
    place.key("value").refuse("is empty; an exact field needs a value");
  if (field.value.size() > text_most || field.range.size() > text_most) place.refuse("is too long");
  reader.done();
  return field;
}

}  // namespace

std::string to_json(const Lock& lock) {
  nlohmann::ordered_json fields = nlohmann::ordered_json::object();
  for (const LockField& field : lock.fields) {
    nlohmann::ordered_json value{{"value", field.value}, {"match", to_string(field.match)}};
    if (field.match == Match::range) value["range"] = field.range;
    fields[field.key] = std::move(value);
  }
  return result::dump_json(
      nlohmann::ordered_json{{"schema", lock_schema}, {"created", lock.created}, {"fields", fields}});
}

Lock lock_from_json(const std::string& text, const std::string& origin) {
  const nlohmann::json value = result::parse_json(text, origin);
  ObjectReader reader(value, {origin, ""});
  result::require_schema(reader, lock_schema);
  Lock lock;
  lock.created = reader.text("created");
  const nlohmann::json& fields = reader.object("fields");
  // The keys are sorted for readers; their order has no meaning.
  for (const auto& [key, field] : fields.items())
    lock.fields.push_back(field_from(key, field, reader.place().key("fields").key(key)));
  reader.done();
  if (lock.fields.empty())
    reader.place().key("fields").refuse("holds no field: such a lock would pass any node");
  return lock;
}

}  // namespace gpugauge::stack

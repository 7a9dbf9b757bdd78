#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "result/json_array.hpp"
#include "result/object_reader.hpp"
#include "stack/inventory/inventory.hpp"

namespace gpugauge::stack {
namespace {

using nlohmann::ordered_json;
using result::ObjectReader;
using result::Place;

struct AnswerName {
  Presence presence;
  std::string_view name;
};
constexpr std::array answers{
    AnswerName{Presence::present, "present"},
    AnswerName{Presence::absent, "absent"},
    AnswerName{Presence::unreadable, "unreadable"},
};

/// Leaves out empty members, except a present item's value.
ordered_json json_of(const Item& item) {
  ordered_json json{{"key", item.key}};
  for (const AnswerName& answer : answers) {
    if (answer.presence == item.presence) json["answer"] = answer.name;
  }
  if (item.presence == Presence::present) json["value"] = item.value;
  json["source"] = item.source;
  if (!item.how.empty()) json["how"] = item.how;
  if (!item.needs.empty()) json["needs"] = item.needs;
  return json;
}

/// A path, a command line or a GPU's name need not be UTF-8.
std::string dump(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

Presence presence_from(const std::string& word, const Place& place) {
  for (const AnswerName& answer : answers) {
    if (answer.name == word) return answer.presence;
  }
  place.refuse(fmt::format("should be present, absent or unreadable and is \"{}\"", word.substr(0, 40)));
}

Item item_from(const nlohmann::json& value, const Place& place) {
  ObjectReader reader(value, place);
  Item item;
  item.key = reader.text("key");
  if (item.key.empty()) place.key("key").refuse("is empty");
  item.presence = presence_from(reader.text("answer"), place.key("answer"));
  if (item.presence == Presence::present) item.value = reader.text("value");
  item.source = reader.text("source");
  item.how = reader.optional_text("how");
  if (item.presence == Presence::unreadable) item.needs = reader.optional_text("needs");
  reader.done();
  return item;
}

}  // namespace

std::string to_json(const Inventory& inventory) {
  std::string text = fmt::format("{{\n  \"schema\": \"{}\",\n  \"items\": [", inventory_schema);
  const char* separator = "\n";
  for (const Item& item : inventory.items()) {
    text += fmt::format("{}    {}", separator, dump(json_of(item)));
    separator = ",\n";
  }
  return text + (inventory.items().empty() ? "]\n}\n" : "\n  ]\n}\n");
}

std::string to_json_line(const Inventory& inventory) {
  ordered_json items = result::array_of(inventory.items(), json_of);
  return dump({{"schema", inventory_schema}, {"items", std::move(items)}});
}

Inventory inventory_from_json(const std::string& text) {
  const Place place{"the inventory", ""};
  const nlohmann::json json = result::parse_json(text, place.origin);
  ObjectReader reader(json, place);
  result::require_schema(reader, inventory_schema);
  Inventory inventory;
  reader.each("items", [&](const nlohmann::json& value, const Place& at) {
    Item item = item_from(value, at);
    if (inventory.find(item.key) != nullptr)
      at.key("key").refuse(fmt::format("\"{}\" stands twice", item.key.substr(0, 80)));
    inventory.add(std::move(item));
  });
  reader.done();
  return inventory;
}

}  // namespace gpugauge::stack

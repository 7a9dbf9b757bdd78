// Reads JSON objects strictly and writes JSON in our layout.
#include "result/object_reader.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace gpugauge::result {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

std::string_view type_word(json::value_t type) {
  switch (type) {
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "an array";
    case json::value_t::string:
      return "text";
    case json::value_t::boolean:
      return "true or false";
    case json::value_t::null:
      return "null";
    default:
      return "a number";
  }
}

bool is_flat(const ordered_json& array) {
  for (const auto& element : array)
    if (element.is_structured()) return false;
  return true;
}

std::string scalar(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

void dump(const ordered_json& value, int indent, std::string& out) {
  const std::string inner(static_cast<std::size_t>(indent) + 2, ' ');
  if (value.is_object() && !value.empty()) {
    out += "{\n";
    bool first = true;
    for (const auto& [key, child] : value.items()) {
      out += first ? "" : ",\n";
      first = false;
      out += inner + scalar(ordered_json(key)) + ": ";
      dump(child, indent + 2, out);
    }
    out += "\n" + inner.substr(2) + "}";
  } else if (value.is_array() && !value.empty() && !is_flat(value)) {
    out += "[\n";
    bool first = true;
    for (const auto& child : value) {
      out += first ? "" : ",\n";
      first = false;
      out += inner;
      dump(child, indent + 2, out);
    }
    out += "\n" + inner.substr(2) + "]";
  } else {
    out += scalar(value);
  }
}

}  // namespace

void Place::refuse(const std::string& fault) const {
  throw FormatError(path.empty() ? fmt::format("{}: {}", origin, fault)
                                 : fmt::format("{}: {}: {}", origin, path, fault));
}

ObjectReader::ObjectReader(const nlohmann::json& value, Place place)
    : value_(value), place_(std::move(place)) {
  if (!value.is_object())
    place_.refuse(fmt::format("should be an object and is {}", type_word(value.type())));
}

const nlohmann::json& ObjectReader::get(const std::string& key, json::value_t type) {
  seen_.insert(key);
  const auto found = value_.find(key);
  if (found == value_.end()) place_.refuse(fmt::format("the key '{}' is missing", key));
  const bool number = type == json::value_t::number_float && found->is_number();
  if (found->type() != type && !number)
    place_.key(key).refuse(fmt::format("should be {} and is {}", type_word(type), type_word(found->type())));
  return *found;
}

const nlohmann::json* ObjectReader::optional(const std::string& key) {
  seen_.insert(key);
  const auto found = value_.find(key);
  return found == value_.end() ? nullptr : &*found;
}

std::string ObjectReader::text(const std::string& key) {
  return get(key, json::value_t::string).get<std::string>();
}

double ObjectReader::number(const std::string& key) {
  return get(key, json::value_t::number_float).get<double>();
}

bool ObjectReader::boolean(const std::string& key) {
  return get(key, json::value_t::boolean).get<bool>();
}

std::int64_t ObjectReader::integer(const std::string& key) {
  const json& value = get(key, json::value_t::number_float);
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() &&
       value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())))
    place_.key(key).refuse("should be a whole number within 64 bits");
  return value.get<std::int64_t>();
}

int ObjectReader::small_integer(const std::string& key) {
  const std::int64_t value = integer(key);
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
    place_.key(key).refuse("is out of range");
  return static_cast<int>(value);
}

std::uint64_t ObjectReader::unsigned_integer(const std::string& key) {
  const json& value = get(key, json::value_t::number_float);
  if (!value.is_number_unsigned()) place_.key(key).refuse("should be a whole number, 0 or more");
  return value.get<std::uint64_t>();
}

std::string ObjectReader::optional_text(const std::string& key) {
  return optional(key) == nullptr ? "" : text(key);
}

std::optional<bool> ObjectReader::optional_boolean(const std::string& key) {
  if (optional(key) == nullptr) return std::nullopt;
  return boolean(key);
}

std::optional<double> ObjectReader::optional_number(const std::string& key) {
  if (optional(key) == nullptr) return std::nullopt;
  return number(key);
}

std::optional<int> ObjectReader::optional_integer(const std::string& key) {
  if (optional(key) == nullptr) return std::nullopt;
  return small_integer(key);
}

std::vector<std::string> ObjectReader::texts(const std::string& key) {
  std::vector<std::string> values;
  each(key, [&](const json& element, const Place& place) {
    if (!element.is_string())
      place.refuse(fmt::format("should be text and is {}", type_word(element.type())));
    values.push_back(element.get<std::string>());
  });
  return values;
}

std::map<std::string, std::string> ObjectReader::text_map(const std::string& key) {
  std::map<std::string, std::string> values;
  for (const auto& [name, element] : object(key).items()) {
    if (!element.is_string())
      place_.key(key).key(name).refuse(fmt::format("should be text and is {}", type_word(element.type())));
    values.emplace(name, element.get<std::string>());
  }
  return values;
}

std::map<std::string, double> ObjectReader::number_map(const std::string& key) {
  std::map<std::string, double> values;
  for (const auto& [name, element] : object(key).items()) {
    if (!element.is_number())
      place_.key(key).key(name).refuse(
          fmt::format("should be a number and is {}", type_word(element.type())));
    values.emplace(name, element.get<double>());
  }
  return values;
}

void ObjectReader::done() const {
  for (const auto& [key, element] : value_.items())
    if (!seen_.contains(key))
      place_.refuse(fmt::format("the key {} is not part of this format", quoted(key)));
}

void require_schema(ObjectReader& reader, std::string_view expected) {
  require_schema(reader.text("schema"), expected, reader.place());
}

void require_schema(const std::string& found, std::string_view expected, const Place& place) {
  if (found == expected) return;
  const std::string name(expected.substr(0, expected.find('/')));
  if (found.rfind(name + "/", 0) == 0)
    place.refuse(fmt::format("is of schema {}; this version of gpugauge reads {}", quoted(found), expected));
  place.refuse(fmt::format("is of schema {}; {} is expected here", quoted(found), expected));
}

std::string dump_json(const nlohmann::ordered_json& value) {
  std::string out;
  dump(value, 0, out);
  out += "\n";
  return out;
}

}  // namespace gpugauge::result

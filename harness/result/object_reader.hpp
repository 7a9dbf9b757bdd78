// A strict reader of one JSON object: every key is asked for by name and type, what was not asked for is
// refused, and each fault is one sentence with file and place. Used by every reader of our own formats.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "result/error.hpp"

namespace gpugauge::result {

/// Where in which file: "run.json: processes[3].samples".
struct Place {
  std::string origin;
  std::string path;

  Place key(const std::string& name) const { return {origin, path.empty() ? name : path + "." + name}; }
  Place index(std::size_t i) const { return {origin, path + "[" + std::to_string(i) + "]"}; }
  [[noreturn]] void refuse(const std::string& fault) const;
};

/// Text from a file as it goes into an error sentence: in quotes, shortened, without control characters.
std::string quoted(std::string text);

/// Parses text as JSON. Refuses (FormatError) what is not JSON, empty, cut short, or holds a key twice.
nlohmann::json parse_json(const std::string& text, const std::string& origin);

class ObjectReader {
 public:
  /// Refuses a value that is no object.
  ObjectReader(const nlohmann::json& value, Place place);

  std::string text(const std::string& key);
  double number(const std::string& key);
  std::int64_t integer(const std::string& key);
  std::uint64_t unsigned_integer(const std::string& key);
  bool boolean(const std::string& key);
  std::optional<double> optional_number(const std::string& key);
  std::optional<int> optional_integer(const std::string& key);
  std::vector<double> numbers(const std::string& key);
  std::vector<std::string> texts(const std::string& key);
  std::map<std::string, std::string> text_map(const std::string& key);
  std::map<std::string, double> number_map(const std::string& key);

  /// The value of a key that must be an array, each element handed over with its place.
  template <typename Function>
  void each(const std::string& key, const Function& function) {
    const nlohmann::json& array = get(key, nlohmann::json::value_t::array);
    for (std::size_t i = 0; i < array.size(); ++i) function(array[i], place_.key(key).index(i));
  }
  /// The value of a key that must be an object.
  const nlohmann::json& object(const std::string& key) { return get(key, nlohmann::json::value_t::object); }
  /// The value of a key that may be absent; nullptr then.
  const nlohmann::json* optional(const std::string& key);

  const Place& place() const { return place_; }
  /// Refuses every key that was not asked for. Call last.
  void done() const;

 private:
  const nlohmann::json& get(const std::string& key, nlohmann::json::value_t type);

  const nlohmann::json& value_;
  Place place_;
  std::set<std::string> seen_;
};

/// Checks that `schema` is exactly `expected`; another version of ours is named as such.
void require_schema(ObjectReader& reader, std::string_view expected);
void require_schema(const std::string& found, std::string_view expected, const Place& place);

/// Dumps with two spaces, arrays of numbers on one line; invalid UTF-8 is replaced.
std::string dump_json(const nlohmann::ordered_json& value);

}  // namespace gpugauge::result

// A strict reader of one JSON object. The caller asks for every key by name and type; keys nobody asked for
// are refused. Each fault is one sentence with file and place. Every reader of our own formats uses it.
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

/// A place in a file: "run.json: processes[3].samples".
struct Place {
  std::string origin;  ///< the file's path as the user gave it, or another name for the text's source
  std::string path;    ///< dotted keys and indices in brackets; "" for the whole file

  /// The place of a member of the object here; applies shortened() to its name.
  Place key(const std::string& name) const {
    return {origin, path.empty() ? shortened(name) : path + "." + shortened(name)};
  }
  /// The place of element `i`, from 0, of the array here.
  Place index(std::size_t i) const { return {origin, path + "[" + std::to_string(i) + "]"}; }
  /// Throws FormatError "origin: path: fault"; `fault` is a clause without a full stop.
  [[noreturn]] void refuse(const std::string& fault) const;
};

/// Parses text as JSON in linear time. Throws FormatError if it is empty, cut short, not JSON, repeats a key,
/// or is nested deeper than 64 levels.
nlohmann::json parse_json(const std::string& text, const std::string& origin);

/// One object whose members are asked for one by one. Throws FormatError at the place of a key that is
/// missing or of another type. The value must outlive the reader.
class ObjectReader {
 public:
  /// Throws FormatError for a value that is not an object.
  ObjectReader(const nlohmann::json& value, Place place);

  std::string text(const std::string& key);      ///< JSON text
  double number(const std::string& key);         ///< any JSON number
  std::int64_t integer(const std::string& key);  ///< written without fraction or exponent, within 64 bits
  int small_integer(const std::string& key);     ///< within the range of an int
  std::uint64_t unsigned_integer(const std::string& key);  ///< as integer(), and not negative
  bool boolean(const std::string& key);                    ///< `true` or `false`
  /// "" if the key is absent; `null` is refused.
  std::string optional_text(const std::string& key);
  /// nullopt if the key is absent; `null` is refused.
  std::optional<bool> optional_boolean(const std::string& key);
  /// nullopt if the key is absent; `null` is refused.
  std::optional<double> optional_number(const std::string& key);
  /// nullopt if the key is absent. Refuses a value outside the range of an int.
  std::optional<int> optional_integer(const std::string& key);
  std::vector<std::string> texts(const std::string& key);               ///< an array of texts
  std::map<std::string, std::string> text_map(const std::string& key);  ///< an object of texts, by key
  std::map<std::string, double> number_map(const std::string& key);     ///< an object of numbers, by key

  /// Calls `function` with each element, and its place, of the key's value, which must be an array.
  template <typename Function>
  void each(const std::string& key, const Function& function) {
    const nlohmann::json& array = get(key, nlohmann::json::value_t::array);
    for (std::size_t i = 0; i < array.size(); ++i) function(array[i], place_.key(key).index(i));
  }
  /// The value of a key that must be an object.
  const nlohmann::json& object(const std::string& key) { return get(key, nlohmann::json::value_t::object); }
  /// The value of a key that may be absent; nullptr if it is.
  const nlohmann::json* optional(const std::string& key);

  const Place& place() const { return place_; }  ///< the object's place, as given
  /// Refuses every key nobody asked for. Call last.
  void done() const;

 private:
  const nlohmann::json& get(const std::string& key, nlohmann::json::value_t type);

  const nlohmann::json& value_;
  Place place_;
  std::set<std::string> seen_;
};

/// Requires `schema` to be exactly `expected`; the error names another version of ours as such.
void require_schema(ObjectReader& reader, std::string_view expected);
/// As above, for a schema text already read; `place` is the object's.
void require_schema(const std::string& found, std::string_view expected, const Place& place);

/// Dumps with two spaces, arrays of numbers on one line; invalid UTF-8 is replaced.
std::string dump_json(const nlohmann::ordered_json& value);

}  // namespace gpugauge::result

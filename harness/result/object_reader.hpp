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
  std::string origin;  ///< the file's path as the user gave it, or another name for where the text came from
  std::string path;    ///< dotted keys and indices in brackets; "" for the whole file

  /// The place of a member of the object that is here; its name as shortened() makes it.
  Place key(const std::string& name) const {
    return {origin, path.empty() ? shortened(name) : path + "." + shortened(name)};
  }
  /// The place of element `i`, from 0, of the array that is here.
  Place index(std::size_t i) const { return {origin, path + "[" + std::to_string(i) + "]"}; }
  /// Throws FormatError "origin: path: fault"; `fault` is a clause without a full stop.
  [[noreturn]] void refuse(const std::string& fault) const;
};

/// Parses text as JSON, in time that grows as the text does. Refuses (FormatError) what is not JSON, empty,
/// cut short, holds a key twice, or is nested deeper than 64 levels.
nlohmann::json parse_json(const std::string& text, const std::string& origin);

/// One object, whose members are asked for one by one. A key that is missing or of another type is refused
/// with FormatError at its place. The value must outlive the reader.
class ObjectReader {
 public:
  /// Refuses a value that is no object.
  ObjectReader(const nlohmann::json& value, Place place);

  std::string text(const std::string& key);      ///< JSON text
  double number(const std::string& key);         ///< any JSON number
  std::int64_t integer(const std::string& key);  ///< written without fraction or exponent, within 64 bits
  int small_integer(const std::string& key);     ///< the same, within the range of an int
  std::uint64_t unsigned_integer(const std::string& key);  ///< as integer(), and not negative
  bool boolean(const std::string& key);                    ///< `true` or `false`
  /// nullopt where the key is absent; `null` is refused.
  std::optional<double> optional_number(const std::string& key);
  /// nullopt where the key is absent; refused outside the range of an int.
  std::optional<int> optional_integer(const std::string& key);
  std::vector<std::string> texts(const std::string& key);               ///< an array of texts
  std::map<std::string, std::string> text_map(const std::string& key);  ///< an object of texts, by key
  std::map<std::string, double> number_map(const std::string& key);     ///< an object of numbers, by key

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

  const Place& place() const { return place_; }  ///< of the object, as given
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
/// The same for a text that was read already; `place` is the object's.
void require_schema(const std::string& found, std::string_view expected, const Place& place);

/// Dumps with two spaces, arrays of numbers on one line; invalid UTF-8 is replaced.
std::string dump_json(const nlohmann::ordered_json& value);

}  // namespace gpugauge::result

// A fact of an observation whose type is open: text, number, switch, list, or null.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gpugauge::diagnose {

/// A value of open type, kept as it was written.
class Value {
 public:
  using List = std::vector<std::string>;  ///< A list of texts, in order.

  /// Null: absent or unknown, depending on the key.
  Value() = default;
  Value(bool flag) : data_(flag) {}                    ///< A switch.
  Value(double number) : data_(number) {}              ///< A number, in the key's unit.
  Value(std::string text) : data_(std::move(text)) {}  ///< A text.
  /// A text; without this overload a pointer would become a switch.
  Value(const char* text) : data_(std::string(text)) {}
  Value(List list) : data_(std::move(list)) {}  ///< A list of texts.

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }  ///< True for null.
  const bool* flag() const { return std::get_if<bool>(&data_); }  ///< nullptr for another type
  /// nullptr for another type, a number in a text included
  const double* plain_number() const { return std::get_if<double>(&data_); }
  /// nullptr for another type
  const std::string* plain_text() const { return std::get_if<std::string>(&data_); }
  const List* list() const { return std::get_if<List>(&data_); }  ///< nullptr for another type

  /// As a person writes it: "true", "1410", "a, b"; "null" for null.
  std::string text() const;
  /// The elements of a list; one element for any other value, none for null.
  List items() const;
  /// The number, or the one that a text starts with; nullopt for any other value, "0x10de" included.
  std::optional<double> number() const;
  /// True for: true, a number other than 0, "on", "enabled", "yes", "nonzero", and any other text that is not
  /// off.
  bool on() const;
  /// True for: false, 0, null, "", an empty list, "off", "disabled", "no", "none", "absent", "missing" and
  /// the other words listed in value.cpp.
  bool off() const { return !on(); }

  /// True for a word which says that the value could not be determined: "unknown".
  bool tells_nothing() const;

  /// Same type and same value: 1, "1" and true all differ.
  bool operator==(const Value&) const = default;

 private:
  std::variant<std::monostate, bool, double, std::string, List> data_;
};

}  // namespace gpugauge::diagnose

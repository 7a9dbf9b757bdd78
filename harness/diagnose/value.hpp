// One fact of an observation whose type the format leaves open: text, a number, a switch, a list, or nothing.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gpugauge::diagnose {

/// A value of the format's open type, kept as it was written.
class Value {
 public:
  using List = std::vector<std::string>;  ///< A list of texts, in order.

  /// Null: looked for and not there, or not known, as the key says.
  Value() = default;
  Value(bool flag) : data_(flag) {}                    ///< A switch.
  Value(double number) : data_(number) {}              ///< A number, in the key's unit.
  Value(std::string text) : data_(std::move(text)) {}  ///< A text.
  /// A text, which a pointer would otherwise make a switch of.
  Value(const char* text) : data_(std::string(text)) {}
  Value(List list) : data_(std::move(list)) {}  ///< A list of texts.

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }  ///< Whether it is null.
  const bool* flag() const { return std::get_if<bool>(&data_); }  ///< nullptr for another type
  /// nullptr for another type, a number in a text included
  const double* plain_number() const { return std::get_if<double>(&data_); }
  /// nullptr for another type
  const std::string* plain_text() const { return std::get_if<std::string>(&data_); }
  const List* list() const { return std::get_if<List>(&data_); }  ///< nullptr for another type

  /// As a person writes it: "true", "1410", "a, b"; "null" for null.
  std::string text() const;
  /// The elements of a list; one element for anything else, none for null.
  List items() const;
  /// The number, or the one that a text begins with; nullopt for anything else.
  std::optional<double> number() const;
  /// Says yes: true, a number other than 0, "on", "enabled", "yes", "nonzero"; any other text that is not
  /// off.
  bool on() const;
  /// Says no: false, 0, null, "", an empty list, "off", "disabled", "no", "none", "absent", "missing"
  /// and what value.cpp lists beside them.
  bool off() const { return !on(); }

  /// A word for what somebody looked for and could not tell: "unknown".
  bool tells_nothing() const;

  /// Same type and same value: 1, "1" and true are three values.
  bool operator==(const Value&) const = default;

 private:
  std::variant<std::monostate, bool, double, std::string, List> data_;
};

}  // namespace gpugauge::diagnose

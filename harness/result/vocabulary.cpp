#include "result/vocabulary.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/error.hpp"

namespace gpugauge::result {
namespace {

constexpr std::array directions{std::pair{Direction::higher, std::string_view{"higher"}},
                                std::pair{Direction::lower, std::string_view{"lower"}}};
constexpr std::array statuses{std::pair{Status::ok, std::string_view{"ok"}},
                              std::pair{Status::skipped, std::string_view{"skipped"}},
                              std::pair{Status::unavailable, std::string_view{"unavailable"}},
                              std::pair{Status::failed, std::string_view{"failed"}},
                              std::pair{Status::interrupted, std::string_view{"interrupted"}}};

template <typename Table, typename Value>
std::string_view word_of(const Table& table, Value value) {
  for (const auto& [entry, word] : table)
    if (entry == value) return word;
  throw std::invalid_argument("a value outside its enumeration");
}

template <typename Table>
auto value_of(const Table& table, std::string_view word, std::string_view what) {
  std::string known;
  for (const auto& [entry, name] : table) {
    if (name == word) return entry;
    known += known.empty() ? "" : ", ";
    known += name;
  }
  throw std::invalid_argument(
      fmt::format("{} is no {}; there are {}", quoted(std::string(word)), what, known));
}

}  // namespace

bool is_possible(double value) {
  return std::fabs(value) <= largest_value;  // false for NaN
}

bool is_possible_size(double value) {
  return value >= smallest_value && value <= largest_value;
}

bool is_class(std::string_view name) {
  return std::any_of(classes.begin(), classes.end(),
                     [&](const ClassInfo& info) { return info.name == name; });
}

bool is_unit(std::string_view name) {
  return std::find(units.begin(), units.end(), name) != units.end();
}

std::string_view to_string(Direction value) {
  return word_of(directions, value);
}
std::string_view to_string(Status value) {
  return word_of(statuses, value);
}

Direction direction_from(std::string_view word) {
  return value_of(directions, word, "direction");
}
Status status_from(std::string_view word) {
  return value_of(statuses, word, "status");
}

}  // namespace gpugauge::result

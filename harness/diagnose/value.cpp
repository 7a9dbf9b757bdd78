#include "diagnose/value.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/words.hpp"
#include "result/number.hpp"

namespace gpugauge::diagnose {

std::string Value::text() const {
  if (const bool* value = flag()) return *value ? "true" : "false";
  if (const double* value = plain_number()) return fmt::format("{:.12g}", *value);
  if (const std::string* value = plain_text()) return *value;
  if (const List* value = list()) return fmt::format("{}", fmt::join(*value, ", "));
  return "null";
}

Value::List Value::items() const {
  if (is_null()) return {};
  if (const List* value = list()) return *value;
  return {text()};
}

std::optional<double> Value::number() const {
  if (const double* value = plain_number()) return *value;
  const std::string* value = plain_text();
  // A register or an address ("0x10de") is a word. Its leading 0 is no amount.
  if (value == nullptr || value->starts_with("0x") || value->starts_with("0X")) return std::nullopt;
  return result::leading_number<double>(*value);
}

bool Value::on() const {
  if (is_null()) return false;
  if (const bool* value = flag()) return *value;
  if (const double* value = plain_number()) return *value != 0;
  if (const List* value = list()) return !value->empty();
  const std::string word = lower(text());
  // The spellings of nvidia-smi, NVML and the kernel.
  constexpr std::array<std::string_view, 22> noes{"",
                                                  "0",
                                                  "off",
                                                  "no",
                                                  "none",
                                                  "false",
                                                  "disabled",
                                                  "disable",
                                                  "absent",
                                                  "missing",
                                                  "n/a",
                                                  "[n/a]",
                                                  "inactive",
                                                  "null",
                                                  "never",
                                                  "not loaded",
                                                  "not installed",
                                                  "not active",
                                                  "unsupported",
                                                  "not supported",
                                                  "not_supported",
                                                  "[not supported]"};
  return std::find(noes.begin(), noes.end(), word) == noes.end();
}

bool Value::tells_nothing() const {
  const std::string* word = plain_text();
  return word != nullptr && (lower(*word) == "unknown" || lower(*word) == "[unknown]");
}

}  // namespace gpugauge::diagnose

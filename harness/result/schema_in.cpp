#include "result/schema_in.hpp"

#include "result/error.hpp"
#include "result/json_cursor.hpp"

namespace gpugauge::result {

std::string schema_in(std::string_view text) {
  try {
    JsonCursor in(text, "");
    if (!in.to_member("schema")) return {};
    std::string schema = in.text();
    if (schema.starts_with("gpugauge.")) return schema;
  } catch (const FormatError&) {  // NOLINT(bugprone-empty-catch): who reads it says what is wrong
  }
  return {};
}

bool of_another_schema(std::string_view text) {
  const std::string schema = schema_in(text);
  return !schema.empty() && !schema.starts_with("gpugauge.run/");
}

}  // namespace gpugauge::result

// Which of our formats a text is, before it is read as one.
#pragma once

#include <string>
#include <string_view>

namespace gpugauge::result {

/// The "schema" of the object that a file of ours is, such as "gpugauge.run/1", wherever its writer put the
/// key; "" for any other text. Reads no further than that key, and does not check what is around it.
std::string schema_in(std::string_view text);

/// True for a file of ours that is no run: a baseline's manifest, a report.
bool of_another_schema(std::string_view text);

}  // namespace gpugauge::result

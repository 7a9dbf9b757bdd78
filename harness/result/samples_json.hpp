// Sample files as JSON, for the readers and writers that embed them.
#pragma once

#include <stdexcept>

#include <nlohmann/json.hpp>

#include "result/json_cursor.hpp"
#include "result/samples.hpp"

namespace gpugauge::result {

/// Checks the rules of samples.hpp. Throws std::invalid_argument naming the benchmark and the rule.
void validate(const Samples& samples);

/// Reads one sample object at the cursor, and checks its rules. Detail says what is kept. Nothing of the old
/// content of `samples` stays but its capacity.
void read(JsonCursor& in, Samples& samples, Detail detail);
/// JSON as it stands in files; does not check the rules of samples.hpp.
nlohmann::ordered_json json_of(const Samples& samples);

/// Reads a word of the vocabulary; refuses an unknown one at its place.
template <typename From>
auto word(JsonCursor& in, const From& from) {
  try {
    return from(in.text());
  } catch (const std::invalid_argument& error) {
    in.refuse(error.what());
  }
}

}  // namespace gpugauge::result

// Sample files as JSON, for the readers and writers that embed them.
#pragma once

#include <stdexcept>

#include <nlohmann/json.hpp>

#include "result/json_cursor.hpp"
#include "result/samples.hpp"

namespace gpugauge::result {

/// Checks the rules of samples.hpp. Throws std::invalid_argument naming the benchmark and the rule.
void validate(const Samples& samples);

/// Reads one sample object at the cursor, and checks its rules. See Detail for what is kept. Nothing of what
/// `samples` held before is left, but its room.
void read(JsonCursor& in, Samples& samples, Detail detail);
/// As it stands in files; the rules of samples.hpp are not checked.
nlohmann::ordered_json json_of(const Samples& samples);

/// A word of the vocabulary; an unknown one is refused at its place.
template <typename From>
auto word(JsonCursor& in, const From& from) {
  try {
    return from(in.text());
  } catch (const std::invalid_argument& error) {
    in.refuse(error.what());
  }
}

}  // namespace gpugauge::result

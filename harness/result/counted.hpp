// Numbers of things in sentences.
#pragma once

#include <concepts>
#include <string>

#include <fmt/format.h>

namespace gpugauge::result {

/// "1 node", "3 nodes": of words whose plural has an s.
std::string counted(std::integral auto number, const char* word) {
  return fmt::format("{} {}{}", number, word, number == 1 ? "" : "s");
}

}  // namespace gpugauge::result

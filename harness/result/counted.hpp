// Numbers of things in sentences.
#pragma once

#include <concepts>
#include <string>

#include <fmt/format.h>

namespace gpugauge::result {

/// "1 node", "3 nodes": for words whose plural adds an s.
std::string counted(std::integral auto number, const char* word) {
  return fmt::format("{} {}{}", number, word, number == 1 ? "" : "s");
}

/// "1 process", "3 processes": for other words.
std::string counted(std::integral auto number, const char* word, const char* plural) {
  return fmt::format("{} {}", number, number == 1 ? word : plural);
}

}  // namespace gpugauge::result

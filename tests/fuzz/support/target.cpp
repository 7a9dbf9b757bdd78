#include "fuzz/support/target.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace gpugauge::fuzz {
namespace {

std::vector<const Target*>& known() {
  static std::vector<const Target*> targets;
  return targets;
}

}  // namespace

Target::Target(const char* name, Read reader) : name_(name), read_(reader) {
  known().push_back(this);
}

const std::vector<const Target*>& targets() {
  return known();
}

void require(bool holds, std::string_view sentence) {
  if (holds) return;
  std::fprintf(stderr, "The contract does not hold: %.*s\n", static_cast<int>(sentence.size()),
               sentence.data());
  std::abort();
}

void require_sentence(std::string_view sentence) {
  require(!sentence.empty(), "a refusal has no sentence");
  const bool clean = std::none_of(sentence.begin(), sentence.end(),
                                  [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  require(clean, "a refusal's sentence has a line end or a control character of the input");
  // For people: why a seed goes no further.
  static const bool say = std::getenv("GPUGAUGE_FUZZ_SAY") != nullptr;
  if (say) std::printf("  refused: %.*s\n", static_cast<int>(sentence.size()), sentence.data());
}

std::string_view take_line(std::string_view& bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  const std::string_view line = bytes.substr(0, end);
  bytes.remove_prefix(std::min(end + 1, bytes.size()));
  return line;
}

}  // namespace gpugauge::fuzz

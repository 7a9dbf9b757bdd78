#include "stack/plan/redact_words.hpp"

#include <algorithm>
#include <functional>

#include "stack/inventory/lines.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t joined_least = 5;

bool is_word(char c, bool underscore) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (underscore && c == '_');
}

/// True if a word of that length is whole here.
bool is_whole(std::string_view low, std::size_t at, std::size_t length) {
  const bool underscore = length < joined_least;
  const std::size_t end = at + length;
  return end <= low.size() && (at == 0 || !is_word(low[at - 1], underscore)) &&
         (end == low.size() || !is_word(low[end], underscore));
}

}  // namespace

void KnownWords::add(std::string_view word, std::string replacement) {
  if (word.size() < least || !words_.emplace(lower(word), std::move(replacement)).second) return;
  const auto place = std::lower_bound(lengths_.begin(), lengths_.end(), word.size(), std::greater<>());
  if (place == lengths_.end() || *place != word.size()) lengths_.insert(place, word.size());
}

std::string KnownWords::replaced(std::string_view text) const {
  const std::string low = lower(text);
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::string* replacement = nullptr;
    std::size_t length = 0;
    for (auto one = lengths_.begin(); one != lengths_.end() && replacement == nullptr; ++one) {
      if (!is_whole(low, at, *one)) continue;
      const auto word = words_.find(low.substr(at, *one));
      if (word == words_.end()) continue;
      replacement = &word->second;
      length = *one;
    }
    if (replacement != nullptr)
      result += *replacement;
    else
      result += text[at];
    at += replacement != nullptr ? length : 1;
  }
  return result;
}

}  // namespace gpugauge::stack

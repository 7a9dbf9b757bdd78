#include "stack/credentials.hpp"

#include <algorithm>
#include <array>

#include "stack/inventory/lines.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::string_view withheld = "withheld";
// Where a URL's host ends, and where nothing of it may go on.
constexpr std::string_view ends = "/?# \t\r\n,;'\"`()[]{}<>|\\";
constexpr std::string_view hard_ends = "/?# \t\r\n\"";
// Behind these a NAME begins.
constexpr std::string_view name_starts = "=,;?&#\"'`()[]{}<>| \t\r\n";

/// Where a host begins, and no size, rate or digest, which stand behind an '@' too.
bool is_host(std::string_view text) {
  if (text.starts_with("sha256:") || text.starts_with("sha512:") || text.empty()) return false;
  const char first = text.front();
  if (first == '[' || (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z')) return true;
  const std::string_view numbers = text.substr(0, text.find_first_not_of("0123456789."));
  return std::count(numbers.begin(), numbers.end(), '.') == 3;
}

/// "https://name:word@host" without the name and the word, each time it stands there.
std::string without_users(std::string_view text) {
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = text.find("://"); at != std::string_view::npos; at = text.find("://", at)) {
    at += 3;
    const std::size_t sign = text.substr(at, end_of_authority(text, at) - at).rfind('@');
    if (sign == std::string_view::npos) continue;
    result += text.substr(from, at - from);
    result += withheld;
    from = at += sign;
  }
  result += text.substr(from);
  return result;
}

/// URLs without the values of parameters that are called like secrets.
std::string without_parameters(std::string_view text) {
  constexpr std::string_view url_ends = " \t\r\n\"";
  constexpr std::string_view starts = "?&#;";
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = text.find("://"); at != std::string_view::npos; at = text.find("://", at)) {
    const std::size_t end = std::min(text.find_first_of(url_ends, at), text.size());
    std::size_t name = std::string_view::npos;
    for (; at < end; ++at) {
      if (starts.find(text[at]) != std::string_view::npos) name = at + 1;
      if (text[at] != '=' || name == std::string_view::npos) continue;
      if (may_be_secret(text.substr(name, at - name))) {
        result += text.substr(from, at + 1 - from);
        result += withheld;
        from = std::min(text.substr(0, end).find_first_of("&#", at), end);
        at = from - 1;
      }
      name = std::string_view::npos;
    }
  }
  result += text.substr(from);
  return result;
}

/// "name:word@host" without a scheme in front, without the name and the word. What begins behind a slash is
/// of a URL or a path.
std::string without_logins(std::string_view word) {
  std::string result;
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t end = std::min(word.find_first_of(hard_ends, at), word.size());
    const std::string_view part = word.substr(at, end - at);
    const std::size_t sign = part.rfind('@');
    const std::size_t colon = part.find(':');
    std::size_t kept = 0;
    if ((at == 0 || word[at - 1] != '/') && colon < sign && sign != std::string_view::npos &&
        is_host(part.substr(sign + 1))) {
      const std::size_t before = part.substr(0, colon).find_last_of(name_starts);
      result += part.substr(0, before == std::string_view::npos ? 0 : before + 1);
      result += withheld;
      kept = sign;
    }
    result += part.substr(kept);
    if (end < word.size()) result += word[end];
    at = end + 1;
  }
  return result;
}

/// A word without what follows the first NAME= that is called like a secret.
std::string without_secret_value(std::string word) {
  std::size_t name = 0;
  for (std::size_t at = 0; at + 1 < word.size(); ++at) {
    if (word[at] == '=') {
      const std::string_view called = std::string_view(word).substr(name, at - name);
      const std::string_view value = std::string_view(word).substr(at + 1);
      constexpr std::string_view parameter_ends = "&#";
      const bool done =
          value.starts_with(withheld) &&
          (value == withheld || parameter_ends.find(value[withheld.size()]) != std::string_view::npos);
      if (!done && called.find("://") == std::string_view::npos && may_be_secret(called))
        return word.substr(0, at + 1) + std::string(withheld);
    }
    if (name_starts.find(word[at]) != std::string_view::npos) name = at + 1;
  }
  return word;
}

}  // namespace

std::size_t end_of_authority(std::string_view text, std::size_t start) {
  const std::size_t hard = std::min(text.find_first_of(hard_ends, start), text.size());
  const std::size_t sign = text.substr(start, hard - start).rfind('@');
  const std::size_t host = sign == std::string_view::npos ? start : start + sign + 1;
  return std::min(text.find_first_of(ends, host), text.size());
}

std::string without_credentials(std::string_view text) {
  if (text.find("://") == std::string_view::npos) return std::string(text);
  return without_parameters(without_users(text));
}

bool may_be_secret(std::string_view name) {
  static constexpr std::array<std::string_view, 7> parts{"credential", "passphrase", "passw",    "secret",
                                                         "token",      "auth",       "signature"};
  const std::string low = lower(name);
  const bool pass = low.ends_with("pass") && !low.ends_with("bypass");
  // Small letters in the middle of a name are rather those of a keyboard ("vconsole.keymap").
  const bool key = low.ends_with("key") || name.find("KEY") != std::string_view::npos;
  return pass || key || low.ends_with("pwd") || low == "sig" ||
         std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return low.find(part) != std::string::npos; });
}

std::string words_without_credentials(std::string_view words) {
  constexpr std::string_view blanks = " \t\r\n";
  std::string result;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t start = std::min(words.find_first_not_of(blanks, at), words.size());
    result += words.substr(at, start - at);
    bool quoted = false;
    for (at = start; at < words.size() && (quoted || blanks.find(words[at]) == std::string_view::npos); ++at)
      quoted = quoted != (words[at] == '"');
    const std::string_view word = words.substr(start, at - start);
    const std::string plain = without_credentials(word);
    result += word.starts_with('/') ? plain : without_secret_value(without_logins(plain));
  }
  return result;
}

}  // namespace gpugauge::stack

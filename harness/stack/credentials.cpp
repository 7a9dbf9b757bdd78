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

/// Of a boot option or of a URL's parameter.
bool is_called_secret(std::string_view name) {
  static constexpr std::array<std::string_view, 6> parts{"credential", "passw", "secret",
                                                         "token",      "auth",  "signature"};
  const std::string low = lower(name);
  return low.ends_with("key") || low == "sig" || low == "pwd" || low == "pass" ||
         std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return low.find(part) != std::string::npos; });
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
      if (is_called_secret(text.substr(name, at - name))) {
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

bool may_be_secret(std::string_view variable) {
  static constexpr std::array<std::string_view, 7> secrets{"KEY",    "TOKEN",      "SECRET", "PASSWORD",
                                                           "PASSWD", "CREDENTIAL", "AUTH"};
  return std::any_of(secrets.begin(), secrets.end(),
                     [&](std::string_view word) { return variable.find(word) != std::string_view::npos; });
}

std::string words_without_credentials(std::string_view words) {
  std::string result;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t start = std::min(words.find_first_not_of(" \t", at), words.size());
    result += words.substr(at, start - at);
    bool quoted = false;
    for (at = start; at < words.size() && (quoted || (words[at] != ' ' && words[at] != '\t')); ++at)
      quoted = quoted != (words[at] == '"');
    const std::string_view word = words.substr(start, at - start);
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals + 1 == word.size() ||
        !is_called_secret(word.substr(0, equals))) {
      result += without_credentials(word);
      continue;
    }
    result += word.substr(0, equals + 1);
    result += withheld;
  }
  return result;
}

}  // namespace gpugauge::stack

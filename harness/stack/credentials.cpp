// Finds and removes secrets in URLs, command lines and settings.
#include "stack/credentials.hpp"

#include <algorithm>
#include <array>

#include "stack/inventory/lines.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::string_view withheld = "withheld";
// Characters that end a URL's host, and those that end the whole authority.
constexpr std::string_view ends = "/?# \t\r\n,;'\"`()[]{}<>|\\";
constexpr std::string_view hard_ends = "/?# \t\r\n\"";
// A NAME begins after one of these.
constexpr std::string_view name_starts = "=,;?&#\"'`()[]{}<>| \t\r\n";

/// True if the text after an '@' belongs to a symbol: a version or its library ("bar@GLIBC_2.34",
/// "bar@libfoo.so").
bool is_of_symbol(std::string_view text) {
  for (const std::string_view version : {"GLIBC_", "GLIBCXX_", "CXXABI_"})
    if (text.starts_with(version)) return true;
  const std::string_view name = text.substr(0, text.find_first_of(ends));
  const std::size_t suffix = name.find(".so");
  return suffix != std::string_view::npos &&
         name.find_first_not_of("0123456789.", suffix + 3) == std::string_view::npos;
}

/// True if a host begins here. Sizes, rates and digests, which also follow an '@', do not count.
bool is_host(std::string_view text) {
  if (text.starts_with("sha256:") || text.starts_with("sha512:") || text.empty()) return false;
  if (is_of_symbol(text)) return false;
  const char first = text.front();
  if (first == '[' || (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z')) return true;
  const std::string_view numbers = text.substr(0, text.find_first_not_of("0123456789."));
  return std::count(numbers.begin(), numbers.end(), '.') == 3;
}

/// Removes name and word from each "https://name:word@host".
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

/// Removes from URLs the values of parameters with secret-like names.
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

/// Removes name and word from "name:word@host" without a scheme. Text after a slash belongs to a URL or a
/// path.
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

constexpr std::string_view decimal_digits = "0123456789";

/// True for numbers and their separators: "9.1.0.70-1", "1:3.2.2", "20191231-2".
bool is_version(std::string_view value) {
  value = value.substr(0, value.find_first_of(name_starts));
  const std::size_t joint = value.find_first_not_of(decimal_digits);
  if (joint == 0 || joint == std::string_view::npos || joint + 1 >= value.size()) return false;
  constexpr std::string_view joints = ".:-+~";
  return joints.find(value[joint]) != std::string_view::npos &&
         decimal_digits.find(value[joint + 1]) != std::string_view::npos;
}

/// True for a package with its version, "NAME==1.2", "NAME!=1.2", "NAME=1.2-3": then the version is no secret
/// although the name resembles one ("tokenizers"). A name whose last word means a secret, and a variable's
/// name, is no package.
bool is_package(std::string_view name, std::string_view value) {
  constexpr std::string_view comparing = "!~";
  bool compared = !name.empty() && comparing.find(name.back()) != std::string_view::npos;
  if (compared) name.remove_suffix(1);
  while (value.starts_with('=')) {
    compared = true;
    value.remove_prefix(1);
  }
  const bool variable = std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (variable || name.empty() || value.empty()) return false;
  if (compared) return decimal_digits.find(value.front()) != std::string_view::npos;
  constexpr std::array<std::string_view, 11> secrets{"key",  "passphrase",  "password", "passwd",
                                                     "pass", "pwd",         "secret",   "token",
                                                     "auth", "credentials", "signature"};
  constexpr std::string_view of_package = "abcdefghijklmnopqrstuvwxyz0123456789+.-";
  return is_version(value) && name.front() != '-' &&
         name.find_first_not_of(of_package) == std::string_view::npos &&
         std::none_of(secrets.begin(), secrets.end(),
                      [&](std::string_view end) { return name.ends_with(end); });
}

/// Removes what follows the first NAME= with a secret-like name in a word.
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
      if (!done && called.find("://") == std::string_view::npos && may_be_secret(called) &&
          !is_package(called, value))
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
  // Lower-case "key" inside a name more likely means a keyboard ("vconsole.keymap").
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

// Recognises identifying text at a position in a string.
#include "stack/plan/redact_scan.hpp"

#include <algorithm>
#include <array>

#include "result/text.hpp"
#include "stack/credentials.hpp"

namespace gpugauge::stack::scan {
namespace {

using result::is_digit;

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
/// True for a letter or a digit.
bool is_letter(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_word(char c) {
  return is_letter(c) || c == '_';
}

/// The match must not continue before or after it.
bool free_before(std::string_view text, std::size_t at) {
  return at == 0 || !is_word(text[at - 1]);
}
bool free_behind(std::string_view text, std::size_t end) {
  return end >= text.size() || !is_word(text[end]);
}

std::size_t hex_run(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_hex(text[end])) ++end;
  return end - at;
}

/// Length of `count` groups of exactly `digits` hexadecimal digits, joined by `joint`; 0 if they are not
/// there.
std::size_t groups(std::string_view text, std::size_t at, std::size_t count, std::size_t digits, char joint) {
  std::size_t end = at;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) {
      if (end >= text.size() || text[end] != joint) return 0;
      ++end;
    }
    if (hex_run(text, end) != digits) return 0;
    end += digits;
  }
  if (end < text.size() && text[end] == joint && end + 1 < text.size() && is_hex(text[end + 1])) return 0;
  return end - at;
}

bool begins(std::string_view text, std::size_t at, char joint) {
  return free_before(text, at) && (at == 0 || text[at - 1] != joint);
}

/// As begins(), but a name may precede the joint ("ifname=eth0:aa:bb:...", "addr:fe80::1"). Fails if a group
/// of the same kind, or another joint, ends there.
bool begins_behind_name(std::string_view text, std::size_t at, char joint) {
  if (begins(text, at, joint)) return true;
  if (!free_before(text, at) || at < 2 || !is_word(text[at - 2])) return false;
  constexpr std::size_t group_longest = 4;
  std::size_t start = at - 1;
  bool hex = true;
  while (start > 0 && is_word(text[start - 1]) && at - start <= group_longest + 1) {
    --start;
    hex = hex && is_hex(text[start]);
  }
  return !hex || at - 1 - start > group_longest;
}

/// End of the IPv4 address whose first number is this group of an IPv6 address; 0 if there is none.
std::size_t end_of_embedded(std::string_view text, std::size_t group, std::size_t end) {
  if (end >= text.size() || text[end] != '.' || group == 0 || text[group - 1] != ':') return 0;
  const std::size_t length = ipv4(text, group);
  return length == 0 ? 0 : group + length;
}

bool ends_path(char c) {
  constexpr std::string_view ends = " \t\r\n:,;'\"`()[]{}<>|=";
  return ends.find(c) != std::string_view::npos || c == '\0';
}

}  // namespace

std::size_t uuid(std::string_view text, std::size_t at) {
  if (at > 0 && is_letter(text[at - 1])) return 0;
  static constexpr std::array<std::size_t, 5> lengths{8, 4, 4, 4, 12};
  std::size_t end = at;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (i > 0) {
      if (end >= text.size() || text[end] != '-') return 0;
      ++end;
    }
    if (hex_run(text, end) != lengths[i]) return 0;
    end += lengths[i];
  }
  return end < text.size() && is_letter(text[end]) ? 0 : end - at;
}

std::size_t gpu_uuid(std::string_view text, std::size_t at) {
  if (at > 0 && is_letter(text[at - 1])) return 0;
  const std::string_view rest = text.substr(at);
  if (!rest.starts_with("GPU-") && !rest.starts_with("MIG-")) return 0;
  const std::size_t length = uuid(text.substr(at + 4), 0);
  if (length != 0) return length + 4;
  // CUDA_VISIBLE_DEVICES also accepts a unique beginning; fewer digits are an index or a word.
  constexpr std::size_t beginning_least = 6;
  std::size_t end = at + 4;
  while (end < text.size() && (is_hex(text[end]) || text[end] == '-')) ++end;
  const std::size_t digits = hex_run(text, at + 4);
  return digits >= beginning_least && digits <= 8 && (end >= text.size() || !is_letter(text[end])) ? end - at
                                                                                                   : 0;
}

std::size_t container_id(std::string_view text, std::size_t at) {
  constexpr std::size_t digits = 64;
  return free_before(text, at) && hex_run(text, at) == digits && free_behind(text, at + digits) ? digits : 0;
}

std::size_t machine_id(std::string_view text, std::size_t at) {
  constexpr std::size_t digits = 32;
  return free_before(text, at) && hex_run(text, at) == digits && free_behind(text, at + digits) ? digits : 0;
}

std::size_t url_authority(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with("://") || at == 0 || !is_word(text[at - 1])) return 0;
  return end_of_authority(text, at + 3) - (at + 3);
}

namespace {

/// Length of the kernel's fallback name for a network card: "enx78e7d1ea46da".
std::size_t named_by_mac(std::string_view text, std::size_t at) {
  constexpr std::size_t prefix = 3;
  constexpr std::size_t digits = 12;
  const std::string_view start = text.substr(at, prefix);
  if (start != "enx" && start != "wlx" && start != "wwx") return 0;
  const bool whole = free_before(text, at) && hex_run(text, at + prefix) == digits &&
                     free_behind(text, at + prefix + digits);
  return whole ? prefix + digits : 0;
}

}  // namespace

std::size_t mac(std::string_view text, std::size_t at) {
  for (const char joint : {':', '-'}) {
    if (!begins_behind_name(text, at, joint)) continue;
    // A boot loader puts the network type in front (BOOTIF=01-aa-bb-...).
    for (const std::size_t count : {std::size_t{7}, std::size_t{6}}) {
      const std::size_t length = groups(text, at, count, 2, joint);
      if (length != 0 && free_behind(text, at + length)) return length;
    }
  }
  return named_by_mac(text, at);
}

std::size_t guid(std::string_view text, std::size_t at) {
  if (begins(text, at, '-')) {  // a PCI device's serial number
    const std::size_t length = groups(text, at, 8, 2, '-');
    if (length != 0 && free_behind(text, at + length)) return length;
  }
  if (begins_behind_name(text, at, ':')) {
    for (const auto& [count, digits] : {std::pair<std::size_t, std::size_t>{20, 2}, {8, 2}, {4, 4}, {4, 8}}) {
      const std::size_t length = groups(text, at, count, digits, ':');
      if (length != 0 && free_behind(text, at + length)) return length;
    }
  }
  constexpr std::size_t digits = 16;
  const std::size_t prefix = text.substr(at).starts_with("0x") ? 2 : 0;
  const std::size_t end = at + prefix + digits;
  if (!free_before(text, at) || hex_run(text, at + prefix) != digits || !free_behind(text, end)) return 0;
  const std::string_view bare = text.substr(at, digits);
  return prefix == 0 && std::all_of(bare.begin(), bare.end(), is_digit) ? 0 : end - at;
}

std::size_t ipv4(std::string_view text, std::size_t at) {
  if (!begins(text, at, '.')) return 0;
  std::size_t end = at;
  for (int part = 0; part < 4; ++part) {
    if (part > 0) {
      if (end >= text.size() || text[end] != '.') return 0;
      ++end;
    }
    int value = 0;
    std::size_t digits = 0;
    while (end < text.size() && is_digit(text[end]) && digits < 4) {
      value = value * 10 + (text[end] - '0');
      ++end;
      ++digits;
    }
    if (digits == 0 || digits > 3 || value > 255) return 0;
  }
  if (!free_behind(text, end)) return 0;
  const bool goes_on = end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1]);
  return goes_on ? 0 : end - at;
}

namespace {

/// True for text such as ":443" or "', 443", a port after a host.
bool begins_port(std::string_view behind) {
  constexpr std::string_view between = ":'\", ";
  const std::size_t digit = behind.find_first_not_of(between);
  if (digit == std::string_view::npos || !is_digit(behind[digit])) return false;
  return behind.starts_with(':') ? digit == 1 : behind.starts_with("',") || behind.starts_with("\",");
}

/// True if the text ends with a word that announces a host, apart from separators.
bool calls_host(std::string_view before) {
  if (before.ends_with('@') || before.ends_with("//")) return true;
  constexpr std::string_view between = " =:'\"([";
  before = before.substr(0, before.find_last_not_of(between) + 1);
  constexpr std::size_t longest = 16;
  const std::string word =
      result::lower(before.substr(before.size() < longest ? 0 : before.size() - longest));
  constexpr std::array<std::string_view, 10> calling{
      "host",    "hostname",   "proxy",         "server",       "peer",
      "address", "connect to", "connection to", "connected to", "connecting to"};
  return std::any_of(calling.begin(), calling.end(),
                     [&](std::string_view name) { return word.ends_with(name); });
}

}  // namespace

std::size_t marked_ipv4(std::string_view text, std::size_t at) {
  const std::size_t length = ipv4(text, at);
  if (length == 0) return 0;
  const bool marked = text.substr(at).starts_with("192.168.") || begins_port(text.substr(at + length)) ||
                      calls_host(text.substr(0, at));
  return marked ? length : 0;
}

std::size_t ipv6(std::string_view text, std::size_t at) {
  // A digit after a dash is a placeholder's number, followed by an empty list entry:
  // "home-folder-0::/usr/lib".
  if (!begins_behind_name(text, at, ':') || (at > 0 && text[at - 1] == '-')) return 0;
  std::size_t end = at;
  std::size_t group = at;
  std::size_t colons = 0;
  std::size_t pairs = 0;
  std::size_t numbers = 0;
  while (end < text.size() && (is_hex(text[end]) || text[end] == ':')) {
    if (text[end] == ':') {
      const bool pair = end > at && text[end - 1] == ':';
      if (pair && end > at + 1 && text[end - 2] == ':') return 0;
      pairs += pair ? 1 : 0;
      ++colons;
      ++end;
      continue;
    }
    const std::size_t digits = hex_run(text, end);
    if (digits > 4) return 0;
    ++numbers;
    group = end;
    end += digits;
  }
  if (const std::size_t embedded = end_of_embedded(text, group, end); embedded > 0) {
    end = embedded;  // it counts as two groups
    ++numbers;
    ++colons;
  }
  // A final colon belongs to the sentence, unless it is part of "::".
  if (end > at && text[end - 1] == ':' && !(end - at >= 2 && text[end - 2] == ':')) {
    --end;
    --colons;
  }
  if (!free_behind(text, end) || numbers == 0) return 0;
  const bool whole = pairs == 0 && colons == 7 && numbers == 8;
  const bool shortened = pairs == 1 && colons <= 7 && numbers <= 7;
  return whole || shortened ? end - at : 0;
}

std::size_t home_folder(std::string_view text, std::size_t at, std::string_view home, bool has_users,
                        bool alone) {
  if (home.empty() || !text.substr(at).starts_with(home)) return 0;
  if (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '.' || text[at - 1] == '/' || text[at - 1] == '-'))
    return 0;
  std::size_t end = at + home.size();
  if (end < text.size() && text[end] != '/' && !ends_path(text[end])) return 0;
  if (has_users) {  // the folder of homes itself identifies nobody
    if (end >= text.size() || text[end] != '/' || end + 1 >= text.size() || ends_path(text[end + 1]))
      return 0;
  }
  while (end < text.size() && (alone || !ends_path(text[end]))) ++end;
  const std::string_view path = text.substr(at, end - at);
  const std::size_t slash = path.find_last_of('/');
  const std::size_t least = home.size() + (has_users ? 1 : 0);  // end of the user's name or of the home
  // A library or package keeps its file name, which identifies it but nobody else.
  if (slash >= least && path.substr(slash).find(".so") != std::string_view::npos) return slash;
  return end - at;
}

std::size_t end_of_path(std::string_view text, std::size_t at, bool alone) {
  while (at < text.size() && (alone || !ends_path(text[at]))) ++at;
  return at;
}

std::size_t home_elsewhere(std::string_view text, std::size_t at, bool alone) {
  if (text[at] != '/' || (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '.' || text[at - 1] == '/' ||
                                     text[at - 1] == '-')))
    return 0;
  const std::string_view path = text.substr(at, end_of_path(text, at, alone) - at);
  const std::size_t person = person_folder(path);
  if (person == 0) return 0;
  const std::size_t slash = path.find_last_of('/');
  const bool library = slash >= person && path.substr(slash).find(".so") != std::string_view::npos;
  return library ? slash : path.size();
}

std::size_t home_in_relative(std::string_view text, std::size_t at, bool alone) {
  const bool begins = at == 0 || (!alone && ends_path(text[at - 1]));
  if (!begins || text[at] == '/' || ends_path(text[at])) return 0;
  const std::string_view path = text.substr(at, end_of_path(text, at, alone) - at);
  std::size_t person = person_folder(path);
  if (path.size() > 1 && path[0] == '~' && is_word(path[1]) && !is_digit(path[1]))
    person = std::min(path.find('/'), path.size());
  if (person == 0) return 0;
  const std::size_t slash = path.find_last_of('/');
  const bool library = slash != std::string_view::npos && slash >= person &&
                       path.substr(slash).find(".so") != std::string_view::npos;
  return library ? slash : path.size();
}

std::size_t registry(std::string_view text, std::size_t at) {
  if (!is_letter(text[at]) || (at > 0 && !ends_path(text[at - 1]))) return 0;
  std::size_t end = at;
  std::size_t label = at;  // start of the last label
  bool name = true;        // the last label has only letters
  for (; end < text.size() && (is_letter(text[end]) || text[end] == '-' || text[end] == '.'); ++end) {
    if (text[end] == '.') {
      label = end + 1;
      name = true;
    } else if (is_digit(text[end]) || text[end] == '-') {
      name = false;
    }
  }
  if (label == at || !name || end - label < 2) return 0;
  const bool amazon = text.substr(at, end - at).find(".dkr.ecr.") != std::string_view::npos;
  std::size_t port = end;
  if (port < text.size() && text[port] == ':') {
    ++port;
    while (port < text.size() && is_digit(text[port])) ++port;
  }
  if (port == end + 1) port = end;
  const bool image = port + 1 < text.size() && text[port] == '/' && is_letter(text[port + 1]);
  return image ? port - at : amazon ? end - at : 0;
}

std::size_t cloud_account(std::string_view text, std::size_t at) {
  constexpr std::size_t digits = 12;
  constexpr std::size_t before_most = 64;
  if (!is_digit(text[at]) || at == 0 || text[at - 1] != ':') return 0;
  const std::string_view account = text.substr(at, digits);
  if (account.size() < digits || !std::all_of(account.begin(), account.end(), is_digit) ||
      !free_behind(text, at + digits))
    return 0;
  const std::size_t from = at < before_most ? 0 : at - before_most;
  const std::string_view before = text.substr(from, at - from);
  const std::size_t start = before.rfind("arn:aws");
  if (start == std::string_view::npos) return 0;
  const std::string_view fields = before.substr(start);
  return std::count(fields.begin(), fields.end(), ':') == 4 ? digits : 0;
}

std::size_t person_folder(std::string_view path) {
  for (const std::string_view homes : {"/home/", "/Users/", "/users/", "/homes/"}) {
    const std::size_t found = path.find(homes);
    if (found == std::string_view::npos || found + homes.size() >= path.size()) continue;
    return std::min(path.find('/', found + homes.size()), path.size());
  }
  return 0;
}

bool ends_in_text(std::string_view path) {
  return std::any_of(path.begin(), path.end(), ends_path);
}

}  // namespace gpugauge::stack::scan

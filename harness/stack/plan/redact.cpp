#include "stack/plan/redact.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "stack/plan/redact_scan.hpp"

namespace gpugauge::stack {
namespace {

// Shorter words stand in too many others ("a", "gpu", "vm1") to be told from them.
constexpr std::size_t name_least = 3;
constexpr std::size_t serial_least = 5;

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Items whose text may hold addresses. Elsewhere four numbers are a version (12.8.4.1).
bool may_hold_addresses(std::string_view key) {
  for (const std::string_view prefix : {"env.", "process.env.", "kernel_log.", "kernel.command_line", "file.",
                                        "host.infiniband", "container.", "driver.history."}) {
    if (key.starts_with(prefix)) return key.find("VERSION") == std::string_view::npos;
  }
  return false;
}

/// Replaces a whole word, wherever it stands.
std::string word_replaced(const std::string& text, const std::string& word, const std::string& by) {
  std::string result;
  std::size_t start = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    const std::size_t end = at + word.size();
    const bool whole = (at == 0 || !is_word(text[at - 1])) && (end >= text.size() || !is_word(text[end]));
    if (whole) {
      result.append(text, start, at - start);
      result += by;
      start = end;
    }
    at = end;
  }
  result.append(text, start, std::string::npos);
  return result;
}

}  // namespace

RedactNames current_names() {
  RedactNames names;
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0 && host[0] != '\0') {
    const std::string full = host.data();
    names.hosts.push_back(full);
    if (const auto dot = full.find('.'); dot != std::string::npos) names.hosts.push_back(full.substr(0, dot));
  }
  // The entry is read at once, and this command looks names up in one thread.
  if (const passwd* user = getpwuid(getuid())) {  // NOLINT(concurrency-mt-unsafe)
    if (user->pw_name != nullptr && getuid() != 0) names.users.emplace_back(user->pw_name);
    if (user->pw_dir != nullptr) names.homes.emplace_back(user->pw_dir);
  }
  return names;
}

Redactor::Redactor(const RedactNames& names) {
  for (const std::string& host : names.hosts) {
    remember("host", host);
    // The device mapper doubles dashes: /dev/mapper/node--17-root.
    std::string doubled;
    for (const char letter : host) doubled += letter == '-' ? std::string("--") : std::string(1, letter);
    if (doubled != host) remember("host", doubled);
  }
  for (const std::string& user : names.users) remember("user", user);
  for (const std::string& home : names.homes) {
    if (home.size() > 1 && home.front() == '/') homes_.push_back(home);
  }
  std::sort(homes_.begin(), homes_.end(),
            [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
}

std::string Redactor::placeholder(const std::string& kind, const std::string& original) {
  const auto [entry, fresh] = placeholders_.try_emplace(kind + '\0' + original);
  if (fresh) entry->second = fmt::format("{}-{}", kind, counts_[kind]++);
  return entry->second;
}

void Redactor::remember(const std::string& kind, const std::string& original) {
  if (original.size() < (kind == "gpu-serial" ? serial_least : name_least)) return;
  const auto is_it = [&](const Known& one) { return one.original == original; };
  if (std::any_of(known_.begin(), known_.end(), is_it)) return;
  known_.push_back({original, placeholder(kind, original)});
  std::stable_sort(known_.begin(), known_.end(),
                   [](const Known& a, const Known& b) { return a.original.size() > b.original.size(); });
}

std::string Redactor::names_replaced(std::string text) const {
  for (const Known& one : known_) {
    if (text.find(one.original) != std::string::npos)
      text = word_replaced(text, one.original, one.replacement);
  }
  return text;
}

std::string Redactor::scanned(std::string_view original, bool addresses, bool path) {
  static const std::string homes = "/home";
  static const std::string root_home = "/root";
  std::string result;
  std::size_t at = 0;
  while (at < original.size()) {
    std::size_t length = 0;
    const auto found = [&](const char* kind, std::size_t size) {
      if (size == 0) return false;
      const std::string_view thing = original.substr(at, size);
      const bool mig = thing.starts_with("MIG-");
      result += placeholder(mig ? "mig-uuid" : kind, std::string(thing));
      length = size;
      return true;
    };
    bool done = false;
    if (original[at] == '/') {
      for (const std::string& home : homes_)
        done = done || found("home-folder", scan::home_folder(original, at, home, false, path));
      done = done || found("home-folder", scan::home_folder(original, at, homes, true, path)) ||
             found("home-folder", scan::home_folder(original, at, root_home, false, path));
    } else {
      done = found("gpu-uuid", scan::gpu_uuid(original, at)) || found("uuid", scan::uuid(original, at));
      if (addresses)
        done = done || found("mac", scan::mac(original, at)) || found("guid", scan::guid(original, at)) ||
               found("ip", scan::ipv4(original, at)) || found("ip", scan::ipv6(original, at));
    }
    if (!done) {
      result += original[at];
      length = 1;
    }
    at += length;
  }
  return names_replaced(std::move(result));
}

std::string Redactor::text(std::string_view original) {
  return scanned(original, true);
}

Inventory Redactor::inventory(const Inventory& original) {
  // Serial numbers have no form of their own: known from their items, they are found elsewhere too.
  for (const Item& item : original.items()) {
    if (item.key.starts_with("gpu.") && item.key.ends_with(".serial") && item.presence == Presence::present &&
        !item.value.starts_with("gpu-serial-"))
      remember("gpu-serial", item.value);
  }
  Inventory copy;
  for (Item item : original.items()) {
    const bool addresses = may_hold_addresses(item.key);
    const bool serial = item.key.ends_with(".serial") && item.presence == Presence::present;
    if (serial && !item.value.starts_with("gpu-serial-"))
      item.value = placeholder("gpu-serial", item.value);
    else
      item.value = scanned(item.value, addresses, item.key.ends_with("path") && item.value.starts_with('/'));
    item.source = scanned(item.source, false, item.source.starts_with('/'));
    item.how = scanned(item.how, false);
    item.needs = scanned(item.needs, false);
    copy.add(std::move(item));
  }
  return copy;
}

}  // namespace gpugauge::stack

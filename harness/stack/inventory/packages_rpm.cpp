// What rpm and dnf wrote down: rpm's database where it is SQLite's, dnf's locks, dnf-automatic.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include <fmt/format.h>

#include "stack/inventory/lines.hpp"
#include "stack/inventory/packages.hpp"

#ifdef GPUGAUGE_SQLITE
#include <sqlite3.h>
#endif

namespace gpugauge::stack {
namespace {

constexpr int locked = 1001;  // as apt's pins count: above what any repository has

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// "nvidia-driver-3:580.95.05-1.el9.*" -> "nvidia-driver"; a name alone stays.
std::string name_of_lock(std::string_view entry) {
  const auto release = entry.rfind('-');
  const auto version =
      release == std::string_view::npos || release == 0 ? release : entry.rfind('-', release - 1);
  const bool numbered = version != std::string_view::npos && version + 1 < entry.size() &&
                        entry[version + 1] >= '0' && entry[version + 1] <= '9';
  return std::string(numbered ? entry.substr(0, version) : entry);
}

/// The value of "key = value" under any section of an INI file, the last one; "" where there is none.
std::string ini_value(std::string_view text, std::string_view key) {
  std::string found;
  for (const std::string_view line : settings_in(text)) {
    const auto equals = line.find('=');
    if (equals != std::string_view::npos && stripped(line.substr(0, equals)) == key)
      found = stripped(line.substr(equals + 1));
  }
  return found;
}

}  // namespace

std::optional<Package> parse_rpm_header(std::string_view header) {
  constexpr std::size_t head = 8;
  constexpr std::size_t entry_size = 16;
  constexpr std::uint32_t entries_most = 65536;
  constexpr std::uint32_t tag_name = 1000, tag_version = 1001, tag_release = 1002, tag_epoch = 1003,
                          tag_vendor = 1011, tag_packager = 1015;
  constexpr std::uint32_t type_integer = 4, type_string = 6;
  if (header.size() < head) return std::nullopt;
  const std::uint32_t entries = big_endian(header, 0);
  if (entries > entries_most || head + std::size_t{entries} * entry_size > header.size()) return std::nullopt;
  const std::string_view data = header.substr(head + std::size_t{entries} * entry_size);
  Package package;
  std::string version;
  std::string release;
  std::uint32_t epoch = 0;
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t at = head + i * entry_size;
    const std::uint32_t tag = big_endian(header, at);
    const std::uint32_t type = big_endian(header, at + 4);
    const std::uint32_t offset = big_endian(header, at + 8);
    if (offset >= data.size()) continue;
    if (tag == tag_epoch && type == type_integer && data.size() - offset >= 4)
      epoch = big_endian(data, offset);
    if (type != type_string) continue;
    constexpr std::size_t longest = 1024;  // thousands of entries may lead to one long text
    const std::string_view rest = data.substr(offset, longest);
    const std::string_view text = rest.substr(0, rest.find('\0'));
    if (tag == tag_name) package.name = text;
    if (tag == tag_version) version = text;
    if (tag == tag_release) release = text;
    if ((tag == tag_vendor || tag == tag_packager) && package.maintainer.size() < longest)
      package.maintainer += fmt::format("{}{}", package.maintainer.empty() ? "" : " ", text);
  }
  if (package.name.empty() || version.empty()) return std::nullopt;
  package.version = fmt::format("{}{}{}{}", epoch == 0 ? "" : fmt::format("{}:", epoch), version,
                                release.empty() ? "" : "-", release);
  return package;
}

#ifdef GPUGAUGE_SQLITE

namespace {

/// A database of a mounted image is another's: under a table's name it may hold a view that never ends.
/// `times` counts, and must live as long as the database.
void confine(sqlite3* database, int& times) {
  constexpr int longest_value = 64 << 20;  // of a header
  constexpr int steps_between = 1000;      // of SQLite's own machine
  constexpr int times_most = 50000;        // a second or two
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, longest_value);
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW  // 3.30
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
#endif
  sqlite3_progress_handler(
      database, steps_between, [](void* count) { return ++*static_cast<int*>(count) > times_most ? 1 : 0; },
      &times);
}

}  // namespace

std::optional<std::vector<Package>> read_rpm_packages(const std::string& file) {
  if (!file.ends_with(".sqlite")) return std::nullopt;
  std::string address = "file:";
  for (const char c : file) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    address += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  address += "?immutable=1";  // neither locks nor a write-ahead log beside it
  int times = 0;
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(address.c_str(), &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(opened, sqlite3_close);
  if (code != SQLITE_OK) return std::nullopt;
  confine(opened, times);
  // By rpm's own index of names: the headers of all packages are tens of megabytes.
  constexpr const char* query =
      "SELECT blob FROM Packages WHERE hnum IN (SELECT hnum FROM Name WHERE key GLOB 'nv*' OR key GLOB "
      "'libnv*' OR "
      "key GLOB 'kmod-nv*' OR key GLOB 'akmod-nv*' OR key GLOB 'xorg-x11-drv-nv*' OR key GLOB 'cuda*' OR "
      "key GLOB 'libcu*' OR key GLOB 'cudnn*' OR key GLOB 'libnccl*' OR key GLOB 'libnpp*' OR "
      "key GLOB 'tensorrt*' OR key GLOB 'python3-libnv*' OR key GLOB 'datacenter-gpu*' OR key GLOB 'gdr*' OR "
      "key GLOB 'libgdr*' OR key IN ('glibc', 'dnf-automatic', 'dnf5-plugin-automatic')) ORDER BY hnum";
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(opened, query, -1, &prepared, nullptr) != SQLITE_OK) return std::nullopt;
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(prepared, sqlite3_finalize);
  constexpr std::size_t packages_most = 4000;
  std::vector<Package> packages;
  int step = SQLITE_ROW;
  while (packages.size() < packages_most && (step = sqlite3_step(prepared)) == SQLITE_ROW) {
    const void* const blob = sqlite3_column_blob(prepared, 0);
    const int size = sqlite3_column_bytes(prepared, 0);
    if (blob == nullptr || size <= 0) continue;
    auto package = parse_rpm_header({static_cast<const char*>(blob), static_cast<std::size_t>(size)});
    if (package) packages.push_back(std::move(*package));
  }
  if (step != SQLITE_ROW && step != SQLITE_DONE) return std::nullopt;  // damaged: half of it would mislead
  return packages;
}

#else

std::optional<std::vector<Package>> read_rpm_packages(const std::string&) {
  return std::nullopt;
}

#endif

std::vector<Pin> read_dnf_locks(const Tree& tree) {
  std::vector<Pin> pins;
  const char* const list = "/etc/dnf/plugins/versionlock.list";
  const Reading entries = tree.read(list);
  for (const std::string_view entry : settings_in(entries.text)) {
    if (!entry.starts_with('!'))
      pins.push_back({name_of_lock(entry), locked, list});  // "!" refuses a version
  }
  const char* const toml = "/etc/dnf/versionlock.toml";  // dnf 5: name = "nvidia-driver"
  for_each_line(tree.read(toml).text, [&](std::string_view line) {
    const auto rest = after(stripped(line), "name");
    if (!rest || !stripped(*rest).starts_with('=')) return;
    std::string_view name = stripped(stripped(*rest).substr(1));
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    if (!name.empty()) pins.push_back({std::string(name), locked, toml});
  });
  const char* const configuration = "/etc/dnf/dnf.conf";
  const std::string text = tree.read(configuration).text;
  for (const std::string_view key : {"exclude", "excludepkgs"}) {
    std::string patterns = ini_value(text, key);
    std::replace(patterns.begin(), patterns.end(), ',', ' ');
    for (const std::string_view pattern : words_of(patterns))
      pins.push_back({std::string(pattern), locked, configuration});
  }
  return pins;
}

DnfAutomatic read_dnf_automatic(const Tree& tree) {
  const std::string timers = "/etc/systemd/system/timers.target.wants/";
  const auto wanted = [&](const char* timer) { return tree.exists(timers + timer); };
  DnfAutomatic found;
  const bool installs = wanted("dnf-automatic-install.timer");
  if (!installs && !wanted("dnf-automatic.timer") && !wanted("dnf5-automatic.timer")) return found;
  found.source = timers;
  std::string text;
  for (const char* const file : {"/etc/dnf/automatic.conf", "/etc/dnf/dnf5-plugins/automatic.conf"}) {
    if (text.empty()) text = tree.read(file).text;
  }
  const std::string apply = lower(ini_value(text, "apply_updates"));
  found.on = installs || apply == "yes" || apply == "true" || apply == "1" || apply == "on";
  found.all = lower(ini_value(text, "upgrade_type")) != "security";
  return found;
}

}  // namespace gpugauge::stack

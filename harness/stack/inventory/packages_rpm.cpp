// Reads the records of rpm, dnf and zypper: rpm's SQLite database, locks, dnf's streams, dnf-automatic.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "result/time.hpp"
#include "stack/elf_bytes.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/inventory/packages.hpp"

#ifdef GPUGAUGE_SQLITE
#include <sqlite3.h>
#endif

namespace gpugauge::stack {
namespace {

constexpr int locked = 1001;  // in apt's scale: above every repository's priority

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// "nvidia-driver-3:580.95.05-1.el9.*" -> "nvidia-driver"; returns a plain name unchanged.
std::string name_of_lock(std::string_view entry) {
  const auto release = entry.rfind('-');
  const auto version =
      release == std::string_view::npos || release == 0 ? release : entry.rfind('-', release - 1);
  const bool numbered = version != std::string_view::npos && version + 1 < entry.size() &&
                        entry[version + 1] >= '0' && entry[version + 1] <= '9';
  return std::string(numbered ? entry.substr(0, version) : entry);
}

/// The last value of "key = value" in any section of an INI file; "" if there is none.
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
    constexpr std::size_t longest = 1024;  // thousands of entries may refer to one long text
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

/// Limits what a database from a mounted image can do: it is untrusted. A table's name may hide a view or a
/// computed column that takes hours. Read only while this object lives. Declare it after the database, so
/// that it ends before the database closes.
class Confinement {
 public:
  explicit Confinement(sqlite3* database) : database_(database) {
    // SQLite VM steps between checks; each step may build one value of maximum length.
    constexpr int steps_between = 100;
    limit_values(longest_of_schema);
    turn_off_what_needs_trust();
    sqlite3_progress_handler(
        database_, steps_between, [](void* self) { return static_cast<Confinement*>(self)->over() ? 1 : 0; },
        this);
  }
  Confinement(const Confinement&) = delete;
  Confinement& operator=(const Confinement&) = delete;
  ~Confinement() = default;

  /// True after the time limit.
  bool over() const { return result::processor_time() > until_; }
  /// Call only once the tables are known to store their columns; until then large values are refused.
  void admit_headers() { limit_values(longest_of_headers); }

 private:
  static constexpr int longest_of_schema = 1 << 20;
  static constexpr int longest_of_headers = 64 << 20;

  void limit_values(int bytes) { sqlite3_limit(database_, SQLITE_LIMIT_LENGTH, bytes); }

  void turn_off_what_needs_trust() {
    // NOLINTBEGIN(cppcoreguidelines-pro-type-vararg): SQLite's own interface
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW  // 3.30
    sqlite3_db_config(database_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
#endif
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA  // 3.31
    sqlite3_db_config(database_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
#endif
    // NOLINTEND(cppcoreguidelines-pro-type-vararg)
  }

  sqlite3* database_;
  double until_ = result::processor_time() + 2;
};

using Statement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

/// Null if the database rejects the statement.
Statement prepare(sqlite3* database, const char* text) {
  sqlite3_stmt* prepared = nullptr;
  sqlite3_prepare_v2(database, text, -1, &prepared, nullptr);
  return {prepared, sqlite3_finalize};
}

/// True if the schema holds only tables and indexes, as rpm's own does. Checks the text that SQLite uses.
bool holds_tables_only(sqlite3* database) {
  const Statement others =
      prepare(database,
              "SELECT count(*) FROM sqlite_master WHERE sql IS NOT NULL AND CAST(sql AS TEXT) NOT LIKE "
              "'CREATE TABLE %' AND CAST(sql AS TEXT) NOT LIKE 'CREATE INDEX %' AND CAST(sql AS TEXT) NOT "
              "LIKE 'CREATE UNIQUE INDEX %'");
  return others != nullptr && sqlite3_step(others.get()) == SQLITE_ROW &&
         sqlite3_column_int(others.get(), 0) == 0;
}

/// True if the table exists, as far as this SQLite can tell, and stores each of its columns. A computed
/// column may cost any amount of time.
bool stores_all_columns(sqlite3* database, const char* pragma) {
  constexpr int first_that_computes = 3031000;
  if (sqlite3_libversion_number() < first_that_computes) return true;  // before 3.26 it would report nothing
  constexpr int hidden = 6;  // column of the answer: 0 for stored columns
  const Statement columns = prepare(database, pragma);
  if (columns == nullptr) return false;
  bool any = false;
  int step = SQLITE_ROW;
  while ((step = sqlite3_step(columns.get())) == SQLITE_ROW) {
    if (sqlite3_column_int(columns.get(), hidden) != 0) return false;
    any = true;
  }
  return any && step == SQLITE_DONE;
}

/// Checks without blocking; SQLite itself would block at a FIFO.
bool is_database(const std::string& file) {
  constexpr std::string_view magic("SQLite format 3\0", 16);
  return FileBytes(file).read(0, magic.size()) == magic;
}

}  // namespace

std::optional<std::vector<Package>> read_rpm_packages(const std::string& file) {
  if (!file.ends_with(".sqlite") || !is_database(file)) return std::nullopt;
  std::string address = "file:";
  for (const char c : file) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    address += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  address += "?immutable=1";  // no locks, and no write-ahead log beside it
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(address.c_str(), &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(opened, sqlite3_close);
  if (code != SQLITE_OK) return std::nullopt;
  Confinement confinement(opened);
  if (!holds_tables_only(opened) || !stores_all_columns(opened, "PRAGMA table_xinfo(Packages)") ||
      !stores_all_columns(opened, "PRAGMA table_xinfo(Name)")) {
    return std::nullopt;
  }
  confinement.admit_headers();
  // Uses rpm's index of names: the headers of all packages are tens of megabytes.
  constexpr const char* query =
      "SELECT blob FROM Packages WHERE hnum IN (SELECT hnum FROM Name WHERE key GLOB 'nv*' OR key GLOB "
      "'libnv*' OR "
      "key GLOB 'kmod-nv*' OR key GLOB 'akmod-nv*' OR key GLOB 'xorg-x11-drv-nv*' OR key GLOB 'cuda*' OR "
      "key GLOB 'libcu*' OR key GLOB 'cudnn*' OR key GLOB 'libnccl*' OR key GLOB 'libnpp*' OR "
      "key GLOB 'tensorrt*' OR key GLOB 'python3-libnv*' OR key GLOB 'datacenter-gpu*' OR key GLOB 'gdr*' OR "
      "key GLOB 'libgdr*' OR key IN ('glibc', 'dnf-automatic', 'dnf5-plugin-automatic')) ORDER BY hnum";
  const Statement statement = prepare(opened, query);
  if (statement == nullptr) return std::nullopt;
  constexpr std::size_t packages_most = 4000;
  std::vector<Package> packages;
  int step = SQLITE_ROW;
  while (packages.size() < packages_most && (step = sqlite3_step(statement.get())) == SQLITE_ROW) {
    if (confinement.over()) return std::nullopt;
    const void* const blob = sqlite3_column_blob(statement.get(), 0);
    const int size = sqlite3_column_bytes(statement.get(), 0);
    if (blob == nullptr || size <= 0) continue;
    auto package = parse_rpm_header({static_cast<const char*>(blob), static_cast<std::size_t>(size)});
    if (package) packages.push_back(std::move(*package));
  }
  // Damaged: half of the data would mislead.
  if (step != SQLITE_ROW && step != SQLITE_DONE) return std::nullopt;
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
      pins.push_back({name_of_lock(entry), locked, list});  // "!" excludes a version
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

std::vector<Pin> read_zypper_locks(const Tree& tree) {
  const char* const file = "/etc/zypp/locks";
  std::vector<Pin> pins;
  std::vector<std::string> names;
  std::string match = "substring";  // the default
  bool of_packages = true;
  bool whole = true;
  const auto close = [&] {
    for (std::string& name : names) {
      if (!of_packages || !whole || match == "regex" || match == "word") continue;
      pins.push_back({match == "substring" ? fmt::format("*{}*", name) : std::move(name), locked, file});
    }
    names.clear();
    match = "substring";
    of_packages = whole = true;
  };
  for_each_line(tree.read(file).text, [&](std::string_view line) {
    line = stripped(line);
    if (line.empty()) return close();
    if (line.front() == '#') return;
    if (const auto value = after(line, "solvable_name:")) names.emplace_back(stripped(*value));
    if (const auto value = after(line, "match_type:")) match = stripped(*value);
    if (const auto value = after(line, "type:")) of_packages = stripped(*value) == "package";
    // Some versions only, one repository, or a package not installed: the package may still change.
    if (after(line, "version:") || after(line, "repo:")) whole = false;
    if (const auto value = after(line, "install_status:"); value && stripped(*value) == "not-installed")
      whole = false;
  });
  close();
  return pins;
}

std::string enabled_stream(const Tree& tree, std::string_view module) {
  const std::string text = tree.read(fmt::format("/etc/dnf/modules.d/{}.module", module)).text;
  return ini_value(text, "state") == "enabled" ? ini_value(text, "stream") : "";
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

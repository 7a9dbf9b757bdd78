// Finds the logs of package managers, and collects the driver's changes from them.
#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "result/number.hpp"
#include "result/time.hpp"
#include "stack/gzip.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/inventory/packages.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t log_limit = std::size_t{8} << 20;
constexpr std::size_t rotated_most = 12;  ///< per log, newest first
constexpr std::size_t changes_enough = 20;

/// How informative a package's name is about the driver; the most informative comes first.
int rank(std::string_view name) {
  constexpr std::array prefixes{"nvidia-driver", "nvidia-open",       "cuda-drivers",
                                "nvidia-dkms",   "nvidia-kernel",     "kmod-nvidia",
                                "libcuda1",      "libnvidia-compute", "nvidia-fabric"};
  const auto found = std::find_if(prefixes.begin(), prefixes.end(),
                                  [&](std::string_view prefix) { return name.starts_with(prefix); });
  return static_cast<int>(found - prefixes.begin());
}

bool same_step(const PackageChange& one, const PackageChange& other) {
  return one.action == other.action && one.from == other.from && one.to == other.to &&
         result::day_of(one.time) == result::day_of(other.time) && one.source == other.source;
}

/// Combines the changes of one transaction into one.
std::vector<PackageChange> merged(const std::vector<PackageChange>& changes) {
  std::vector<PackageChange> steps;
  std::vector<int> others;
  for (const PackageChange& change : changes) {
    if (steps.empty() || !same_step(steps.back(), change)) {
      steps.push_back(change);
      others.push_back(0);
      continue;
    }
    ++others.back();
    if (rank(change.name) < rank(steps.back().name)) steps.back().name = change.name;
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (others[i] > 0) steps[i].how += fmt::format(", with {} more packages", others[i]);
  }
  return steps;
}

struct Log {
  const char* folder;
  std::string_view name;
  std::vector<PackageChange> (*parse)(std::string_view);
};

/// The age of a file rotated from a log: "dpkg.log.2.gz" is number 2 of "dpkg.log"; the log itself is 0.
/// Files named by date ("history-20260803.xz") come after numbered ones, newest first. nullopt for another
/// file.
std::optional<long long> age_of(std::string_view file, std::string_view log) {
  auto rest = after(file, log);
  if (!rest) return std::nullopt;
  for (const std::string_view packed : {".gz", ".xz", ".bz2", ".zst"})
    if (rest->ends_with(packed)) rest->remove_suffix(packed.size());
  if (rest->empty()) return 0;
  if (rest->front() != '.' && rest->front() != '-') return std::nullopt;
  const auto number = result::number_in<long long>(rest->substr(1));
  constexpr long long first_date = 19000101;
  constexpr long long last_date = 99991231;
  if (!number || *number < 0 || *number > last_date) return std::nullopt;
  return *number < first_date ? *number : last_date + (last_date - *number);
}

/// Paths of a log and its rotated files, newest first.
std::vector<std::string> files_of(const Tree& tree, const Log& log) {
  std::vector<std::pair<long long, std::string>> found;
  for (const std::string& file : tree.list(log.folder)) {
    if (const auto age = age_of(file, log.name))
      found.emplace_back(*age, fmt::format("{}/{}", log.folder, file));
  }
  std::sort(found.begin(), found.end());
  if (found.size() > rotated_most) found.resize(rotated_most);
  std::vector<std::string> paths;
  paths.reserve(found.size());
  for (auto& [age, path] : found) paths.push_back(std::move(path));
  return paths;
}

/// The text of a log; nullopt if it was not read, which `unread` records.
std::optional<std::string> text_of(const Tree& tree, const std::string& path,
                                   std::vector<UnreadLog>& unread) {
  for (const auto& [packed, command] : {std::pair{".xz", "xzcat"}, {".bz2", "bzcat"}, {".zst", "zstdcat"}}) {
    if (!path.ends_with(packed)) continue;
    unread.push_back({path, fmt::format("the command `{} {}`", command, path)});
    return std::nullopt;
  }
  const bool packed = path.ends_with(".gz");
  Reading reading = packed ? tree.read_raw(path, log_limit) : tree.read_end(path, log_limit);
  if (reading.presence == Presence::unreadable) unread.push_back({path, "group adm or root"});
  if (!reading.present()) return std::nullopt;
  if (!packed) return std::move(reading.text);
  auto text = unpacked(reading.text, log_limit);
  if (!text) unread.push_back({path, fmt::format("the command `zcat {}`", path)});
  return text;
}

}  // namespace

std::vector<PackageChange> driver_history(const Tree& tree, std::vector<UnreadLog>& unread) {
  // Two logs may report the same change; the one that also names the requester comes first.
  constexpr std::array logs{
      Log{"/var/log/apt", "history.log", parse_apt_history}, Log{"/var/log", "dpkg.log", parse_dpkg_log},
      Log{"/var/log", "dnf.rpm.log", parse_dnf_log}, Log{"/var/log/zypp", "history", parse_zypper_history}};
  std::vector<PackageChange> changes;
  std::set<std::tuple<std::string, std::string, std::string, std::string, std::string>> told;
  for (const Log& log : logs) {
    std::size_t of_this_log = 0;
    for (const std::string& path : files_of(tree, log)) {
      if (of_this_log >= changes_enough) break;
      const auto text = text_of(tree, path, unread);
      if (!text) continue;
      for (PackageChange& change : log.parse(*text)) {
        ++of_this_log;
        change.source = path;
        if (told.insert({result::day_of(change.time), change.action, change.name, change.from, change.to})
                .second)
          changes.push_back(std::move(change));
      }
    }
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const PackageChange& a, const PackageChange& b) { return a.time > b.time; });
  // Times without a year cannot be compared: keep the log's order, after entries with a year.
  for (const std::string& path : files_of(tree, {"/var/log", "yum.log", parse_yum_log})) {
    const auto text = text_of(tree, path, unread);
    if (!text) continue;
    auto some = parse_yum_log(*text);
    std::reverse(some.begin(), some.end());
    for (PackageChange& change : some) change.source = path;
    changes.insert(changes.end(), some.begin(), some.end());
  }
  // dnf 5 keeps its history only in a database.
  const char* const database = "/usr/lib/sysimage/libdnf5/transaction_history.sqlite";
  if (tree.exists(database))
    unread.push_back({database, "the command `dnf history list --contains-pkgs='*nvidia*'`"});
  return merged(changes);
}

}  // namespace gpugauge::stack

#include "baseline/places.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "baseline/fields.hpp"
#include "baseline/kept_file.hpp"
#include "result/error.hpp"

namespace gpugauge::baseline {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::filesystem::path shipped_directory() {
  if (const std::string given = environment("GPUGAUGE_BASELINES"); !given.empty()) return given;
  std::error_code error;
  const auto command = std::filesystem::canonical("/proc/self/exe", error);
  if (error) return {};
  return command.parent_path().parent_path() / "share/gpugauge/baselines";
}

bool tells(const std::error_code& error) {
  return !error || error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
}

/// An error that hides the folder's content, unlike "no baseline".
Closed closed_by(const std::filesystem::path& folder, const std::error_code& error) {
  return {folder, fmt::format("{} cannot be looked into: {}", folder.string(), error.message())};
}

void search(const std::filesystem::path& folder, int depth, Found& out) {
  std::error_code error;
  if (std::filesystem::exists(folder / "baseline.json", error)) out.folders.push_back(folder);
  if (!tells(error)) return out.closed.push_back(closed_by(folder, error));
  if (depth == 0) return;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().starts_with('.')) continue;
    std::error_code unknown;
    if (entry->is_directory(unknown))
      search(entry->path(), depth - 1, out);
    else if (!tells(unknown))
      out.closed.push_back(closed_by(entry->path(), unknown));
  }
  if (!tells(error)) out.closed.push_back(closed_by(folder, error));
}

}  // namespace

Found found_below(const std::filesystem::path& root, int depth) {
  Found out;
  search(root, depth, out);
  std::sort(out.folders.begin(), out.folders.end());
  std::sort(out.closed.begin(), out.closed.end(),
            [](const Closed& a, const Closed& b) { return a.folder < b.folder; });
  return out;
}

std::vector<Place> places() {
  const std::filesystem::path own = state_directory() / "baselines";
  // Nothing is stored behind a link there; an empty list would hide the reason.
  for (const std::filesystem::path& root : {own, site_directory()}) refuse_links_in_state(root);
  return {{"own", own, 1}, {"site", site_directory(), 1}, {"shipped", shipped_directory(), 3}};
}

bool same_node(const result::Fingerprint& a, const result::Fingerprint& b) {
  return differences(a, b, {Role::identity, Role::host_identity}).empty();
}

bool better(const Manifest& a, const Manifest& b) {
  const auto rank = [](const Manifest& one) {
    std::string_view created = one.created;
    if (created.ends_with('Z'))
      created.remove_suffix(1);  // "30" sorts before "30.5", but "30Z" behind "30.5Z"
    return std::pair(one.entries.size() >= static_cast<std::size_t>(minimum_rounds), created);
  };
  return rank(a) != rank(b) ? rank(a) > rank(b) : a.name < b.name;
}

std::filesystem::path state_directory() {
  if (const std::string given = environment("GPUGAUGE_STATE"); !given.empty()) return given;
  // The XDG specification forbids a relative path: the state would depend on the working directory.
  if (const std::filesystem::path state = environment("XDG_STATE_HOME"); state.is_absolute())
    return state / "gpugauge";
  if (const std::filesystem::path home = environment("HOME"); home.is_absolute())
    return home / ".local/state/gpugauge";
  throw result::UsageError(
      "no place to keep runs and baselines: none of GPUGAUGE_STATE, XDG_STATE_HOME and HOME is set; name one "
      "with --state-dir (of the last two a relative path counts as none)");
}

std::filesystem::path site_directory() {
  return state_directory() / "site";
}

}  // namespace gpugauge::baseline

#include "baseline/places.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

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

}  // namespace

std::vector<std::filesystem::path> folders(const std::filesystem::path& root, int depth) {
  std::vector<std::filesystem::path> out;
  std::error_code error;
  if (std::filesystem::exists(root / "baseline.json", error)) out.push_back(root);
  if (depth == 0) return out;
  for (std::filesystem::directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->is_directory(error) || entry->path().filename().string().starts_with('.')) continue;
    for (auto& found : folders(entry->path(), depth - 1)) out.push_back(std::move(found));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<Place> places() {
  const std::filesystem::path own = state_directory() / "baselines";
  // Nothing is kept behind a link there: an empty list would be no answer.
  for (const std::filesystem::path& root : {own, site_directory()}) refuse_links_in_state(root);
  return {{"own", own, 1}, {"site", site_directory(), 1}, {"shipped", shipped_directory(), 3}};
}

bool same_node(const result::Fingerprint& a, const result::Fingerprint& b) {
  return differences(a, b, {Role::identity, Role::host_identity}).empty();
}

bool better(const Manifest& a, const Manifest& b) {
  const auto rank = [](const Manifest& one) {
    return std::pair(one.entries.size() >= static_cast<std::size_t>(minimum_rounds),
                     std::string_view(one.created));
  };
  return rank(a) != rank(b) ? rank(a) > rank(b) : a.name < b.name;
}

std::filesystem::path state_directory() {
  if (const std::string given = environment("GPUGAUGE_STATE"); !given.empty()) return given;
  // A relative one is invalid by the XDG specification: the state would lie wherever the command is called.
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

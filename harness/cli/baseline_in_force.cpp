#include "cli/baseline_in_force.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "baseline/baseline.hpp"
#include "judge/reasons.hpp"
#include "report/format.hpp"
#include "result/counted.hpp"

namespace gpugauge::cli {
namespace {

std::string name_of(const baseline::Listed& listed) {
  return report::plain(listed.folder.filename().string());
}

bool same_folder(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error);
}

/// Of those whose place was taken, the one that was in force: the newest that can decide.
const baseline::Listed& former(const std::vector<const baseline::Listed*>& replaced) {
  return **std::max_element(replaced.begin(), replaced.end(), [](const auto* a, const auto* b) {
    const auto rank = [](const baseline::Manifest& one) {
      return std::pair(one.entries.size() >= static_cast<std::size_t>(baseline::minimum_rounds), one.created);
    };
    return rank(*a->manifest) < rank(*b->manifest);
  });
}

}  // namespace

std::string in_force(const std::filesystem::path& folder) {
  const std::vector<baseline::Listed> all = baseline::list();
  const auto own = std::find_if(all.begin(), all.end(),
                                [&](const baseline::Listed& one) { return same_folder(one.folder, folder); });
  if (own == all.end() || !own->manifest || own->state != baseline::State::active) return "";
  if (own->superseded) {
    const auto other = std::find_if(all.begin(), all.end(), [&](const baseline::Listed& one) {
      return one.folder == own->superseded_by;
    });
    return fmt::format(
        "  not in force: {} ({} from {}) comes before it, and is what is compared with; `gpugauge baseline "
        "retire {} --reason ...` puts this one in its place\n",
        name_of(*other), result::counted(other->manifest->entries.size(), "round"),
        other->manifest->created.substr(0, 10), name_of(*other));
  }
  std::vector<const baseline::Listed*> replaced;
  for (const baseline::Listed& one : all)
    if (one.superseded_by == own->folder) replaced.push_back(&one);
  if (replaced.empty()) return "";
  const baseline::Listed& before = former(replaced);
  const bool weaker = own->manifest->provisional() && !before.manifest->provisional();
  return fmt::format(
      "  takes the place of {} ({} from {}{}); `gpugauge baseline retire {} --reason ...` brings that one "
      "back\n",
      name_of(before), result::counted(before.manifest->entries.size(), "round"),
      before.manifest->created.substr(0, 10), weaker ? ", and not provisional" : "", name_of(*own));
}

}  // namespace gpugauge::cli

#include "cli/baseline_in_force.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/baseline.hpp"
#include "baseline/places.hpp"
#include "judge/reasons.hpp"
#include "report/format.hpp"
#include "result/counted.hpp"
#include "result/shell_word.hpp"
#include "result/time.hpp"

namespace gpugauge::cli {
namespace {

std::string name_of(const baseline::Listed& listed) {
  return report::plain(listed.folder.filename().string());
}

/// What a command takes for it: its folder's name, or the whole folder where that names several.
std::string word_of(const std::vector<baseline::Listed>& all, const baseline::Listed& listed) {
  const std::string name = listed.folder.filename().string();
  const auto called = std::count_if(all.begin(), all.end(), [&](const baseline::Listed& one) {
    return one.folder.filename() == name || (one.manifest && one.manifest->name == name);
  });
  return report::plain(result::shell_word(called > 1 ? listed.folder.string() : name));
}

bool same_folder(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error);
}

bool comes_before(const baseline::Listed* a, const baseline::Listed* b) {
  return baseline::better(*a->manifest, *b->manifest);
}

/// Of those that the same one supersedes, the names of such as come before `own`: first the one that is next.
std::vector<std::string> between(const std::vector<baseline::Listed>& all, const baseline::Listed& own) {
  std::vector<const baseline::Listed*> found;
  for (const baseline::Listed& one : all)
    if (one.superseded && one.superseded_by == own.superseded_by && comes_before(&one, &own))
      found.push_back(&one);
  std::sort(found.begin(), found.end(), comes_before);
  std::vector<std::string> out;
  out.reserve(found.size());
  for (const baseline::Listed* const one : found) out.push_back(name_of(*one));
  return out;
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
    std::string text = fmt::format(
        "  not in force: {} ({} from {}) comes before it, and is what is compared with; `gpugauge baseline "
        "retire {} --reason ...` ",
        name_of(*other), result::counted(other->manifest->entries.size(), "round"),
        result::day_of(other->manifest->created), word_of(all, *other));
    const std::vector<std::string> next = between(all, *own);
    text += next.empty()
                ? "puts this one in its place"
                : fmt::format("brings {} into force: {} before this one, too", next.front(),
                              next.size() == 1 ? "it comes" : fmt::format("{} come", fmt::join(next, ", ")));
    return text + "\n";
  }
  std::vector<const baseline::Listed*> replaced;
  for (const baseline::Listed& one : all)
    if (one.superseded_by == own->folder) replaced.push_back(&one);
  if (replaced.empty()) return "";
  // Of those whose place was taken, the one that was in force.
  const baseline::Listed& before = **std::min_element(replaced.begin(), replaced.end(), comes_before);
  const bool weaker = own->manifest->provisional() && !before.manifest->provisional();
  return fmt::format(
      "  takes the place of {} ({} from {}{}); `gpugauge baseline retire {} --reason ...` brings that one "
      "back\n",
      name_of(before), result::counted(before.manifest->entries.size(), "round"),
      result::day_of(before.manifest->created), weaker ? ", and not provisional" : "", word_of(all, *own));
}

}  // namespace gpugauge::cli

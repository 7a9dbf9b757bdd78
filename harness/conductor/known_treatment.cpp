#include "conductor/known_treatment.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/baseline.hpp"
#include "baseline/places.hpp"
#include "result/error.hpp"
#include "result/near.hpp"

namespace gpugauge::conductor {
namespace {

using Fields = std::set<std::string>;

void add(const result::Fingerprint& fingerprint, Fields& fields) {
  const auto add_section = [&](const std::string& section, const result::Facts& facts) {
    for (const auto& fact : facts) fields.insert(section + "." + fact.first);
  };
  add_section("device", fingerprint.device);
  add_section("settings", fingerprint.settings);
  add_section("stack", fingerprint.stack);
  add_section("topology", fingerprint.topology);
}

void add(const std::filesystem::path& folder, Fields& fields) {
  try {
    for (const result::Run& run : baseline::load(folder).runs) add(run.fingerprint, fields);
  } catch (
      const std::exception&) {  // NOLINT(bugprone-empty-catch): whoever compares with it says what is wrong
  }
}

bool is_named(const std::string& word, const Fields& fields) {
  return word == "device" || word == "settings" || word == "stack" || word == "topology" ||
         std::any_of(fields.begin(), fields.end(),
                     [&](const std::string& field) { return baseline::names(word, field); });
}

/// Suggestions: similar first words and whole names of fields.
std::string near_to(const std::string& word, const Fields& fields) {
  std::set<std::string> words;
  for (const std::string& field : fields) {
    const std::string name = field.substr(field.find('.') + 1);
    for (const std::string& one : {name.substr(0, name.find('.')), name})
      if (baseline::can_be_treatment(one) && baseline::covers(one, field)) words.insert(one);
  }
  const std::vector<std::string> near = result::nearest(word, {words.begin(), words.end()});
  return near.empty() ? "" : fmt::format("; near to it: {}", fmt::join(near, ", "));
}

}  // namespace

void require_known_treatment(const std::vector<std::string>& words, const result::Fingerprint& now,
                             const std::filesystem::path& baseline) {
  if (words.empty()) return;
  Fields fields;
  add(now, fields);
  const auto unknown = [&] {
    return std::find_if(words.begin(), words.end(),
                        [&](const std::string& word) { return !is_named(word, fields); });
  };
  if (unknown() == words.end()) return;
  // Also accepts a field that only the earlier machine had, such as a removed library.
  if (!baseline.empty()) add(baseline, fields);
  for (const baseline::Listed& listed : baseline::list())
    if (listed.manifest) add(listed.folder, fields);
  if (const auto word = unknown(); word != words.end())
    throw result::UsageError(
        fmt::format("treatment {}: no field of the fingerprint is called so, here or in a baseline{}", *word,
                    near_to(*word, fields)));
}

}  // namespace gpugauge::conductor

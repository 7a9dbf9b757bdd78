// Compares runs with a baseline and words their differences.
#include "conductor/differences.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/card.hpp"
#include "baseline/other_sources.hpp"
#include "result/device_kind.hpp"
#include "result/facts.hpp"

namespace gpugauge::conductor {
namespace {

/// True when every field may have been changed on purpose; another device or suite may not.
bool declarable(const std::vector<baseline::Mismatch>& fields) {
  return std::all_of(fields.begin(), fields.end(), [](const baseline::Mismatch& field) {
    return baseline::can_be_treatment(field.field) && baseline::covers(field.field, field.field);
  });
}

/// The shortest word that covers a field: "driver" for "stack.driver.version".
std::string word_for(const std::string& field) {
  const std::size_t section = field.find('.');
  if (section == std::string::npos) return field;
  const std::string name = field.substr(section + 1);
  for (const std::string& word : {name.substr(0, name.find('.')), name})
    if (baseline::can_be_treatment(word) && baseline::covers(word, field)) return word;
  return field;
}

/// "--treatment driver --treatment nccl".
std::string options_for(const std::vector<baseline::Mismatch>& fields) {
  std::vector<std::string> options;
  for (const baseline::Mismatch& field : fields) {
    std::string option = "--treatment " + word_for(field.field);
    if (std::find(options.begin(), options.end(), option) == options.end())
      options.push_back(std::move(option));
  }
  return fmt::format("{}", fmt::join(options, " "));
}

/// Empty where no source differs.
std::string sources_in_words(const std::vector<baseline::Mismatch>& fields) {
  std::vector<std::string> families;
  for (const baseline::Mismatch& field : fields)
    if (std::string family = baseline::family_of_sources(field.field); !family.empty())
      families.push_back(std::move(family));
  return sources_differ(std::move(families));
}

/// One text for each field, and one for the sources of all families.
std::vector<std::string> each_in_words(const std::vector<baseline::Mismatch>& fields) {
  std::vector<std::string> out;
  out.reserve(fields.size());
  for (const baseline::Mismatch& field : fields)
    if (baseline::family_of_sources(field.field).empty())
      out.push_back(fmt::format("{} ({} now, {} then)", field.field, result::or_absent(field.now),
                                result::or_absent(field.then)));
  if (std::string sources = sources_in_words(fields); !sources.empty()) out.push_back(std::move(sources));
  return out;
}

}  // namespace

std::string sources_differ(std::vector<std::string> families) {
  if (families.empty()) return "";
  if (families.size() == 1)
    return fmt::format("the sources of the family {} differ: another version of GPUGauge", families.front());
  constexpr std::size_t shown = 3;
  const std::size_t count = families.size();
  families.resize(std::min(count, shown));
  return fmt::format("the sources of {} families differ ({}{}): another version of GPUGauge", count,
                     fmt::join(families, ", "),
                     count > shown ? fmt::format(" and {} more", count - shown) : "");
}

Differences differing(const std::vector<result::Run>& runs, const baseline::Baseline& baseline,
                      const std::vector<std::string>& treatment) {
  Differences out;
  const std::string& pinned = baseline.manifest.device;
  const std::string& device = runs.front().device;
  if (result::device_kind(pinned) != result::device_kind(device))
    out.undeclared.push_back({"device", device, pinned});
  for (baseline::Mismatch& field : baseline::mismatches(runs, baseline.runs)) {
    const bool declared = std::any_of(treatment.begin(), treatment.end(), [&](const std::string& word) {
      return baseline::covers(word, field.field);
    });
    (declared ? out.declared : out.undeclared).push_back(std::move(field));
  }
  return out;
}

void tell_cards_gone(const result::Run& now, const result::Run& then, std::vector<std::string>& remarks) {
  // A baseline that names another card belongs to another machine.
  if (!baseline::number_of_card(then.fingerprint, now.device)) return;
  const std::vector<std::string> gone = baseline::cards_gone(now.fingerprint, then.fingerprint);
  if (gone.empty()) return;
  remarks.push_back(fmt::format(
      "{} {} beside this GPU when the baseline was recorded and {} not now: lost, taken out, or not "
      "shown to this command.",
      fmt::join(gone, ", "), gone.size() == 1 ? "was" : "were", gone.size() == 1 ? "is" : "are"));
}

std::string in_words(const std::vector<baseline::Mismatch>& fields) {
  return fmt::format("{}", fmt::join(each_in_words(fields), "; "));
}

std::vector<std::string> treatment_remarks(const std::vector<std::string>& treatment,
                                           const Differences& different) {
  std::vector<std::string> out;
  const auto named = [](const std::vector<baseline::Mismatch>& from, const std::string& word) {
    std::vector<baseline::Mismatch> fields;
    std::copy_if(from.begin(), from.end(), std::back_inserter(fields),
                 [&](const baseline::Mismatch& field) { return baseline::names(word, field.field); });
    return fields;
  };
  for (const std::string& word : treatment) {
    if (const auto refused = named(different.undeclared, word); !refused.empty())
      out.push_back(
          fmt::format("Treatment {}: another device is another measurement and can be no treatment: {}.",
                      word, in_words(refused)));
    const std::vector<baseline::Mismatch> fields = named(different.declared, word);
    if (fields.empty() && !named(different.undeclared, word).empty()) continue;
    out.push_back(
        fields.empty()
            ? fmt::format("Treatment {}: declared, but nothing of that name differs between the two sides.",
                          word)
            : fmt::format("Treatment {}: {}.", word, in_words(fields)));
  }
  return out;
}

bool of_another_version(const Differences& different) {
  bool sources = false;
  for (const baseline::Mismatch& field : different.undeclared) {
    const bool source = !baseline::family_of_sources(field.field).empty();
    if (!source && !field.field.starts_with("stack.")) return false;
    sources = sources || source;
  }
  return sources;
}

std::string what_then(const Differences& different, const std::string& remedy) {
  return declarable(different.undeclared)
             ? fmt::format("Declare with {} what was changed on purpose.", options_for(different.undeclared))
             : fmt::format("Another device, profile or suite is another measurement: {}.", remedy);
}

std::string not_comparable(const std::string& other, const Differences& different,
                           const std::string& remedy) {
  constexpr std::size_t shown = 2;
  std::vector<std::string> fields = each_in_words(different.undeclared);
  const std::size_t more = fields.size() > shown ? fields.size() - shown : 0;
  fields.resize(fields.size() - more);
  return fmt::format(
      "not comparable with {}: {}{}; {}", other, fmt::join(fields, "; "),
      more > 0 ? fmt::format(" and {} more", more) : "",
      declarable(different.undeclared)
          ? fmt::format("declare with {} what was changed on purpose", options_for(different.undeclared))
      : of_another_version(different)
          ? remedy
          : fmt::format("another device, profile or suite is another measurement: {}", remedy));
}

}  // namespace gpugauge::conductor

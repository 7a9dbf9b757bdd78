// Chooses benchmarks of the catalogue for devices.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conductor/catalogue.hpp"
#include "conductor/near_words.hpp"
#include "result/error.hpp"
#include "result/metric_key.hpp"
#include "result/pattern.hpp"
#include "result/vocabulary.hpp"

namespace gpugauge::conductor {
namespace {

using Benchmarks = std::vector<const Benchmark*>;

/// "; the profile deep measures it" for the shallowest profile that measures one of them; "" where none does.
std::string deeper(const Benchmarks& found) {
  const auto first = std::min_element(found.begin(), found.end(), [](const Benchmark* a, const Benchmark* b) {
    return run::depth_of(a->profile) < run::depth_of(b->profile);
  });
  return first == found.end() ? "" : fmt::format("; the profile {} measures it", (*first)->profile);
}

Benchmarks measured_by(const Benchmarks& all, const run::Profile& profile) {
  const int depth = run::depth_of(profile.name);
  Benchmarks out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out),
               [&](const Benchmark* benchmark) { return run::depth_of(benchmark->profile) <= depth; });
  return out;
}

Benchmarks selected_by(const std::string& word, const Benchmarks& all) {
  Benchmarks out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out),
               [&](const Benchmark* benchmark) { return selects(word, *benchmark); });
  return out;
}

/// What any profile measures on one kind of device; a non-empty `families` narrows it.
Benchmarks of_kind(const Catalogue& catalogue, DeviceKind kind, const std::vector<std::string>& families) {
  Benchmarks out;
  for (const Benchmark& benchmark : catalogue.benchmarks) {
    const bool family =
        families.empty() || std::find(families.begin(), families.end(), benchmark.family) != families.end();
    if (family && benchmark.kind == kind) out.push_back(&benchmark);
  }
  return out;
}

/// Adds the silent families that `meant` says. False where there is none, and for the host, which they do not measure.
template <typename Meant>
bool add_silent(const Catalogue& catalogue, DeviceKind kind, const Meant& meant, Choice& out) {
  if (kind == DeviceKind::host) return false;
  bool added = false;
  for (const SilentFamily& family : catalogue.silent) {
    if (!meant(family.name)) continue;
    added = true;
    if (std::find(out.unmeasured.begin(), out.unmeasured.end(), family) == out.unmeasured.end())
      out.unmeasured.push_back(family);
  }
  return added;
}

bool add_silent_family(const Catalogue& catalogue, DeviceKind kind, const std::string& name, Choice& out) {
  return add_silent(
      catalogue, kind, [&](const std::string& family) { return family == name; }, out);
}

/// Those that a word may mean which selects nothing else: those of that name, and where there is none, for a class
/// all of them, since nobody can say what they measure.
bool add_silent_word(const Catalogue& catalogue, DeviceKind kind, const std::string& word, Choice& out) {
  const std::string family_word = result::family_of(word);
  const auto named = [&](const std::string& family) { return result::matches(family_word, family); };
  const auto any = [](const std::string&) { return true; };
  return add_silent(catalogue, kind, named, out) ||
         (result::is_class(word) && add_silent(catalogue, kind, any, out));
}

}  // namespace

std::string deeper_profile(const Catalogue& catalogue, const std::string& word) {
  Benchmarks all;
  for (const Benchmark& benchmark : catalogue.benchmarks) all.push_back(&benchmark);
  return deeper(selected_by(word, all));
}

Choice choose(const Catalogue& catalogue, const run::Profile& profile, DeviceKind kind,
              const std::vector<std::string>& families, const std::vector<std::string>& words) {
  std::vector<std::string> known;
  for (const run::Family& family : catalogue.families) known.push_back(family.name);
  Choice choice;
  for (const std::string& name : families) {
    if (add_silent_family(catalogue, kind, name, choice)) continue;
    for (const SilentFamily& family : catalogue.silent)
      if (family.name == name) throw result::UsageError(sentence(family));
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw result::UsageError(
          fmt::format("there is no family '{}'; there are {}", name, fmt::join(known, ", ")));
  }

  const Benchmarks all = of_kind(catalogue, kind, families);
  const std::string_view device = in_words(kind);
  if (all.empty() && choice.unmeasured.empty())
    throw result::UsageError(fmt::format("no benchmark of the chosen families measures {}", device));
  Benchmarks chosen = measured_by(all, profile);
  if (chosen.empty() && choice.unmeasured.empty())
    throw result::UsageError(
        fmt::format("no benchmark of the chosen families measures {} in the profile {}{}", device,
                    profile.name, deeper(all)));

  if (!words.empty()) {
    std::set<const Benchmark*> wanted;
    for (const std::string& word : words) {
      const Benchmarks found = selected_by(word, chosen);
      if (found.empty()) {
        const std::string elsewhere = deeper(selected_by(word, all));
        if (elsewhere.empty() && add_silent_word(catalogue, kind, word, choice)) continue;
        throw result::UsageError(fmt::format(
            "'{}' selects no benchmark of {} in the profile {}{}; `gpugauge "
            "list` shows them with their classes and profiles",
            word, device, profile.name, elsewhere.empty() ? near_words(word, chosen) : elsewhere));
      }
      wanted.insert(found.begin(), found.end());
    }
    std::erase_if(chosen, [&](const Benchmark* benchmark) { return !wanted.contains(benchmark); });
  }
  if (chosen.empty()) return choice;
  // A family that measures links also measures single GPUs, so it must be told which benchmarks to run. A
  // selection narrowed by words or families lists its benchmarks, so that no others are run.
  const bool narrowed = chosen.size() < measured_by(of_kind(catalogue, kind, {}), profile).size() ||
                        (!families.empty() && kind != DeviceKind::host && !catalogue.silent.empty());
  if (!words.empty() || narrowed || kind == DeviceKind::links) {
    for (const Benchmark* benchmark : chosen) choice.only.push_back(benchmark->id);
    std::sort(choice.only.begin(), choice.only.end());
  }
  std::set<std::string> needed;
  for (const Benchmark* benchmark : chosen) needed.insert(benchmark->family);
  for (const run::Family& family : catalogue.families)
    if (needed.contains(family.name)) choice.families.push_back(family);
  // Words choose among known benchmarks; whether they would have chosen others is unknown.
  if (kind != DeviceKind::host && families.empty() && words.empty()) choice.unmeasured = catalogue.silent;
  choice.benchmarks = chosen.size();
  choice.planned = plan_of(chosen, profile);
  choice.start_seconds = catalogue.start_seconds;
  choice.round_seconds = round_seconds(choice.planned, choice.start_seconds, profile, kind);
  return choice;
}

std::vector<Chosen> choose_for(const Catalogue& catalogue, const run::Profile& profile,
                               const std::vector<Target>& targets, const std::vector<std::string>& families,
                               const std::vector<std::string>& words) {
  std::vector<Chosen> chosen;
  const Target* first_implied = nullptr;
  bool implied_chosen = false;
  std::set<std::string> unused(words.begin(), words.end());  // words that no implied target has used yet
  for (const Target& target : targets) {
    if (!target.implied) {
      chosen.push_back({target, choose(catalogue, profile, target.kind, families, words)});
      continue;
    }
    if (first_implied == nullptr) first_implied = &target;
    const Benchmarks measured = measured_by(of_kind(catalogue, target.kind, families), profile);
    std::vector<std::string> own;
    std::copy_if(words.begin(), words.end(), std::back_inserter(own),
                 [&](const std::string& word) { return !selected_by(word, measured).empty(); });
    if (measured.empty() || (own.empty() && !words.empty())) continue;
    for (const std::string& word : own) unused.erase(word);
    implied_chosen = true;
    chosen.push_back({target, choose(catalogue, profile, target.kind, families, own)});
  }
  // Each of these calls ends in the error message that says why nothing is left, unless it is that a family
  // cannot be measured: that the first device tells for all.
  if (first_implied != nullptr && !implied_chosen)
    chosen.push_back({*first_implied, choose(catalogue, profile, first_implied->kind, families, words)});
  else if (first_implied != nullptr)
    for (const std::string& word : unused) {
      const Choice silent = choose(catalogue, profile, first_implied->kind, families, {word});
      std::vector<SilentFamily>& known = chosen.front().choice.unmeasured;
      for (const SilentFamily& family : silent.unmeasured)
        if (std::find(known.begin(), known.end(), family) == known.end()) known.push_back(family);
    }
  return chosen;
}

std::vector<run::PlannedBenchmark> planned_of(const Choice& choice, const std::vector<std::string>& only) {
  std::vector<run::PlannedBenchmark> out = choice.planned;
  if (!only.empty())
    std::erase_if(out, [&](const run::PlannedBenchmark& benchmark) {
      return std::find(only.begin(), only.end(), benchmark.id) == only.end();
    });
  return out;
}

void require_sustained(const Catalogue& catalogue, const run::Profile& profile,
                       const std::vector<Chosen>& chosen) {
  if (profile.sustained_seconds <= 0) return;
  for (const Chosen& one : chosen)
    for (const run::PlannedBenchmark& planned : one.choice.planned)
      if (planned.sustained) return;
  Benchmarks deeper_ones;
  for (const Benchmark& benchmark : catalogue.benchmarks)
    if (benchmark.sustained && run::depth_of(benchmark.profile) > run::depth_of(profile.name))
      deeper_ones.push_back(&benchmark);
  throw result::UsageError(
      fmt::format("--sustained says how long a benchmark of sustained load runs, and none is chosen in the "
                  "profile {}{}",
                  profile.name, deeper(deeper_ones)));
}

std::vector<Target> targets_of(const std::vector<Chosen>& chosen) {
  std::vector<Target> out;
  out.reserve(chosen.size());
  for (const Chosen& one : chosen) out.push_back(one.target);
  return out;
}

}  // namespace gpugauge::conductor

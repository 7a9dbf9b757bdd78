// Selects the baseline that a run is compared with, and says which in a sentence.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/baseline.hpp"
#include "baseline/card.hpp"
#include "baseline/fit.hpp"
#include "baseline/kept_file.hpp"
#include "baseline/origin.hpp"
#include "baseline/other_sources.hpp"
#include "baseline/places.hpp"
#include "result/device_kind.hpp"
#include "result/error.hpp"
#include "result/facts.hpp"
#include "result/shell_word.hpp"
#include "result/time.hpp"

namespace gpugauge::baseline {
namespace {

std::string names(const std::vector<Mismatch>& fields) {
  std::vector<std::string> out;
  out.reserve(fields.size());
  for (const Mismatch& field : fields) out.push_back(field.field);
  return fmt::format("{}", fmt::join(out, ", "));
}

struct Candidate {
  Baseline baseline;
  Fit fit = Fit::no;
  bool this_node = false;

  /// Ranks before anything in the manifest.
  Rank rank() const { return rank_of(this_node, fit); }
};

/// An own baseline that cannot be read and may be of this device and profile.
struct Damaged {
  std::filesystem::path folder;
  std::optional<Manifest> manifest;  ///< nullopt if it cannot be read either
  std::optional<result::Run> round;  ///< the first readable round; all are of one kind
  std::string fault;
};

/// Files of the rounds in a folder, from its manifest if readable.
std::vector<std::filesystem::path> round_files(const std::filesystem::path& folder,
                                               const std::optional<Manifest>& manifest) {
  std::vector<std::filesystem::path> out;
  if (manifest) {
    out.reserve(manifest->entries.size());
    for (const Entry& entry : manifest->entries) out.push_back(folder / entry.file);
    return out;
  }
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder / "runs", error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".json") out.push_back(entry->path());
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<result::Run> readable_round(const std::filesystem::path& folder,
                                          const std::optional<Manifest>& manifest) {
  for (const std::filesystem::path& file : round_files(folder, manifest)) {
    try {
      refuse_links_in_state(file);
      return result::read_run(file);
    } catch (const std::exception&) {
      continue;
    }
  }
  return std::nullopt;
}

/// Whether its rounds or log show that it would not be used for `device` anyway; for an unreadable manifest.
bool of_no_concern(const Damaged& damaged, const result::Fingerprint& now, const std::string& device) {
  if (damaged.manifest) return false;  // consider() has checked it
  if (damaged.round && ((!device.empty() && damaged.round->device != device) ||
                        damaged.round->profile != result::fact(now.suite, "suite.profile")))
    return true;
  try {
    refuse_links_in_state(damaged.folder);
    return state_of(read_log(damaged.folder)) != State::active;
  } catch (const std::exception&) {
    return false;
  }
}

/// Whether it would rank before `best`, as far as its readable parts show.
bool comes_before(const Damaged& damaged, const Candidate& best, const result::Fingerprint& now,
                  const std::string& device) {
  Rank rank = rank_of(true, Fit::full);
  if (damaged.round) {
    const result::Fingerprint& then = damaged.round->fingerprint;
    const Fit fit =
        share_a_family(now, then)
            ? fit_of(now, then, fields_between(now, then, true, device, damaged.round->device), "own")
            : Fit::no;
    if (fit == Fit::no) return false;
    rank = rank_of(!of_another_machine(now, device, then, damaged.round->device), fit);
  }
  if (rank != best.rank()) return rank > best.rank();
  return !damaged.manifest || better(*damaged.manifest, best.baseline.manifest);
}

/// By-products of a search.
struct Search {
  std::vector<std::string>& problems;
  std::vector<Damaged> damaged;
  /// Sentences on active ones of this site that are of this device and measurement, and do not fit: they tell
  /// something only where nothing else is found.
  std::vector<std::string> of_site{};
};

/// Whether a baseline with these fields between it and a run is of the same device and of the same measurement.
bool of_this_kind(const std::vector<Mismatch>& fields) {
  return std::none_of(fields.begin(), fields.end(), [](const Mismatch& field) {
    return of_the_device(field.field) ||
           (of_the_suite(field.field) && family_of_sources(field.field).empty());
  });
}

/// Loads a folder if it may be used; records in `search` what cannot.
Candidate consider(const std::filesystem::path& folder, const result::Fingerprint& now,
                   std::string_view place, const std::string& device, Search& search) {
  std::vector<std::string>& problems = search.problems;
  const bool own = place == "own";
  bool counts = own;  // unless something shows that it would not be used anyway
  std::optional<Manifest> readable;
  try {
    refuse_links_in_state(folder);
    const Manifest manifest = load_manifest(folder);
    readable = manifest;
    // Do not report a baseline of another device: a node with eight cards has eight of them.
    if (own && !device.empty() && manifest.device != device) return {};
    if (!device.empty() && result::device_kind(manifest.device) != result::device_kind(device)) return {};
    counts = counts && manifest.profile == result::fact(now.suite, "suite.profile");
    const State state = state_of(read_log(folder));
    if (state == State::retired) return {};
    counts = counts && state == State::active;
    Candidate found{load(folder), Fit::full};
    const result::Fingerprint& then = found.baseline.runs.front().fingerprint;
    if (!share_a_family(now, then)) return {};
    const std::vector<Mismatch> fields =
        fields_between(now, then, own, device, found.baseline.runs.front().device);
    if (fields.empty() && state == State::candidate) {
      problems.push_back(
          fmt::format("baseline {} fits and is a candidate: it was not used; `gpugauge baseline accept "
                      "{} --reason ...` makes it active",
                      folder.string(), result::shell_word(folder.string())));
      return {};
    }
    if (state == State::candidate) return {};
    found.fit = fit_of(now, then, fields, place);
    if (found.fit != Fit::no) return found;
    if (own || (place == "site" && of_this_kind(fields)))
      (own ? problems : search.of_site)
          .push_back(fmt::format("baseline {} was not used: {} differ{}", folder.string(), names(fields),
                                 fields.size() == 1 ? "s" : ""));
  } catch (const std::exception& fault) {
    problems.push_back(fmt::format("a baseline could not be used: {}", fault.what()));
    if (!counts) return {};
    Damaged damaged{folder, readable, readable_round(folder, readable), fault.what()};
    if (!readable && !damaged.round)
      damaged.fault += fmt::format(
          "; it may be this device's, since no round of it can be read either: restore {} from a copy, or "
          "move it away",
          folder.string());
    if (!of_no_concern(damaged, now, device)) search.damaged.push_back(std::move(damaged));
  }
  return {};
}

/// The best candidate below a root.
Candidate best_of(const Place& place, const result::Fingerprint& now, const std::string& device,
                  Search& search) {
  Candidate best;
  const Found below = found_below(place.root, place.depth);
  for (const Closed& closed : below.closed) {
    search.problems.push_back(fmt::format("a baseline could not be used: {}", closed.fault));
    if (place.name == "own")
      search.damaged.push_back({closed.folder, std::nullopt, std::nullopt,
                                closed.fault + "; this device's baseline may lie there: give the user who "
                                               "runs gpugauge the right to read it, or move it away"});
  }
  for (const auto& folder : below.folders) {
    Candidate found = consider(folder, now, place.name, device, search);
    if (found.fit == Fit::no) continue;
    found.baseline.other_node = of_another_node(found.baseline, now, device);
    found.this_node = !found.baseline.other_node;
    const bool alike = found.rank() == best.rank() && better(found.baseline.manifest, best.baseline.manifest);
    if (best.fit == Fit::no || found.rank() > best.rank() || alike) best = std::move(found);
  }
  return best;
}

/// Reports rounds dated in the future: a clock was wrong, and "newest" is then meaningless.
void note_the_future(const Baseline& found, std::vector<std::string>& problems) {
  const std::string now = result::seconds_of(result::utc_now());
  for (const result::Run& run : found.runs) {
    if (result::seconds_of(run.started) <= now) continue;
    problems.push_back(fmt::format(
        "baseline {} holds a round dated {}, later than now: the clock of this machine is wrong, or "
        "that of the machine that recorded it was",
        found.folder.string(), run.started));
    return;
  }
}

/// Tells by its place what was found: "Compared with ... (5 rounds from 2026-11-21)."
void tell_found(const Place& place, const Candidate& found, Selection& out) {
  const std::string& name = found.baseline.manifest.name;
  const std::string rounds = rounds_in_words(found.baseline);
  const char* const version = of_other_version(found.fit) ? "Another version of GPUGauge measured it." : "";
  if (place.name == "site")
    return out.tell(fmt::format("this site's baseline {} ({}), recorded on another node", name, rounds),
                    version);
  if (place.name == "shipped")
    return out.tell(fmt::format("the baseline {} ({}) that ships with GPUGauge, recorded on another machine",
                                name, rounds));
  out.tell(found.this_node
               ? fmt::format("this machine's own baseline {} ({})", name, rounds)
               : fmt::format("the baseline {} ({}), recorded on another node, or on this one before its "
                             "name or cards changed",
                             name, rounds),
           found.fit == Fit::other_stack ? "Its software stack is another one." : version);
}

/// The name of this machine's active baseline of the whole card in the run's profile; "" where there is none.
std::string baseline_of_card(const std::string& card, const result::Fingerprint& now) {
  for (const Place& place : places()) {
    if (place.name != "own") continue;
    for (const auto& folder : found_below(place.root, place.depth).folders) {
      try {
        refuse_links_in_state(folder);
        const Manifest manifest = load_manifest(folder);
        if (manifest.device == card && manifest.profile == result::fact(now.suite, "suite.profile") &&
            state_of(read_log(folder)) == State::active)
          return manifest.name;
      } catch (const std::exception&) {
        continue;  // select() has told of it where it counts
      }
    }
  }
  return "";
}

/// Selection::of_whole_card of a MIG instance.
std::string told_of_card(const result::Fingerprint& now, const std::string& device) {
  const std::optional<std::string> number = number_of_card(now, device);
  const std::string card = number ? result::fact(now.topology, fmt::format("gpu.{}.card", *number)) : "";
  const std::string name = card.empty() ? "" : baseline_of_card(card, now);
  if (name.empty()) return "";
  return fmt::format(
      "{} is of the whole card {}, and MIG is on: what was measured is an instance of that card. Make a "
      "baseline of the instance ({}), or ask who owns the instances (`nvidia-smi -L`) and, where nobody needs "
      "them, turn MIG off (`sudo nvidia-smi -i {} -mig 0`)",
      name, card, how_to_make(now, device), card);
}

}  // namespace

bool of_another_node(const Baseline& baseline, const result::Fingerprint& now, const std::string& device) {
  for (const Place& place : places()) {
    std::error_code error;
    const auto root = std::filesystem::weakly_canonical(place.root, error);
    const auto folder = std::filesystem::weakly_canonical(baseline.folder, error);
    if (place.name == "own" || place.root.empty() || baseline.folder.empty()) continue;
    const auto [end, rest] = std::mismatch(root.begin(), root.end(), folder.begin(), folder.end());
    if (end == root.end()) return true;
  }
  return !baseline.runs.empty() &&
         of_another_machine(now, device, baseline.runs.front().fingerprint, baseline.manifest.device);
}

void Selection::tell(const std::string& what, const std::string& further) {
  const std::string end = further.empty() ? "." : ". " + further;
  origin = fmt::format("Compared with {}{}", what, end);
  not_compared = fmt::format("Not compared with {}{}", what, end);
}

bool of_two_machines(const result::Run& a, const result::Run& b) {
  return of_another_machine(a.fingerprint, a.device, b.fingerprint, b.device);
}

namespace {

Selection whole_of(const std::filesystem::path& given, const result::Fingerprint& fingerprint,
                   const std::string& device) {
  Selection selection;
  if (!given.empty()) {
    selection.baseline = load(given);
    const State state = state_of(selection.baseline->log);
    selection.tell(fmt::format("the given baseline {} ({}{})", selection.baseline->manifest.name,
                               rounds_in_words(*selection.baseline),
                               state == State::active ? "" : fmt::format("; it is {}", to_string(state))));
    selection.baseline->other_node = of_another_node(*selection.baseline, fingerprint, device);
    note_the_future(*selection.baseline, selection.problems);
    return selection;
  }
  Search search{selection.problems, {}};
  const auto take = [&](const Place& place, Candidate& best) {
    tell_found(place, best, selection);
    selection.baseline = std::move(best.baseline);
    note_the_future(*selection.baseline, selection.problems);
  };
  std::optional<std::pair<Place, Candidate>> of_other_suite;
  for (const Place& place : places()) {
    Candidate best = best_of(place, fingerprint, device, search);
    // Ignore damage in one that ranks lower anyway. A baseline of another host in a shared home cannot
    // replace this host's own.
    if (place.name == "own" && best.fit != Fit::no && best.this_node)
      std::erase_if(search.damaged, [&](const Damaged& damaged) {
        return !comes_before(damaged, best, fingerprint, device);
      });
    if (!search.damaged.empty()) selection.damaged = search.damaged.front().fault;
    if (best.fit == Fit::no) continue;
    const auto tell_of_version = [&](const Candidate& unused) {
      selection.problems.push_back(
          fmt::format("baseline {} was not used: another version of GPUGauge measured it",
                      unused.baseline.folder.string()));
    };
    if (of_other_version(best.fit)) {
      // Another node's, in a home that they share, was never this one's; one of the site was made for it.
      if (!of_other_suite && (best.this_node || place.name == "site"))
        of_other_suite.emplace(place, std::move(best));
      else
        tell_of_version(best);
      continue;
    }
    if (of_other_suite) tell_of_version(of_other_suite->second);
    take(place, best);
    return selection;
  }
  if (of_other_suite) {
    take(of_other_suite->first, of_other_suite->second);
    return selection;
  }
  selection.problems.insert(selection.problems.end(), search.of_site.begin(), search.of_site.end());
  const bool measured = std::any_of(fingerprint.suite.begin(), fingerprint.suite.end(),
                                    [](const auto& fact) { return !family_of_sources(fact.first).empty(); });
  if (measured && selection.damaged.empty()) selection.of_whole_card = told_of_card(fingerprint, device);
  selection.origin =
      !selection.of_whole_card.empty()
          ? "No baseline of this instance was found: only correctness and physical limits were judged."
      : !measured && selection.damaged.empty()
          ? "No family measured anything that a baseline could judge: only correctness was."
      : selection.damaged.empty()
          ? fmt::format(
                "No baseline of this machine, profile and suite was found: only correctness and "
                "physical limits were judged. Make one with {}.",
                how_to_make(fingerprint, device))
          : "The baseline of this machine cannot be used: only correctness and physical limits were judged. "
            "Restore it from a copy, or move its folder away and make a new one.";
  return selection;
}

}  // namespace

Selection select(const std::filesystem::path& given, const result::Fingerprint& fingerprint,
                 const std::string& device) {
  Selection selection = whole_of(given, fingerprint, device);
  if (!selection.baseline) return selection;
  result::Run now;
  now.fingerprint = fingerprint;
  leave_out_other_sources({now}, *selection.baseline);
  return selection;
}

}  // namespace gpugauge::baseline

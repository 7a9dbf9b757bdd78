// Which baseline a run is compared with, said in a sentence.
#include <algorithm>
#include <cstdlib>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/baseline.hpp"
#include "baseline/fields.hpp"
#include "baseline/kept_file.hpp"
#include "result/counted.hpp"
#include "result/error.hpp"
#include "result/facts.hpp"

namespace gpugauge::baseline {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Folders that hold a manifest, at most `depth` levels below `root`, sorted.
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

std::filesystem::path shipped_directory() {
  if (const std::string given = environment("GPUGAUGE_BASELINES"); !given.empty()) return given;
  std::error_code error;
  const auto command = std::filesystem::canonical("/proc/self/exe", error);
  if (error) return {};
  return command.parent_path().parent_path() / "share/gpugauge/baselines";
}

/// Where baselines are looked for, in the order in which they are preferred.
struct Place {
  std::string_view name;
  std::filesystem::path root;
  int depth;  ///< folders between the root and a baseline
};
std::vector<Place> places() {
  const std::filesystem::path own = state_directory() / "baselines";
  // Nothing is kept behind a link there: an empty list would be no answer.
  for (const std::filesystem::path& root : {own, site_directory()}) refuse_links_in_state(root);
  return {{"own", own, 1}, {"site", site_directory(), 1}, {"shipped", shipped_directory(), 3}};
}

bool starts_with(const std::string& text, std::string_view prefix) {
  return text.rfind(prefix, 0) == 0;
}

/// Sources that both sides measured; two runs without any have nothing to compare.
bool share_a_family(const result::Fingerprint& a, const result::Fingerprint& b) {
  return std::any_of(a.suite.begin(), a.suite.end(), [&](const auto& fact) {
    return fact.first.find("source_hash.") != std::string::npos && b.suite.count(fact.first) > 0;
  });
}

std::string names(const std::vector<Mismatch>& fields) {
  std::vector<std::string> out;
  out.reserve(fields.size());
  for (const Mismatch& field : fields) out.push_back(field.field);
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string one_round(const Baseline& found) {
  const std::size_t count = found.runs.size();
  return fmt::format("{} from {}", result::counted(count, "round"), found.manifest.created.substr(0, 10));
}

/// How well a baseline fits.
enum class Fit { no, other_stack, full };

struct Candidate {
  Baseline baseline;
  Fit fit = Fit::no;
  bool this_node = false;

  /// What comes before all that a manifest tells: where several hosts share a home, each has its own.
  std::tuple<bool, Fit> rank() const { return {this_node, fit}; }
};

bool same_node(const result::Fingerprint& a, const result::Fingerprint& b) {
  return differences(a, b, {Role::identity, Role::host_identity}).empty();
}

/// A card is the same one in whatever host; links and hosts are the node's.
bool of_another_machine(const result::Fingerprint& now, const std::string& device,
                        const result::Fingerprint& then, const std::string& pinned) {
  if (!device.empty() && result::device_kind(device) == "gpu") return pinned != device;
  return !same_node(now, then);
}

/// The same of two baselines of one device, by their first rounds; true where one of them cannot be read.
bool same_node(const Listed& a, const Listed& b) {
  const auto first = [](const Listed& one) {
    return result::read_run(one.folder / one.manifest->entries.front().file).fingerprint;
  };
  try {
    return same_node(first(a), first(b));
  } catch (const std::exception&) {
    return true;
  }
}

/// True when `a` is to be taken before `b`, which fits as well: what can decide first, the newest then, and
/// of two of one second always the same.
bool better(const Manifest& a, const Manifest& b) {
  const auto rank = [](const Manifest& one) {
    return std::tuple(one.entries.size() >= static_cast<std::size_t>(minimum_rounds), !one.provisional(),
                      std::string_view(one.created));
  };
  return rank(a) != rank(b) ? rank(a) > rank(b) : a.name < b.name;
}

/// True when select would take `a` before `b`, both of one place, device, profile and key.
bool takes_the_place_of(const Listed& a, const Listed& b) {
  if (!a.manifest || !b.manifest || !a.fault.empty() || a.state != State::active || b.state != State::active)
    return false;
  return a.manifest->device == b.manifest->device && a.manifest->profile == b.manifest->profile &&
         a.manifest->key == b.manifest->key && better(*a.manifest, *b.manifest) && same_node(a, b);
}

/// Loads a folder as far as it may be used; what cannot be used is left as a sentence in `selection`.
Candidate consider(const std::filesystem::path& folder, const result::Fingerprint& now, bool own,
                   const std::string& device, Selection& selection) {
  std::vector<std::string>& problems = selection.problems;
  bool counts = own;  // as long as nothing says that it would not be used anyway
  try {
    refuse_links_in_state(folder);
    const Manifest manifest = load_manifest(folder);
    // A baseline of another device is no problem to report: a node with eight cards has eight of them.
    if (own && !device.empty() && manifest.device != device) return {};
    if (!device.empty() && result::device_kind(manifest.device) != result::device_kind(device)) return {};
    counts = counts && manifest.profile == result::fact(now.suite, "suite.profile");
    const State state = state_of(read_log(folder));
    if (state == State::retired) return {};
    counts = counts && state == State::active;
    Candidate found{load(folder), Fit::full};
    const result::Fingerprint& then = found.baseline.runs.front().fingerprint;
    if (!share_a_family(now, then)) return {};
    std::vector<Mismatch> fields = mismatches(now, then);
    // With `device` given the card was named; without it all cards of the node must be the same.
    if (own && device.empty()) {
      for (Mismatch& field : differences(now, then, {Role::identity})) fields.push_back(std::move(field));
    }
    if (fields.empty() && state == State::candidate) {
      problems.push_back(
          fmt::format("baseline {} fits and is a candidate: it was not used; `gpugauge baseline accept "
                      "{} --reason ...` makes it active",
                      folder.string(), folder.string()));
      return {};
    }
    if (state == State::candidate) return {};
    if (fields.empty()) return found;
    if (own && std::all_of(fields.begin(), fields.end(),
                           [](const Mismatch& f) { return starts_with(f.field, "stack."); })) {
      found.fit = Fit::other_stack;
      return found;
    }
    if (own)
      problems.push_back(fmt::format("baseline {} was not used: {} differ{}", folder.string(), names(fields),
                                     fields.size() == 1 ? "s" : ""));
  } catch (const std::exception& fault) {
    problems.push_back(fmt::format("a baseline could not be used: {}", fault.what()));
    if (counts && selection.damaged.empty()) selection.damaged = fault.what();
  }
  return {};
}

/// The best of the best fits below a root.
Candidate best_of(const Place& place, const result::Fingerprint& now, const std::string& device,
                  Selection& selection) {
  Candidate best;
  for (const auto& folder : folders(place.root, place.depth)) {
    Candidate found = consider(folder, now, place.name == "own", device, selection);
    if (found.fit == Fit::no) continue;
    found.baseline.other_node = of_another_node(found.baseline, now, device);
    found.this_node = !found.baseline.other_node;
    const bool alike = found.rank() == best.rank() && better(found.baseline.manifest, best.baseline.manifest);
    if (best.fit == Fit::no || found.rank() > best.rank() || alike) best = std::move(found);
  }
  return best;
}

/// Says of rounds that are dated later than now that a clock was wrong: "newest" means nothing then.
void note_the_future(const Baseline& found, std::vector<std::string>& problems) {
  constexpr std::size_t to_seconds = std::string_view("2026-11-21T10:20:30").size();
  const std::string now = utc_now().substr(0, to_seconds);
  for (const result::Run& run : found.runs) {
    if (run.started.substr(0, to_seconds) <= now) continue;
    problems.push_back(fmt::format(
        "baseline {} holds a round dated {}, later than now: the clock of this machine is wrong, or "
        "that of the machine that recorded it was",
        found.folder.string(), run.started));
    return;
  }
}

/// "Compared with ... (5 rounds from 2026-11-21).", by place.
std::string origin_of(const Place& place, const Candidate& found) {
  const std::string& name = found.baseline.manifest.name;
  const std::string rounds = one_round(found.baseline);
  if (place.name == "site")
    return fmt::format("Compared with this site's baseline {} ({}), recorded on another node.", name, rounds);
  if (place.name == "shipped")
    return fmt::format(
        "Compared with the baseline {} ({}) that ships with GPUGauge, recorded on another machine.", name,
        rounds);
  const std::string whose =
      found.this_node
          ? fmt::format("Compared with this machine's own baseline {} ({}).", name, rounds)
          : fmt::format(
                "Compared with the baseline {} ({}), recorded on another node, or on this one before "
                "its name or cards changed.",
                name, rounds);
  return fmt::format("{}{}", whose,
                     found.fit == Fit::other_stack ? " Its software stack is another one: declare what was "
                                                     "changed with --treatment, or make a new baseline "
                                                     "once the change is accepted."
                                                   : "");
}

/// What `baseline create` must be told to make one that the same measurement is held against.
std::string options_of(const result::Fingerprint& fingerprint, const std::string& device) {
  const std::string profile = result::fact(fingerprint.suite, "suite.profile");
  return (device.empty() ? "" : " --device " + device) + (profile.empty() ? "" : " --profile " + profile);
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

bool of_two_machines(const result::Run& a, const result::Run& b) {
  return of_another_machine(a.fingerprint, a.device, b.fingerprint, b.device);
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

Selection select(const std::filesystem::path& given, const result::Fingerprint& fingerprint,
                 const std::string& device) {
  Selection selection;
  if (!given.empty()) {
    selection.baseline = load(given);
    const State state = state_of(selection.baseline->log);
    selection.origin = fmt::format("Compared with the given baseline {} ({}{}).",
                                   selection.baseline->manifest.name, one_round(*selection.baseline),
                                   state == State::active ? "" : fmt::format("; it is {}", to_string(state)));
    selection.baseline->other_node = of_another_node(*selection.baseline, fingerprint, device);
    note_the_future(*selection.baseline, selection.problems);
    return selection;
  }
  for (const Place& place : places()) {
    Candidate best = best_of(place, fingerprint, device, selection);
    if (best.fit == Fit::no) continue;
    // That of another host of a shared home is no answer to what this one's own would have said.
    if (place.name == "own" && best.this_node) selection.damaged.clear();
    selection.origin = origin_of(place, best);
    selection.baseline = std::move(best.baseline);
    note_the_future(*selection.baseline, selection.problems);
    return selection;
  }
  const bool measured = std::any_of(fingerprint.suite.begin(), fingerprint.suite.end(), [](const auto& fact) {
    return starts_with(fact.first, "suite.source_hash.");
  });
  selection.origin =
      !measured && selection.damaged.empty()
          ? "No family measured anything that a baseline could judge: only correctness was."
      : selection.damaged.empty()
          ? fmt::format(
                "No baseline of this machine, profile and suite was found: only correctness and "
                "physical limits were judged. Make one with `gpugauge baseline create{}`.",
                options_of(fingerprint, device))
          : "The baseline of this machine cannot be used: only correctness and physical limits were judged. "
            "Restore it from a copy, or move its folder away and make a new one.";
  return selection;
}

std::vector<Listed> list() {
  std::vector<Listed> out;
  for (const Place& place : places()) {
    const std::size_t first = out.size();
    for (const auto& folder : folders(place.root, place.depth)) {
      Listed found{folder, std::string(place.name), std::nullopt, State::active, false, ""};
      try {
        refuse_links_in_state(folder);
        found.manifest = load_manifest(folder);
        found.state = state_of(read_log(folder));
        require_sizes(folder, *found.manifest);
      } catch (const std::exception& fault) {
        found.fault = fault.what();
      }
      out.push_back(std::move(found));
    }
    for (std::size_t i = first; i < out.size(); ++i)
      out[i].superseded = std::any_of(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
                                      [&](const Listed& other) { return takes_the_place_of(other, out[i]); });
  }
  return out;
}

bool names_folder(const std::string& name) {
  std::error_code error;
  return name.find('/') != std::string::npos ||
         std::filesystem::exists(std::filesystem::path(name) / "baseline.json", error);
}

std::filesystem::path find(const std::string& name) {
  if (names_folder(name)) return name;
  std::vector<std::string> known;
  std::vector<std::string> in_folder;  // of that name
  std::vector<std::string> named;      // in a folder of another name
  for (const Listed& listed : list()) {
    known.push_back(listed.folder.filename().string());
    if (listed.folder.filename() == name)
      in_folder.push_back(listed.folder.string());
    else if (listed.manifest && listed.manifest->name == name)
      named.push_back(listed.folder.string());
  }
  const std::vector<std::string>& found = in_folder.empty() ? named : in_folder;
  if (found.size() == 1) return found.front();
  if (!found.empty())
    throw result::UsageError(
        fmt::format("several baselines are called '{}': give the folder of the one that is meant: {}", name,
                    fmt::join(found, ", ")));
  throw result::UsageError(fmt::format("there is no baseline '{}'; there {}", name,
                                       known.empty()
                                           ? std::string("is none yet: `gpugauge baseline create` makes one")
                                           : fmt::format("are {}", fmt::join(known, ", "))));
}

}  // namespace gpugauge::baseline

// Keeps the rounds of `upgrade end` by attempt and decides which of them are judged.
#include "conductor/upgrade_attempts.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/baseline.hpp"
#include "baseline/kept_file.hpp"
#include "conductor/rounds.hpp"
#include "judge/judge.hpp"
#include "result/counted.hpp"
#include "result/error.hpp"
#include "result/number.hpp"
#include "result/time.hpp"

namespace gpugauge::conductor {
namespace {

/// The attempt number in a folder's name; 0 for any other name.
int attempt_of(const std::filesystem::path& folder) {
  const std::string name = folder.filename();
  return std::max(0, result::number_in<int>(name).value_or(0));
}

void add_rounds(const std::vector<std::filesystem::path>& files, int attempt, std::vector<KeptRound>& out) {
  for (const std::filesystem::path& file : files) {
    if (file.extension() != ".json") continue;
    baseline::refuse_links_in_state(file);
    result::Run run = result::read_run(file);
    if (run.complete) out.push_back({std::move(run), file, attempt});
  }
}

/// Sorts by attempt; rounds count on within an attempt. Older records restart their numbers with each
/// command.
auto place_of(const KeptRound& one) {
  return std::tuple(one.attempt, one.attempt > 0 ? one.run.round : 0, one.run.started, one.run.id);
}

/// True when all facts known on both sides are equal.
bool same_facts(const result::Facts& now, const result::Facts& then) {
  return std::all_of(now.begin(), now.end(), [&](const auto& fact) {
    const auto found = then.find(fact.first);
    return found == then.end() || found->second == fact.second;
  });
}

/// Why a round cannot be part of a baseline, a clause; "" where it can.
std::string unfit(const result::Run& run) {
  std::string why;
  try {
    refuse_unfit(run);
  } catch (const result::UsageError& error) {
    why = error.what();
  }
  if (why.ends_with('.')) why.pop_back();
  return why;
}

/// The settings that differ from the latest round: they were fixed or broken since.
std::string other_settings(const result::Run& then, const result::Run& now) {
  constexpr std::size_t most = 3;
  std::vector<std::string> texts;
  std::size_t more = 0;
  for (const baseline::Mismatch& field : baseline::noted_differences(now, then)) {
    if (!field.field.starts_with("settings.") && !field.field.starts_with("topology.")) continue;
    if (texts.size() < most)
      texts.push_back(fmt::format("{} ({} now, {} then)", field.field, field.now, field.then));
    else
      ++more;
  }
  return fmt::format("{}{}", fmt::join(texts, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

/// Rounds left out for the same reason.
struct Reason {
  std::size_t rounds = 0;
  std::string why;  ///< taken from the first of them

  void add(const std::string& text) {
    if (rounds++ == 0) why = text;
  }
  /// `form` takes the number of rounds and the reason.
  void say(fmt::format_string<std::string, const std::string&> form, std::vector<std::string>& out) const {
    if (rounds > 0) out.push_back(fmt::format(form, result::counted(rounds, "round"), why));
  }
};

std::vector<std::string> causes_on(const UpgradeAttempt& attempt, const std::string& selection) {
  std::vector<std::string> out;
  for (const UpgradeCause& one : attempt.causes)
    if (one.selection == selection) out.push_back(one.cause);
  return out;
}

}  // namespace

std::filesystem::path attempt_folder(const KeptUpgrade& kept, UpgradeSide side, const UpgradeDevice& device,
                                     int attempt) {
  return side_folder(kept, side, device) / std::to_string(attempt);
}

std::filesystem::path stack_file(const KeptUpgrade& kept, int attempt) {
  return kept.folder / "stacks" / fmt::format("{}.json", attempt);
}

std::vector<KeptRound> kept_rounds(const KeptUpgrade& kept, UpgradeSide side, const UpgradeDevice& device) {
  std::vector<KeptRound> out;
  const std::vector<std::filesystem::path> entries = entries_of(side_folder(kept, side, device));
  add_rounds(entries, 0, out);
  for (const std::filesystem::path& entry : entries) {
    const int attempt = attempt_of(entry);
    if (attempt == 0) continue;
    baseline::refuse_links_in_state(entry);
    add_rounds(entries_of(entry), attempt, out);
  }
  std::sort(out.begin(), out.end(),
            [](const KeptRound& a, const KeptRound& b) { return place_of(a) < place_of(b); });
  return out;
}

std::vector<result::Run> runs_of(const std::vector<KeptRound>& rounds) {
  std::vector<result::Run> out;
  out.reserve(rounds.size());
  for (const KeptRound& one : rounds) out.push_back(one.run);
  return out;
}

bool new_stack_measured(const KeptUpgrade& kept) {
  return std::any_of(kept.record.devices.begin(), kept.record.devices.end(),
                     [&](const UpgradeDevice& device) {
                       return !kept_rounds(kept, UpgradeSide::new_stack, device).empty();
                     });
}

int begin_attempt(KeptUpgrade& kept, UpgradeSide side, const std::string& boot,
                  const result::Fingerprint& now) {
  std::vector<UpgradeAttempt>& attempts = kept.record.attempts;
  const auto last = std::find_if(attempts.rbegin(), attempts.rend(),
                                 [](const UpgradeAttempt& one) { return one.side != UpgradeSide::none; });
  const auto number = static_cast<int>(attempts.rend() - last);
  const auto goes_on = [&](const UpgradeDevice& device) {
    const std::vector<KeptRound> rounds = kept_rounds(kept, side, device);
    return std::all_of(rounds.begin(), rounds.end(), [&](const KeptRound& one) {
      return one.attempt != number ||
             (one.run.boot_id == boot && same_facts(now.stack, one.run.fingerprint.stack) &&
              same_facts(now.settings, one.run.fingerprint.settings));
    });
  };
  if (last != attempts.rend() && last->side == side && !last->finished &&
      std::all_of(kept.record.devices.begin(), kept.record.devices.end(), goes_on))
    return number;
  UpgradeAttempt begun;
  begun.time = result::utc_now();
  begun.side = side;
  begun.exit_code = static_cast<int>(judge::ExitCode::cannot_judge);
  begun.sentence = "cannot judge: it was not finished";
  begun.finished = false;
  attempts.push_back(std::move(begun));
  return static_cast<int>(attempts.size());
}

int missing_rounds(const KeptUpgrade& kept, UpgradeSide side, const UpgradeDevice& device, int attempt) {
  const std::vector<KeptRound> rounds = kept_rounds(kept, side, device);
  const auto here = static_cast<int>(std::count_if(
      rounds.begin(), rounds.end(), [&](const KeptRound& one) { return one.attempt == attempt; }));
  return std::max(kept.record.rounds - here, 0);
}

CountedRounds counted_rounds(std::vector<KeptRound> rounds, const std::vector<UpgradeAttempt>& attempts,
                             const std::string& selection) {
  CountedRounds out;
  if (rounds.empty()) return out;
  const int latest = rounds.back().attempt;
  result::Run now;  // holds only what distinguishes rounds
  now.device = rounds.back().run.device;
  now.fingerprint = rounds.back().run.fingerprint;
  Reason changed;
  Reason failed;
  Reason mended;
  Reason set;  // rounds with other settings
  for (KeptRound& one : rounds) {
    if (!baseline::mismatches(one.run, now).empty()) {
      changed.add("");
      continue;
    }
    if (one.attempt != latest) {
      const auto at = static_cast<std::size_t>(std::max(one.attempt, 1)) - 1;
      const bool known = one.attempt > 0 && at < attempts.size();
      const auto causes = known ? causes_on(attempts[at], selection) : std::vector<std::string>();
      const std::string why = unfit(one.run);
      const std::string settings = other_settings(one.run, now);
      if (!why.empty())
        failed.add(why);
      else if (!settings.empty())
        set.add(settings);
      else if (!causes.empty())
        mended.add(fmt::format("{}", fmt::join(causes, ", ")));
      if (!why.empty() || !causes.empty() || !settings.empty()) continue;
    }
    out.rounds.push_back(std::move(one));
  }
  changed.say("Left out: {} of another state of the stack; it was changed again since.{}", out.left_out);
  failed.say("Left out: {} of an earlier `upgrade end`: {}.", out.left_out);
  set.say("Left out: {} of an earlier `upgrade end`, with other settings: {}.", out.left_out);
  mended.say("Left out: {} of an earlier `upgrade end`, which named what to mend: {}.", out.left_out);
  return out;
}

}  // namespace gpugauge::conductor

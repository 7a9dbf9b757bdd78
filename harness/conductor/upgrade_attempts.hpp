// The rounds that `upgrade end` measures in each attempt, and which of them are judged.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "conductor/upgrade_record.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// A complete round of one side of an upgrade.
struct KeptRound {
  result::Run run;             ///< complete
  std::filesystem::path file;  ///< where it is stored
  int attempt = 0;  ///< number in the record, from 1; 0 = of the side measuring, or of an older record
};

/// Folder of an attempt's rounds: `side` is new_stack or returned.
std::filesystem::path attempt_folder(const KeptUpgrade& kept, UpgradeSide side, const UpgradeDevice& device,
                                     int attempt);

/// File of the stack as an attempt found it.
std::filesystem::path stack_file(const KeptUpgrade& kept, int attempt);

/// The complete rounds of a device of one side, which is neither none nor old_stack, by attempt
/// and then in measured order. Throws result::FormatError for a file that is no run, and result::FileError
/// where a folder cannot be read.
std::vector<KeptRound> kept_rounds(const KeptUpgrade& kept, UpgradeSide side, const UpgradeDevice& device);
std::vector<result::Run> runs_of(const std::vector<KeptRound>& rounds);  ///< The runs alone, in their order.

/// True when a complete round of the new stack is kept.
bool new_stack_measured(const KeptUpgrade& kept);

/// Number of the attempt that now measures a side. This is the side's last attempt if it is unfinished and
/// its rounds match `now` (boot, stack, settings). Otherwise a new attempt is added to the record. The clock
/// plays no part.
int begin_attempt(KeptUpgrade& kept, UpgradeSide side, const std::string& boot,
                  const result::Fingerprint& now);
/// Number of rounds that the attempt still lacks for a device.
int missing_rounds(const KeptUpgrade& kept, UpgradeSide side, const UpgradeDevice& device, int attempt);

/// The rounds of a side that are judged.
struct CountedRounds {
  std::vector<KeptRound> rounds;  ///< in the order in which they were given
  std::vector<std::string>
      left_out;  ///< how many other rounds there are and why they do not count, one sentence each
};
/// Counts the last attempt and those earlier rounds that could be part of a baseline. Earlier rounds must
/// also match it in all settings and in all fields that must match. Rounds of an attempt that named a cause
/// do not count: they were measured before the fix. `rounds` is the result of kept_rounds() for one device.
CountedRounds counted_rounds(std::vector<KeptRound> rounds, const std::vector<UpgradeAttempt>& attempts,
                             const std::string& selection);

}  // namespace gpugauge::conductor

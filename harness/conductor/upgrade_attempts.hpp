// The rounds that `upgrade end` measures, attempt by attempt, and which of them are judged.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "conductor/upgrade_record.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// A whole round of one side of an upgrade.
struct KeptRound {
  result::Run run;             ///< complete
  std::filesystem::path file;  ///< where it lies
  int attempt = 0;             ///< of the record, from 1; 0 = of the side "measuring", or of an older record
};

/// Where the rounds of an attempt lie: `side` is "new" or "returned".
std::filesystem::path attempt_folder(const KeptUpgrade& kept, const std::string& side,
                                     const UpgradeDevice& device, int attempt);

/// The whole rounds of a device in one of an upgrade's folders ("new", "returned", "measuring"), by attempt,
/// and in the order in which each measured them. Partial ones are left out. Throws result::FormatError for a
/// file that is no run, and result::FileError where a folder cannot be read.
std::vector<KeptRound> kept_rounds(const KeptUpgrade& kept, const std::string& side,
                                   const UpgradeDevice& device);
std::vector<result::Run> runs_of(const std::vector<KeptRound>& rounds);  ///< The runs alone, in their order.

/// Whether a whole round of the new stack is kept.
bool new_stack_measured(const KeptUpgrade& kept);

/// The attempt that measures a side now, by its number: the last one of that side, where it is not finished
/// and nothing differs between its rounds and `now` (boot, stack, settings), else a new one, which is added
/// to the record. No clock decides it.
int begin_attempt(KeptUpgrade& kept, const std::string& side, const std::string& boot,
                  const result::Fingerprint& now);
/// Rounds of the attempt that are missing of a device.
int missing_rounds(const KeptUpgrade& kept, const std::string& side, const UpgradeDevice& device,
                   int attempt);

/// Of a side's rounds those that are judged.
struct CountedRounds {
  std::vector<KeptRound> rounds;  ///< in the order in which they were given
  std::vector<std::string>
      left_out;  ///< how many others there are and why they do not count, a sentence each
};
/// The last attempt counts, and of those before it the rounds that could be part of a baseline and in which
/// nothing that must match and no setting differs from it. What an attempt found a cause for was measured
/// before that was mended, and does not count any more. `rounds` are a device's, as kept_rounds gives them.
CountedRounds counted_rounds(std::vector<KeptRound> rounds, const std::vector<UpgradeAttempt>& attempts,
                             const std::string& selection);

}  // namespace gpugauge::conductor

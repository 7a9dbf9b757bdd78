// What follows from the verdict of `gpugauge upgrade end`, and the record of it.
#pragma once

#include <string>
#include <vector>

#include "conductor/upgrade_end.hpp"

namespace gpugauge::conductor {

/// What to do after an `upgrade end`, and what becomes of the record.
struct Followed {
  UpgradeState state = UpgradeState::open;  ///< of the record from now on: open, passed or returned
  std::vector<UpgradeCause> causes;         ///< what can be mended without going back
  std::vector<UpgradeFinding> findings;     ///< what going back told of the change
  std::vector<stack::Advice> to_keep_it;    ///< where the new stack passed: what to do now
  std::vector<std::string> sentences;       ///< of a verdict against the new stack: what to do about it
  std::vector<stack::Advice> way_back;      ///< where going back is advised
  std::string last;                         ///< whether it is closed, and why not; one sentence
};

/// `report` is judge_end()'s, its devices with the files of the judged rounds. The record is closed by a pass
/// of all that was planned, and by a return to a machine that is as it was. Throws like kept_rounds().
Followed follow(const UpgradeEnd& end, const report::Report& report);

/// The commands that go back from what is there now.
std::vector<stack::Advice> way_back_of(const UpgradeEnd& end);

/// Notes how it ended in the record, at the attempt that was begun where there is one, and saves it.
/// `finished`: every device was measured and judged. Throws like save().
void record_end(UpgradeEnd& end, const judge::Outcome& outcome, const Followed& followed, bool finished);

}  // namespace gpugauge::conductor

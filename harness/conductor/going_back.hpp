// What the old stack, measured again after the new one, tells of the change between them (A/B/A). Pure.
#pragma once

#include <optional>

#include "report/summary.hpp"

namespace gpugauge::conductor {

/// A device's old stack before, its new one, and the old one again, compared pair by pair.
struct OldNewOld {
  report::DeviceReport changed;   ///< the new stack against the old one of before
  report::DeviceReport between;   ///< the new stack against both measurements of the old one
  report::DeviceReport returned;  ///< the old stack again against itself of before
};

/// Tells whether going back recovers, metric by metric of those that count against the new stack. It recovers
/// where of each of them most of the slowness is gone, and changes nothing where most of it remains. What
/// noise leaves open tells neither, and must be the lesser part. The answer becomes a probe of the new stack's
/// observation, which is diagnosed again:
/// - same_binary_old_driver where only the driver changed
/// - change_version with "COMPONENT=VERSION before" where only that component changed
/// - change_version with "stack=as before" where several changed and it recovers: which of them did it cannot be
///   told
/// - change_version for each of them where nothing changes: each is cleared
///
/// nullopt where nothing counts against the new stack, or no component of the stack changed.
std::optional<report::GoingBack> going_back(const OldNewOld& sides);

}  // namespace gpugauge::conductor

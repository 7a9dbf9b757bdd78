// What the host's settings and reports tell of its processors.
#pragma once

#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {

/// The group allows only part of the machine's processors, or has any limit at all.
Fact processors_limited(const Seen& seen);
/// The reporter saw the affinity mask, or what sets it.
Fact mask_seen(const Seen& seen);
/// It is slow while the processors idle, and quicker while other work keeps them busy. Whole phrases: what is slow
/// while a neighbour works and normal when the machine is idle says the opposite.
Fact quicker_when_busy(const Seen& seen);
/// More loading processes were started than there are processors: the setting counts for each process of the work.
Fact too_many_workers(const Seen& seen);
/// The mask allows far fewer processors than the machine has.
Fact narrowed(const Seen& seen);
/// Work stops for the rest of each period of the kernel's scheduler, 100 ms.
Fact stops_by_periods(const Seen& seen);

}  // namespace gpugauge::diagnose

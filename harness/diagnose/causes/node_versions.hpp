// Versions that differ between the nodes of one job.
#pragma once

#include "diagnose/seen.hpp"

namespace gpugauge::diagnose {

/// In one job some hosts load a network plugin and others do not, as NCCL's log has it.
Fact plugins_differ(const Seen& seen);
/// A message says that the ranks of one job are of unlike versions.
Fact ranks_differ(const Seen& seen);
/// A fact or NCCL's log gives the nodes of one job several versions of NCCL, its plugin or the driver.
Fact versions_by_node(const Seen& seen);
/// The reporter gives two versions of NCCL, one of them of some nodes only.
Fact versions_told(const Seen& seen);
/// It recovered when one node got the others' version, or with nodes of one image.
Fact versions_aligned(const Seen& seen);

}  // namespace gpugauge::diagnose

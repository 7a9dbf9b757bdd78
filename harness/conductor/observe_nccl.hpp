// What NCCL's log said of its ways between GPUs and nodes, as facts of an observation. Pure.
#pragma once

#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Adds NCCL's version, transport and plugin to the inventory, and to `changed` where a side differs; there
/// also the kinds of its paths ("nccl.paths"). `about.nodes` is the number of nodes of the ranks, 1 where
/// NCCL ran and no ranks are told of: a family that the harness starts stands alone. Lines of the log (paths,
/// network, warnings, and why it goes that way) are added where a collective of `out` is slower or fails, or
/// `out` has an error. A line that the earlier side has, too, is no news and left out, unless something is
/// slow against a physical limit; paths with GDRDMA are always told. `before` may be nullptr. `out` must have
/// its figures, errors and changes already.
void add_nccl(const std::vector<result::Run>& runs, const std::vector<result::Run>* before,
              diagnose::Observation& out);

}  // namespace gpugauge::conductor

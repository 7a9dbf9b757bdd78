// The walk over all pairs of GPUs, as the body of the benchmarks that copy between them.
#pragma once

#include "copy/peer_way.hpp"
#include "support/definition.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::copy {

/// Measures one kind of copy between all pairs of the GPUs that the process sees, one after another: a metric a pair,
/// bandwidth_0_to_1, or bandwidth_0_and_1 both ways (the bytes of both count), or latency_0_to_1 for copies of one
/// size, which is not judged where the host's enqueueing is part of it. Notes the GPUs' UUIDs, and of each pair whether there is peer access and how much was copied. A pair that
/// fails does not stop the others: it is named, and the benchmark fails for it at the end; where a GPU is only in use,
/// the benchmark is unavailable. Pairs without peer access are left out where `kind` needs it, and the trial is
/// skipped where none has it.
void measure_peers(Trial& trial, const PeerCopy& kind);

/// What the definitions of these benchmarks share, including the body.
Definition define_peers(const char* op, const PeerCopy& kind);

}  // namespace gpugauge::bench::copy

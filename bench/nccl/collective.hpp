// A collective as a benchmark: sizes, buffers, lockstep timing over all ranks, verification, what NCCL chose.
// The cases differ in the call, the expected result and the factor of busbw.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/collective/predictable.hpp"
#include "nccl/bandwidth.hpp"
#include "nccl/layout.hpp"
#include "nccl/world.hpp"
#include "support/definition.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::nccl {

struct Collective {
  bool divides;  ///< the size covers all ranks' parts together
  Receives receives;
  double (*bus_factor)(int ranks);
  /// Enqueues one call of one rank; inside a group where the process has several ranks.
  ncclResult_t (*enqueue)(const float* send, float* receive, const Layout& layout, int rank, int ranks,
                          ncclComm_t comm, cudaStream_t stream);
  kernels::collective::Expected (*expected)(const Layout& layout, int rank, int ranks);
};

/// The body of a definition with the axis "size": a size, or "sweep" for powers of two from 8 B to 8 GiB.
void measure_collective(Trial& trial, const Collective& collective);

/// The parts of a collective's definition that differ between collectives.
struct CollectiveText {
  const char* isolates;
  std::function<void(Trial&)> body;
  Depth depth_8b = Depth::deep;      ///< the shallowest profile that measures 8 B
  Depth depth_256mib = Depth::deep;  ///< the shallowest profile that measures 256 MiB
};

/// Registers the definitions that all collectives share. 8 B has class coll_small. 1 MiB, 256 MiB and the
/// sweep have class coll_large; a metric of the sweep has the class of its own size.
class CollectiveRegistration {
 public:
  CollectiveRegistration(const char* family, const char* op, const CollectiveText& text);

 private:
  Registration small_;
  Registration large_;
  Registration sweep_;
};

}  // namespace gpugauge::bench::nccl

// A collective as a benchmark: sizes, buffers, lockstep timing over all ranks, verification, what NCCL chose.
// The cases differ in the call, in the expected result and in the factor of busbw.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/collective/predictable.hpp"
#include "nccl/bandwidth.hpp"
#include "nccl/world.hpp"
#include "support/definition.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::nccl {

/// How one call's buffers are divided. `total` is the elements that the size stands for, `part` = total /
/// ranks where the collective divides them, else total.
struct Layout {
  std::uint64_t total = 0;
  std::uint64_t part = 0;
};

struct Collective {
  bool divides;        ///< the size is that of all ranks' parts together
  bool receives_part;  ///< a rank receives `part` elements; else `total`
  double (*bus_factor)(int ranks);
  /// Enqueues one call of one rank; inside a group where there are several ranks in the process.
  ncclResult_t (*enqueue)(const float* send, float* receive, const Layout& layout, int rank, int ranks,
                          ncclComm_t comm, cudaStream_t stream);
  kernels::collective::Expected (*expected)(const Layout& layout, int rank, int ranks);
};

/// The body of a definition with the axis "size": a size, or "sweep" for powers of two from 8 B to 8 GiB.
void measure_collective(Trial& trial, const Collective& collective);

/// What distinguishes one collective's definitions from another's.
struct CollectiveText {
  const char* isolates;
  std::function<void(Trial&)> body;
  Depth depth_8b = Depth::deep;      ///< the shallowest profile that measures 8 B
  Depth depth_256mib = Depth::deep;  ///< and 256 MiB
};

/// Registers what all collectives share: 8 B, whose class is coll_small, then 1 MiB, 256 MiB and the sweep,
/// whose class is coll_large (a metric of the sweep has the class of its own size).
class CollectiveRegistration {
 public:
  CollectiveRegistration(const char* family, const char* op, const CollectiveText& text);

 private:
  Registration small_;
  Registration large_;
};

}  // namespace gpugauge::bench::nccl

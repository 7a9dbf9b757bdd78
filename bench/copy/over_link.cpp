#include "copy/over_link.hpp"

#include <string>

namespace gpugauge::bench::copy {
namespace {

std::string way_of(Direction direction) {
  return direction == Direction::to_device ? "from host to device" : "from device to host";
}

Definition over_link(const char* op, Direction direction) {
  return define(GPUGAUGE_BENCH_FAMILY, op)
      .axis("size", sizes)
      .quantity(Quantity::bandwidth, direction == Direction::to_device ? "h2d" : "d2h")
      .batch_seconds(20e-3)
      .requires_gpu()
      .from(Depth::deep);
}

}  // namespace

Definition by_engine(const char* op, Direction direction) {
  return over_link(op, direction)
      .variant("pinned")
      .isolates("Copying page-locked memory " + way_of(direction) +
                " by the GPU's copy engine, up to 16 copies behind a kernel that holds them back: the link "
                "between host and GPU")
      .bad_value(
          "a PCIe link at half its width or an older generation, a slot behind a switch or on the other "
          "socket, memory of the other NUMA node, an IOMMU that translates, a neighbour on the link")
      .saturating()
      .body([direction](Trial& trial) { copy_by_engine(trial, direction); });
}

Definition by_kernel(const char* op, Direction direction) {
  return over_link(op, direction)
      .variant("pinned_sm")
      .isolates("Copying page-locked memory " + way_of(direction) +
                " by a kernel on the SMs, without a copy engine")
      .bad_value("what slows the copy engine too; alone: too few SMs, or small requests on the link")
      .from(Depth::exhaustive, "size", {"64MiB", "1GiB"})  // deep has no room for what 256 MiB says already
      .body([direction](Trial& trial) { copy_by_kernel(trial, direction); });
}

Definition from_pageable(const char* op, Direction direction) {
  return over_link(op, direction)
      .variant("pageable")
      .isolates("Copying pageable memory " + way_of(direction) +
                ": the driver stages it through buffers of its own, so the processor and the host's memory "
                "take part. On the host's clock")
      .bad_value(
          "a slow or throttled processor, host memory of the other NUMA node, no free pages, a neighbour")
      .from(Depth::exhaustive, "size", {"64MiB", "1GiB"})  // deep has no room for what 256 MiB says already
      .body([direction](Trial& trial) { copy_pageable(trial, direction); });
}

}  // namespace gpugauge::bench::copy

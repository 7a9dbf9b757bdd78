#include "copy/transfer.hpp"

namespace gpugauge::bench::copy {
namespace {

constexpr const char* link =
    "a PCIe link at half its width or an older generation, a slot behind a switch or on the other socket, "
    "memory of "
    "the other NUMA node, an IOMMU that translates, a neighbour on the link";

const Registration pinned{define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
                              .variant("pinned")
                              .isolates("Copying page-locked memory from device to host by the GPU's copy "
                                        "engine, up to 16 copies behind a "
                                        "kernel that holds them back: the link between host and GPU")
                              .bad_value(link)
                              .axis("size", sizes)
                              .quantity(Quantity::bandwidth, "d2h")
                              .saturating()
                              .batch_seconds(20e-3)
                              .requires_gpu()
                              .from(Depth::deep)
                              .from(Depth::quick, "size", {"256MiB"})
                              .body([](Trial& trial) { copy_by_engine(trial, Direction::to_host); })};

const Registration by_kernel{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("pinned_sm")
        .isolates(
            "Copying page-locked memory from device to host by a kernel on the SMs, without a copy engine")
        .bad_value("what slows the copy engine too; alone: too few SMs, or small requests on the link")
        .axis("size", sizes)
        .quantity(Quantity::bandwidth, "d2h")
        .batch_seconds(20e-3)
        .requires_gpu()
        .from(Depth::deep)
        .body([](Trial& trial) { copy_by_kernel(trial, Direction::to_host); })};

const Registration pageable{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("pageable")
        .isolates("Copying pageable memory from device to host: the driver stages it through buffers of its "
                  "own, so the "
                  "processor and the host's memory take part. On the host's clock")
        .bad_value(
            "a slow or throttled processor, host memory of the other NUMA node, no free pages, a neighbour")
        .axis("size", sizes)
        .quantity(Quantity::bandwidth, "d2h")
        .batch_seconds(20e-3)
        .requires_gpu()
        .from(Depth::deep)
        .body([](Trial& trial) { copy_pageable(trial, Direction::to_host); })};

}  // namespace
}  // namespace gpugauge::bench::copy

#include "copy/over_link.hpp"

namespace gpugauge::bench::copy {
namespace {

const Registration pinned{
    by_engine(GPUGAUGE_BENCH_OP, Direction::to_device).from(Depth::smoke, "size", {"64MiB"})};
const Registration pinned_sm{by_kernel(GPUGAUGE_BENCH_OP, Direction::to_device)};
const Registration pageable{from_pageable(GPUGAUGE_BENCH_OP, Direction::to_device)};

}  // namespace
}  // namespace gpugauge::bench::copy

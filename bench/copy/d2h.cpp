#include "copy/over_link.hpp"

namespace gpugauge::bench::copy {
namespace {

const Registration pinned{
    by_engine(GPUGAUGE_BENCH_OP, Direction::to_host).from(Depth::quick, "size", {"256MiB"})};
const Registration pinned_sm{by_kernel(GPUGAUGE_BENCH_OP, Direction::to_host)};
const Registration pageable{from_pageable(GPUGAUGE_BENCH_OP, Direction::to_host)};

}  // namespace
}  // namespace gpugauge::bench::copy

#include "cufft/transform.hpp"

namespace gpugauge::bench::cufft {
namespace {

const Registration fp32{
    define_transform(GPUGAUGE_BENCH_OP, kernels::Element::fp32)
        .isolates(
            "Complex transforms of two dimensions in fp32, out of place, far more data than the caches hold")
        .axis("size", {"4096x4096"})};

const Registration fp64{
    define_transform(GPUGAUGE_BENCH_OP, kernels::Element::fp64)
        .isolates(
            "Complex transforms of two dimensions in fp64, out of place, far more data than the caches hold")
        .axis("size", {"4096x4096"})};

}  // namespace
}  // namespace gpugauge::bench::cufft

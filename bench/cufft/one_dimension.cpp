#include "cufft/transform.hpp"

namespace gpugauge::bench::cufft {
namespace {

const Registration fp32{define_transform(GPUGAUGE_BENCH_OP, kernels::Element::fp32)
                            .isolates("Many complex transforms of one dimension in fp32, out of place, far "
                                      "more data than the caches hold")
                            .axis("size", {"1024", "1048576"})
                            .from(Depth::standard, "size", {"1048576"})};

const Registration fp64{define_transform(GPUGAUGE_BENCH_OP, kernels::Element::fp64)
                            .isolates("Many complex transforms of one dimension in fp64, out of place, far "
                                      "more data than the caches hold")
                            .axis("size", {"1024", "1048576"})};

}  // namespace
}  // namespace gpugauge::bench::cufft

#include "cublas/product.hpp"

namespace gpugauge::bench::cublas {
namespace {

const Registration lt{define_product(GPUGAUGE_BENCH_OP, tf32)
                          .variant("lt")
                          .saturating()
                          .isolates("products of fp32 matrices by cuBLASLt with inputs rounded to tf32 on "
                                    "Tensor Cores; the note numerics says whether the error is that of tf32")
                          .bad_value("the driver or library was changed, a lower SM clock (power cap, heat, "
                                     "locked clocks), another process on the GPU; where only throughput "
                                     "falls and throughput_best does not, the heuristic chose worse")
                          .axis("shape", squares())
                          .from(Depth::exhaustive, "shape", {"2048x2048x2048", "4096x4096x4096"})
                          .body([](Trial& trial) { measure_lt(trial, tf32, Layout::rows); })};

const Registration sgemm_registered{
    define_product(GPUGAUGE_BENCH_OP, tf32)
        .variant("sgemm")
        .window_share(.5)  // the mode shows at once, and the profile has no spare time
        .isolates(
            "products of fp32 matrices by cublasSgemm on a handle whose math mode allows tf32: the call "
            "of programs that set the mode once")
        .bad_value("as for lt; where only this falls and the note numerics says fp32, the handle's math mode "
                   "was lost: a library in the process set it back")
        .axis("shape", squares())
        .from(Depth::exhaustive, "shape", squares_but("8192x8192x8192"))
        .from(Depth::quick, "shape", {"8192x8192x8192"})
        .body([](Trial& trial) { measure_sgemm(trial, tf32); })};

}  // namespace
}  // namespace gpugauge::bench::cublas

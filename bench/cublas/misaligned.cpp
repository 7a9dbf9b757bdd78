#include <string>

#include "cublas/product.hpp"

namespace gpugauge::bench::cublas {
namespace {

const Registration registered{
    define_product(GPUGAUGE_BENCH_OP, bf16)
        .variant("bf16")
        .isolates("bf16 products whose sizes are no multiple of 8: rows then start where a 16-byte load "
                  "cannot, and Tensor Core kernels need slower loads. 4095 is odd, 4094 even, 4092 a "
                  "multiple of 4, 4088 of 8")
        .bad_value("the driver or library was changed, a lower SM clock (power cap, heat, locked clocks), "
                   "another process on the GPU; where only throughput falls and throughput_best does not, "
                   "the heuristic chose worse")
        .axis("shape", {"4095x4095x4095", "4094x4094x4094", "4092x4092x4092", "4088x4088x4088"})
        .beside("aligned", [](const Instance&) { return std::string("cublas/bf16/lt/4096x4096x4096"); })
        .body([](Trial& trial) { measure_lt(trial, bf16, Layout::rows); })};

}  // namespace
}  // namespace gpugauge::bench::cublas

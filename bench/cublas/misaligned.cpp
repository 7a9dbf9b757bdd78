#include <string>
#include <vector>

#include "cublas/product.hpp"

namespace gpugauge::bench::cublas {
namespace {

/// Products of `shapes` that are held beside the square `aligned`, computed the same way.
Definition unaligned(const Arithmetic& arithmetic, const std::string& aligned,
                     const std::vector<std::string>& shapes) {
  return define_product(GPUGAUGE_BENCH_OP, arithmetic)
      .bad_value(
          "the driver or library was changed, a lower SM clock (power cap, heat, locked clocks), "
          "another process on the GPU; where only the first plan falls and the best does not, the "
          "heuristic chose worse")
      .axis("shape", shapes)
      .beside("aligned", [aligned](const Instance&) { return aligned; });
}

const Registration with_bf16{
    unaligned(bf16, "cublas/bf16/lt/4096x4096x4096",
              {"4095x4095x4095", "4094x4094x4094", "4092x4092x4092", "4088x4088x4088"})
        .isolates("bf16 products whose sizes are no multiple of 8: rows then start where a 16-byte load "
                  "cannot, and Tensor Core kernels need slower loads. 4095 is odd, 4094 even, 4092 a "
                  "multiple of 4, 4088 of 8")
        .body([](Trial& trial) { measure_lt(trial, bf16, Layout::rows); })};

// The aligned square of 4096 is measured on older GPUs only.
const Registration with_fp16{
    unaligned(fp16, "cublas/fp16/lt/8192x8192x8192",
              {"8191x8191x8191", "8190x8190x8190", "8188x8188x8188", "8184x8184x8184"})
        .isolates(
            "fp16 products whose sizes are no multiple of 8, as in bf16. 8191 is odd, 8190 even, 8188 a "
            "multiple of 4, 8184 of 8")
        .from(Depth::exhaustive)
        .body([](Trial& trial) { measure_lt(trial, fp16, Layout::rows); })};

const Registration with_tf32{
    unaligned(tf32, "cublas/tf32/lt/4096x4096x4096", {"4095x4095x4095", "4094x4094x4094", "4092x4092x4092"})
        .isolates(
            "products of fp32 matrices in tf32 whose sizes are no multiple of 4, so that rows start where "
            "a 16-byte load cannot; the library may then choose fp32 instead, which the note numerics "
            "says. 4095 is odd, 4094 even, 4092 a multiple of 4")
        .from(Depth::exhaustive)
        .body([](Trial& trial) { measure_lt(trial, tf32, Layout::rows); })};

// cuBLASLt asks for multiples of 4 in int8 (its documentation of cublasLtMatmul, "supported data types").
const Registration with_int8{
    unaligned(int8, "cublas/int8/lt/4096x4096x4096", {"4092x4092x4092", "4088x4088x4088"})
        .isolates(
            "int8 products with int32 sums, weights as out x in, whose sizes are no multiple of 16: rows "
            "then start where a 16-byte load cannot. 4092 is a multiple of 4, 4088 of 8")
        .from(Depth::exhaustive)
        .body([](Trial& trial) { measure_lt(trial, int8, Layout::linear); })};

}  // namespace
}  // namespace gpugauge::bench::cublas

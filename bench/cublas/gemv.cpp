#include "cublas/product.hpp"

namespace gpugauge::bench::cublas {
namespace {

Definition matrix_vector(const Arithmetic& arithmetic) {
  return define_product(GPUGAUGE_BENCH_OP, arithmetic)
      .isolates(
          "A matrix times a vector by cuBLAS: every element of the matrix is read once, so that memory "
          "bandwidth decides")
      .bad_value("lower memory bandwidth; a kernel that reads with too few blocks")
      .quantity(Quantity::bandwidth, "hbm")
      .batch_seconds(2e-3)
      .axis("shape", {"32768x1x8192"});
}

const Registration with_fp64{matrix_vector(fp64).body([](Trial& trial) { measure_gemv(trial, fp64); })};
const Registration with_fp32{matrix_vector(fp32).body([](Trial& trial) { measure_gemv(trial, fp32); })};
const Registration with_bf16{matrix_vector(bf16).body([](Trial& trial) { measure_gemv(trial, bf16); })};

}  // namespace
}  // namespace gpugauge::bench::cublas

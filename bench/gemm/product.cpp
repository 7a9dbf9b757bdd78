#include "gemm/product.hpp"

#include "support/cuda/per_clock.hpp"

namespace gpugauge::bench::gemm {

void add_flop_per_clock(Trial& trial, double flops, int sm_count) {
  cuda::add_per_clock(trial, flops, sm_count);
}

}  // namespace gpugauge::bench::gemm

#include "kernels/support/comparison_launch.cuh"
#include "kernels/support/finite.cuh"
#include "kernels/support/finite.hpp"

namespace gpugauge::kernels {

cudaError_t count_not_finite(const float* data, std::size_t count, Comparison* found, cudaStream_t stream) {
  return compare_exactly(count, Finite<float>{data}, found, stream);
}

cudaError_t count_not_finite(const Bf16* data, std::size_t count, Comparison* found, cudaStream_t stream) {
  return compare_exactly(count, Finite<Bf16>{data}, found, stream);
}

cudaError_t count_not_finite(const Fp16* data, std::size_t count, Comparison* found, cudaStream_t stream) {
  return compare_exactly(count, Finite<Fp16>{data}, found, stream);
}

}  // namespace gpugauge::kernels

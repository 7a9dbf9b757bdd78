#include <cmath>

#include "kernels/integrity/transforms.cuh"
#include "kernels/support/clock.cuh"

namespace gpugauge::kernels::integrity {
namespace {

struct MakingSm {
  __device__ std::uint32_t operator()() const { return sm_id(); }
};

}  // namespace

cudaError_t transform_rows(const float2* factors, float2* to, int count, int times, std::uint64_t seed,
                           unsigned long long* sums, std::uint32_t* sms, cudaStream_t stream) {
  if (count < 1 || times < 1) return cudaErrorInvalidValue;
  transform_kernel<<<static_cast<unsigned>(count), transform_threads, 0, stream>>>(factors, to, times, seed,
                                                                                   sums, sms, MakingSm{});
  return cudaGetLastError();
}

void transform_factors(float2 (&factors)[transform_points]) {
  const double turn = -2 * std::acos(-1.0) / transform_points;
  for (int k = 0; k < transform_points; ++k)
    factors[k] = make_float2(static_cast<float>(std::cos(turn * k)), static_cast<float>(std::sin(turn * k)));
}

}  // namespace gpugauge::kernels::integrity

#include "kernels/launch/programmatic.hpp"
#include "kernels/support/grid.hpp"
#include "kernels/support/programmatic.cuh"

namespace gpugauge::kernels::launch {
namespace {

__global__ void link_kernel() {
  let_the_next_begin();
  wait_for_the_one_ahead();
}

__global__ void counting_link_kernel(unsigned long long expected, unsigned long long* counter,
                                     unsigned long long* wrong) {
  let_the_next_begin();
  wait_for_the_one_ahead();
  if (threadIdx.x != 0) return;
  volatile unsigned long long* const shared = counter;
  if (*shared != expected) atomicAdd(wrong, 1ULL);
  *shared = expected + 1;
}

template <typename... Parameters, typename... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), bool programmatic, cudaStream_t stream,
                   Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = programmatic ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

}  // namespace

cudaError_t links_can_begin_early() {
  if (const cudaError_t status = supports(link_kernel, 90); status != cudaSuccess) return status;
  return supports(counting_link_kernel, 90);
}

cudaError_t launch_link(bool programmatic, cudaStream_t stream) {
  return launch(link_kernel, programmatic, stream);
}

cudaError_t launch_counting_link(bool programmatic, unsigned long long expected, unsigned long long* counter,
                                 unsigned long long* wrong, cudaStream_t stream) {
  return launch(counting_link_kernel, programmatic, stream, expected, counter, wrong);
}

}  // namespace gpugauge::kernels::launch

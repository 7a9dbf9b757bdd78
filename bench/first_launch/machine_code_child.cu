// The fresh process whose kernel is the executable's own.
#include "first_launch/child.hpp"
#include "kernels/launch/first.cuh"

namespace gpugauge::bench::first_launch {
namespace {

struct MachineCode {
  static void run(std::uint64_t* values) {
    kernels::launch::first_kernel<<<1, kernels::launch::first_threads>>>(values);
    cuda::check(cudaGetLastError(), "launching a first kernel");
    cuda::check(cudaDeviceSynchronize(), "waiting for a first kernel");
  }
  static CodeVersions versions() {
    cudaFuncAttributes attributes{};
    cuda::check(cudaFuncGetAttributes(&attributes, kernels::launch::first_kernel), "asking about a kernel");
    return {attributes.ptxVersion, attributes.binaryVersion};
  }
};

const Child child{machine_code_child, time_first_launch<MachineCode>};

}  // namespace
}  // namespace gpugauge::bench::first_launch

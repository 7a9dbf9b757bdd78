// What a comparing kernel leaves in device memory: what it found, and to how many elements it came. A kernel
// that was launched without an error and never ran leaves nothing wrong behind, and that must not pass.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

namespace gpugauge::kernels {

/// The state of a comparison. All zeros: none was begun.
struct Comparison {
  /// To be compared, as the launch said.
  unsigned long long elements = 0;
  /// Of them, those that the kernel came to.
  unsigned long long compared = 0;
  /// Of those, the ones that are not exactly right; 0 where errors are measured.
  unsigned long long wrong = 0;
  /// The largest error, infinity where one is NaN; 0 where elements are right or wrong.
  double error = 0;

  /// Were there elements, and did the kernel come to each of them once?
  bool complete() const { return elements > 0 && compared == elements; }
};

/// *comparison (device) = nothing compared yet of `elements`. Every launch of a comparing kernel begins with
/// it, in the order of `stream`, which it waits for; what an earlier comparison left is gone. Returns the
/// error of the copy or of the wait.
inline cudaError_t begin_comparison(Comparison* comparison, std::size_t elements, cudaStream_t stream) {
  const Comparison nothing{.elements = elements};
  const cudaError_t copied =
      cudaMemcpyAsync(comparison, &nothing, sizeof nothing, cudaMemcpyHostToDevice, stream);
  // A GPU that reads the host's pageable memory by itself (GH200, HMM) may read it after the call.
  return copied == cudaSuccess ? cudaStreamSynchronize(stream) : copied;
}

}  // namespace gpugauge::kernels

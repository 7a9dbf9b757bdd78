// What a comparing kernel leaves in device memory: its result, and how many elements it reached. A kernel
// that was launched without an error but never ran finds nothing wrong, and that must not pass.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

namespace gpugauge::kernels {

/// The state of a comparison. All zeros: none was begun.
struct Comparison {
  /// Elements to compare, as the launch said.
  unsigned long long elements = 0;
  /// Elements that the kernel reached.
  unsigned long long compared = 0;
  /// Compared elements that are not exactly right; 0 where errors are measured.
  unsigned long long wrong = 0;
  /// The largest error, infinity where one is NaN; 0 where elements are counted as wrong.
  double error = 0;

  /// True when there were elements and the kernel reached each of them once.
  bool complete() const { return elements > 0 && compared == elements; }
};

/// *comparison (device) = nothing compared yet of `elements`. Every launch of a comparing kernel begins with
/// it, in the order of `stream`, and overwrites an earlier comparison. Waits for the stream. Returns the
/// error of the copy or of the wait.
inline cudaError_t begin_comparison(Comparison* comparison, std::size_t elements, cudaStream_t stream) {
  const Comparison nothing{.elements = elements};
  const cudaError_t copied =
      cudaMemcpyAsync(comparison, &nothing, sizeof nothing, cudaMemcpyHostToDevice, stream);
  // A GPU that reads the host's pageable memory directly (GH200, HMM) may read it after the call.
  return copied == cudaSuccess ? cudaStreamSynchronize(stream) : copied;
}

}  // namespace gpugauge::kernels

// A complex cuFFT transform as a benchmark: plan, buffers, timing, verification.
#pragma once

#include <cufft.h>

#include "kernels/fft/reference.hpp"
#include "support/definition.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::cufft {

/// A plan for all transforms of a shape, complex to complex; `rank` is the number of dimensions.
class Plan {
 public:
  Plan(const kernels::fft::Shape& shape, int rank);
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  void set_stream(cudaStream_t stream) const;
  /// CUFFT_FORWARD or CUFFT_INVERSE; `in` and `out` do not overlap.
  void run(void* in, void* out, int direction) const;
  /// Bytes that cuFFT allocated beyond input and output.
  std::size_t workspace_bytes() const;

 private:
  kernels::fft::Shape shape_;
  cufftHandle handle_ = 0;
};

/// Measures forward transforms of the size on the axis "size", cold and out of place. Verifies that plane
/// waves become one peak each, that forward and inverse give the input, and that repeats agree bit for bit.
void measure_transform(Trial& trial, kernels::Element type);

/// Makes a definition with what the transforms share: variant fp32 or fp64.
Definition define_transform(const char* op, kernels::Element type);

}  // namespace gpugauge::bench::cufft

// A failed cuFFT call as an exception that a user can read.
#pragma once

#include <stdexcept>
#include <string>

#include <cufft.h>

namespace gpugauge::bench::cufft {

class CufftError : public std::runtime_error {
 public:
  CufftError(cufftResult status, const std::string& doing);
  cufftResult status() const { return status_; }

 private:
  cufftResult status_;
};

/// "CUFFT_INVALID_DEVICE (11): ...".
std::string explain(cufftResult status);

/// Throws cuda::OutOfMemory for CUFFT_ALLOC_FAILED, cuda::CudaError where this program's own CUDA runtime
/// knows of an error, and CufftError for every other status but success. cuFFT has its own runtime, so an
/// error that it saw first shows only in the status. `doing` names the action.
void check(cufftResult status, const char* doing);

}  // namespace gpugauge::bench::cufft

#include "cufft/status.hpp"

#include <fmt/format.h>

#include "support/cuda/error.hpp"

namespace gpugauge::bench::cufft {

namespace {

struct Text {
  const char* name;
  const char* meaning;
};

// By number: the names of some statuses differ between CUDA 12 and 13.
Text text_of(int status) {
  switch (status) {
    case 0:
      return {"CUFFT_SUCCESS", "no error."};
    case 1:
      return {"CUFFT_INVALID_PLAN", "cuFFT does not know the plan."};
    case 2:
      return {"CUFFT_ALLOC_FAILED", "cuFFT got no memory."};
    case 4:
      return {"CUFFT_INVALID_VALUE", "cuFFT takes no such parameter."};
    case 5:
      return {
          "CUFFT_INTERNAL_ERROR",
          "cuFFT failed inside itself; where it has no code for this GPU it builds it with nvJitLink, which "
          "must then be there too."};
    case 6:
      return {"CUFFT_EXEC_FAILED", "a kernel of cuFFT failed."};
    case 7:
      return {"CUFFT_SETUP_FAILED", "cuFFT could not set itself up: is the driver older than it needs?"};
    case 8:
      return {"CUFFT_INVALID_SIZE", "cuFFT does not transform this size."};
    case 11:
      return {"CUFFT_INVALID_DEVICE", "cuFFT does not know this GPU."};
    case 16:
      return {"CUFFT_NOT_SUPPORTED", "this cuFFT does not do that."};
    default:
      return {"unknown status", "cufft.h of the loaded version lists it."};
  }
}

}  // namespace

std::string explain(cufftResult status) {
  const Text text = text_of(static_cast<int>(status));
  return fmt::format("{} ({}): {}", text.name, static_cast<int>(status), text.meaning);
}

CufftError::CufftError(cufftResult status, const std::string& doing)
    : std::runtime_error(fmt::format("{} failed: {}", doing, explain(status))), status_(status) {}

void check(cufftResult status, const char* doing) {
  if (status == CUFFT_SUCCESS) return;
  if (status == CUFFT_EXEC_FAILED || status == CUFFT_INTERNAL_ERROR) cuda::check(cudaGetLastError(), doing);
  if (status == CUFFT_ALLOC_FAILED) throw cuda::OutOfMemory(fmt::format("{}: {}", doing, explain(status)));
  throw CufftError(status, doing);
}

}  // namespace gpugauge::bench::cufft

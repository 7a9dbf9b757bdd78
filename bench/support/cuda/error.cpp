#include "support/cuda/error.hpp"

#include <new>
#include <utility>

#include <fmt/format.h>

#include "result/cuda_error.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::cuda {

namespace {

class OutOfPinnedMemory : public std::bad_alloc {
 public:
  explicit OutOfPinnedMemory(std::string what) : what_(std::move(what)) {}
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

}  // namespace

std::string name_of(cudaError_t code) {
  const int number = static_cast<int>(code);
  const auto info = result::explain_cuda_error(number);
  return info ? fmt::format("{} ({})", info->name, number)
              : fmt::format("{} ({})", cudaGetErrorName(code), number);
}

std::string explain(cudaError_t code) {
  const int number = static_cast<int>(code);
  if (const auto info = result::explain_cuda_error(number))
    return fmt::format("{}: {} {}", name_of(code), info->meaning, info->next);
  return fmt::format("{}: {}", name_of(code), cudaGetErrorString(code));
}

CudaError::CudaError(cudaError_t code, const std::string& what)
    : std::runtime_error(fmt::format("{}: {}", what, explain(code))), code_(code) {}

void check(cudaError_t code, const char* doing) {
  check_allocation(code, doing, 0);
}

void check_pinned(cudaError_t code, const char* doing) {
  if (code != cudaErrorMemoryAllocation) return check(code, doing);
  cudaGetLastError();
  throw OutOfPinnedMemory(fmt::format("{}: {}", doing, explain(code)));
}

void check_allocation(cudaError_t code, const char* doing, std::size_t bytes) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // the next launch must not report a non-sticky error
  if (code == cudaErrorMemoryAllocation)
    throw OutOfMemory(fmt::format("{}: {}", doing, explain(code)), bytes);
  if (code == cudaErrorNoKernelImageForDevice) throw LacksCode(fmt::format("{}: {}", doing, explain(code)));
  throw CudaError(code, fmt::format("{} failed", doing));
}

}  // namespace gpugauge::bench::cuda

// Preloaded fault: no cuBLAS handle of the process keeps a math mode that allows TF32. It imitates another
// library that sets the mode of a shared handle. Calls that name their arithmetic themselves, such as
// cublasGemmEx's compute types and all of cuBLASLt, are unchanged.
#include <dlfcn.h>

#include "faults/fault.hpp"

namespace {

// cublasMath_t: the mode is in the lowest four bits, flags above.
constexpr int mode_bits = 0xf;
constexpr int tf32_tensor_op_math = 3;

}  // namespace

// Declared with plain types, because the library must not need cuBLAS where it is loaded.
GPUGAUGE_FAULT_EXPORT int cublasSetMathMode(void* handle, int mode) {
  using Function = int (*)(void*, int);
  constexpr int not_initialized = 1;
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "cublasSetMathMode"));
  if (real == nullptr) return not_initialized;
  if ((mode & mode_bits) != tf32_tensor_op_math) return real(handle, mode);
  const int status = real(handle, mode & ~mode_bits);
  if (status == 0) gpugauge::faults::mark();
  return status;
}

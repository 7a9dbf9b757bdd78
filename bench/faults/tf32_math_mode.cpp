// Preloaded: no cuBLAS handle of the process keeps a math mode that allows TF32, as where another library of
// the program sets the mode of a handle that both use. What names its arithmetic by itself, as cublasGemmEx's
// compute types and all of cuBLASLt, stays as it is.
#include <dlfcn.h>

#include "faults/fault.hpp"

namespace {

// cublasMath_t: the mode stands in the lowest four bits, flags above.
constexpr int mode_bits = 0xf;
constexpr int tf32_tensor_op_math = 3;

}  // namespace

// Declared with plain types: the library must not need cuBLAS where it is loaded.
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

#include <initializer_list>

#include "kernels/primitive/rows.cuh"
#include "kernels/support/grid.hpp"

namespace gpugauge::kernels::primitive {
namespace {

template <typename Operation>
cudaError_t launch(const float* from, float* to, int rows, int columns,
                   std::initializer_list<const void*> more, Operation operation, cudaStream_t stream) {
  const auto misaligned = [](const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % 16 != 0;
  };
  bool wrong = misaligned(from) || misaligned(to) || rows < 1 || columns < 1 || columns > longest_row;
  for (const void* pointer : more) wrong = wrong || misaligned(pointer);
  if (wrong) return cudaErrorInvalidValue;
  const auto grid = static_cast<unsigned>(rows);
  if (columns % 4 != 0)
    rows_kernel<1024, 1, 16><<<grid, 1024, 0, stream>>>(from, to, columns, operation);
  else if (columns <= 1024)
    rows_kernel<128, 4, 2><<<grid, 128, 0, stream>>>(from, to, columns, operation);
  else if (columns <= 2048)
    rows_kernel<128, 4, 4><<<grid, 128, 0, stream>>>(from, to, columns, operation);
  else if (columns <= 4096)
    rows_kernel<256, 4, 4><<<grid, 256, 0, stream>>>(from, to, columns, operation);
  else if (columns <= 8192)
    rows_kernel<512, 4, 4><<<grid, 512, 0, stream>>>(from, to, columns, operation);
  else if (current_compute_capability() < spilling_long_rows_from)
    rows_kernel<512, 4, 8><<<grid, 512, 0, stream>>>(from, to, columns, operation);
  else
    rows_kernel<1024, 4, 4><<<grid, 1024, 0, stream>>>(from, to, columns, operation);
  return cudaGetLastError();
}

}  // namespace

cudaError_t softmax(const float* from, float* to, int rows, int columns, cudaStream_t stream) {
  return launch(from, to, rows, columns, {}, Softmax{}, stream);
}

cudaError_t layer_norm(const float* from, const float* gain, const float* bias, float epsilon, float* to,
                       int rows, int columns, cudaStream_t stream) {
  return launch(from, to, rows, columns, {gain, bias}, LayerNorm{gain, bias, epsilon}, stream);
}

cudaError_t rms_norm(const float* from, const float* gain, float epsilon, float* to, int rows, int columns,
                     cudaStream_t stream) {
  return launch(from, to, rows, columns, {gain}, RmsNorm{gain, epsilon}, stream);
}

}  // namespace gpugauge::kernels::primitive

// Fills device buffers whose element type is chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/element.hpp"

namespace gpugauge::kernels {

/// Element i of `data` (device) = store_uniform's element i of stream `seed`. Returns the launch's error; a
/// count of 0 does nothing.
cudaError_t fill_elements(void* data, Element type, std::size_t count, std::uint64_t seed,
                          cudaStream_t stream);

}  // namespace gpugauge::kernels

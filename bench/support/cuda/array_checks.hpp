// Is the sum of an array, or its histogram, right? The same for whoever computed it: a kernel of ours or a
// library's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "support/cuda/resources.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::cuda {

/// Records that *sum (device) is the sum of `data` (device, `count` elements of fill_uniform) within `scale`
/// times what our own reduction may differ from fp64 (kernels/primitive/reduce.hpp), and that three more of
/// `launch`, each into poison, give the same bits.
void verify_sum(Trial& trial, const float* data, std::size_t count, const DeviceValue<float>& sum,
                double scale, const std::function<void(cudaStream_t)>& launch, cudaStream_t stream);

/// Records that `bins` are those of `count` elements of fill_uniform with the trial's seed, each counted once
/// (kernels/primitive/histogram.hpp).
void verify_histogram(Trial& trial, const DeviceBuffer<std::uint32_t>& bins, std::size_t count,
                      cudaStream_t stream);

}  // namespace gpugauge::bench::cuda

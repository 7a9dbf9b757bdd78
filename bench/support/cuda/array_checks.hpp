// Checks the sum or the histogram of an array, whether a kernel of ours or a library computed it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "support/cuda/resources.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::cuda {

/// Records whether *sum (device) is the sum of `data` (device, `count` elements of fill_uniform). The
/// tolerance is `scale` times what our own reduction may differ from fp64 (kernels/primitive/reduce.hpp).
/// Also records whether three more runs of `launch`, each into poison, give the same bits.
void verify_sum(Trial& trial, const float* data, std::size_t count, const DeviceValue<float>& sum,
                double scale, const std::function<void(cudaStream_t)>& launch, cudaStream_t stream);

/// Records whether `bins` counts each of `count` elements of fill_uniform with the trial's seed exactly once
/// (kernels/primitive/histogram.hpp).
void verify_histogram(Trial& trial, const DeviceBuffer<std::uint32_t>& bins, std::size_t count,
                      cudaStream_t stream);

}  // namespace gpugauge::bench::cuda

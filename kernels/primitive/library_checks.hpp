// Inputs and exact checks for primitives that only a library provides here: sort, select, run-length encode.
// Everything is on the device. Every check compares all elements into *comparison (device); a complete one
// without a wrong element proves the whole result.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/support/comparison.hpp"
#include "kernels/support/host_device.hpp"
#include "kernels/support/uniform.hpp"

namespace gpugauge::kernels::primitive {

/// keys[i] = the upper bits of random_bits(seed, i).
cudaError_t fill_keys(std::uint32_t* keys, std::size_t count, std::uint64_t seed, cudaStream_t stream);
cudaError_t fill_keys(std::uint64_t* keys, std::size_t count, std::uint64_t seed, cudaStream_t stream);
/// values[i] = i.
cudaError_t fill_indices(std::uint32_t* values, std::size_t count, cudaStream_t stream);

/// Sorted keys, at least two. Counts as wrong the descents (keys[i] > keys[i + 1]) among count - 1 pairs of
/// neighbours.
cudaError_t check_ascending(const std::uint32_t* keys, std::size_t count, Comparison* comparison,
                            cudaStream_t stream);
cudaError_t check_ascending(const std::uint64_t* keys, std::size_t count, Comparison* comparison,
                            cudaStream_t stream);
/// *sum (device) = sum modulo 2^64 of mix64(key + 1) over all keys. It does not depend on the order of the
/// keys.
cudaError_t sum_of_keys(const std::uint32_t* keys, std::size_t count, unsigned long long* sum,
                        cudaStream_t stream);
cudaError_t sum_of_keys(const std::uint64_t* keys, std::size_t count, unsigned long long* sum,
                        cudaStream_t stream);
/// Stably sorted pairs of fill_keys(seed) and fill_indices. Counts as wrong keys that are not the key of
/// their index, and neighbours that are not in order of (key, index). If none is wrong and the sum of the
/// indices is unchanged, the result is right.
cudaError_t check_pairs(const std::uint32_t* keys, const std::uint32_t* indices, std::size_t count,
                        std::uint64_t seed, Comparison* comparison, cudaStream_t stream);

/// Whether select takes this value: about every second one, in no simple pattern.
struct Selected {
  /// True for a value that is taken.
  GPUGAUGE_HOST_DEVICE bool operator()(std::uint32_t value) const {
    return ((value * 2654435761U) >> 31) != 0;
  }
};
/// *taken (device) = how many of 0 .. count-1 are Selected.
cudaError_t count_selected(std::size_t count, unsigned long long* taken, cudaStream_t stream);
/// The result of select over fill_indices(count). Counts as wrong the elements that are not Selected, not
/// below count, or not above their predecessor. If none is wrong and `taken` equals count_selected(), the
/// result is right.
cudaError_t check_selected(const std::uint32_t* found, std::size_t taken, std::size_t count,
                           Comparison* comparison, cudaStream_t stream);

/// Whether a run begins at index i: at 0, and at about every fourth.
GPUGAUGE_HOST_DEVICE inline bool run_begins(std::uint64_t i) {
  return i == 0 || mix64(i) % 4 == 0;
}
/// values[i] = the index where the run that contains i begins.
cudaError_t fill_runs(std::uint32_t* values, std::size_t count, cudaStream_t stream);
/// *runs (device) = number of indices below count where a run begins.
cudaError_t count_runs(std::size_t count, unsigned long long* runs, cudaStream_t stream);
/// The result of run-length encoding fill_runs(count). Counts as wrong the runs that begin where none begins,
/// or do not end where the next one begins (the last one: at the end of the array). If none is wrong and
/// `runs` equals count_runs(), the result is right.
cudaError_t check_runs(const std::uint32_t* values, const std::uint32_t* lengths, std::size_t runs,
                       std::size_t count, Comparison* comparison, cudaStream_t stream);

}  // namespace gpugauge::kernels::primitive

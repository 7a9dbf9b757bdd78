#include "support/cuda/array_checks.hpp"

#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "kernels/primitive/histogram.hpp"
#include "kernels/primitive/reduce.hpp"
#include "kernels/support/fill.hpp"
#include "support/cuda/device.hpp"

namespace gpugauge::bench::cuda {

void verify_sum(Trial& trial, const float* data, std::size_t count, const DeviceValue<float>& sum,
                double scale, const std::function<void(cudaStream_t)>& launch, cudaStream_t stream) {
  const DeviceValue<double> reference;
  const DeviceValue<double> magnitude;
  check(kernels::primitive::reduce_reference(data, count, reference.get(), magnitude.get(), stream),
        "summing in fp64");
  const double expected = reference.read(stream);
  const double all = magnitude.read(stream);
  // If the reference was not formed, `all` is 0 and the error becomes NaN.
  trial.verify("error of the sum against fp64",
               std::fabs(static_cast<double>(sum.read(stream)) - expected) * (all / all),
               scale * kernels::primitive::reduce_error_most(count, device().sm_count, all));
  std::vector<std::uint64_t> checksums;
  for (int repeat = 0; repeat < 4; ++repeat) {
    const float value = sum.read(stream);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    checksums.push_back(std::uint64_t{1} << 32U | bits);  // so that a sum of 0 counts as formed
    if (repeat == 3) break;
    check(kernels::poison(sum.get(), sizeof(float), stream), "poisoning the sum");
    launch(stream);
  }
  trial.verify_deterministic(checksums);
}

void verify_histogram(Trial& trial, const DeviceBuffer<std::uint32_t>& bins, std::size_t count,
                      cudaStream_t stream) {
  const DeviceBuffer<std::uint32_t> expected(kernels::primitive::histogram_bins);
  check(kernels::primitive::expected_histogram(count, trial.data_seed(), expected.get(), stream),
        "counting the generator's values");
  std::vector<std::uint32_t> found(bins.count());
  std::vector<std::uint32_t> wanted(expected.count());
  check(cudaStreamSynchronize(stream), "waiting for the GPU");
  check(cudaMemcpy(found.data(), bins.get(), bins.bytes(), cudaMemcpyDeviceToHost), "reading the bins");
  check(cudaMemcpy(wanted.data(), expected.get(), expected.bytes(), cudaMemcpyDeviceToHost),
        "reading the bins");
  int wrong = 0;
  for (std::size_t bin = 0; bin < wanted.size(); ++bin)
    if (bin >= found.size() || found[bin] != wanted[bin]) ++wrong;
  trial.verify("bins that differ from the generator's", wrong, 0);
  // Two histograms that were never counted would agree.
  trial.verify("every element stands in a bin of the generator's",
               std::accumulate(wanted.begin(), wanted.end(), std::uint64_t{0}) == count);
}

}  // namespace gpugauge::bench::cuda

#include <cmath>
#include <complex>
#include <vector>

#include <fmt/format.h>

#include "integrity/place.hpp"
#include "integrity/repeat.hpp"
#include "kernels/integrity/transforms.hpp"
#include "kernels/support/fill.hpp"
#include "kernels/support/uniform.hpp"
#include "support/cuda/resources.hpp"

namespace gpugauge::bench::integrity {
namespace {

constexpr int points = kernels::integrity::transform_points;
constexpr int times = 65;  // 64 of them change only the rounding
// At least 16 per SM of any GPU, and the same number on each. GPUs of one name differ in their number of SMs,
// and their checksums must be the same.
constexpr int rows = 4096;
constexpr int checked_rows = 8;

/// Relative error, in Euclidean norms, of one row's unitary transform against fp64 sums.
double error_of(const std::vector<float2>& found, std::size_t row, std::uint64_t seed) {
  std::vector<std::complex<double>> from(points);
  std::vector<std::complex<double>> turns(points);
  const double turn = -2 * std::acos(-1.0) / points;
  double norm = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::uint64_t index = 2 * (row * points + i);
    from[i] = {kernels::uniform(seed, index), kernels::uniform(seed, index + 1)};
    turns[i] = std::polar(1.0, turn * static_cast<double>(i));
    norm += std::norm(from[i]);
  }
  double error = 0;
  for (std::size_t k = 0; k < from.size(); ++k) {
    std::complex<double> sum;
    for (std::size_t i = 0; i < from.size(); ++i) sum += from[i] * turns[i * k % points];
    const float2 got = found[row * points + k];
    error += std::norm(sum / 32.0 - std::complex<double>(got.x, got.y));
  }
  return std::sqrt(error / norm);
}

void fft(Trial& trial) {
  constexpr std::size_t count = rows;
  const cuda::Stream stream;
  const cuda::DeviceBuffer<float2> factors(points);
  const cuda::DeviceBuffer<float2> results(count * points);
  const cuda::DeviceBuffer<unsigned long long> device_sums(count);
  const cuda::DeviceBuffer<std::uint32_t> device_sms(count);
  float2 made[points];
  kernels::integrity::transform_factors(made);
  cuda::check(cudaMemcpy(factors.get(), made, sizeof made, cudaMemcpyHostToDevice), "copying the factors");
  cuda::check(cudaStreamSynchronize(nullptr), "copying the factors");
  std::vector<std::uint64_t> sums(count);
  std::vector<std::uint32_t> sms(count);
  const auto transform = [&] {
    cuda::check(kernels::poison(results.get(), results.bytes(), stream.get()), "poisoning the results");
    cuda::check(kernels::poison(device_sums.get(), device_sums.bytes(), stream.get()), "poisoning the sums");
    cuda::check(
        kernels::integrity::transform_rows(factors.get(), results.get(), rows, times, trial.data_seed(),
                                           device_sums.get(), device_sms.get(), stream.get()),
        "launching the transforms");
    cuda::check(cudaMemcpyAsync(sums.data(), device_sums.get(), device_sums.bytes(), cudaMemcpyDeviceToHost,
                                stream.get()),
                "reading the rows' sums back");
    cuda::check(cudaMemcpyAsync(sms.data(), device_sms.get(), device_sms.bytes(), cudaMemcpyDeviceToHost,
                                stream.get()),
                "reading the SM numbers back");
    stream.synchronize();
  };
  transform();
  std::uint64_t checksum = 0;
  for (const std::uint64_t sum : sums) checksum += sum;
  TileFaults faults = TileFaults::numbered("transform");
  faults.begin(sums, sms);
  std::vector<float2> found(results.count());
  cuda::check(cudaMemcpy(found.data(), results.get(), results.bytes(), cudaMemcpyDeviceToHost),
              "reading the results back");
  double error = 0;
  for (int i = 0; i < checked_rows; ++i) {
    const double one =
        error_of(found, static_cast<std::size_t>(i) * (count - 1) / (checked_rows - 1), trial.data_seed());
    error = one <= error ? error : one;  // keeps NaN
  }
  trial.verify(fmt::format("largest error of {} rows against fp64, in Euclidean norms", checked_rows), error,
               kernels::integrity::transform_tolerance(times));

  repeat_for_window(trial, [&] {
    transform();
    faults.add(sums, sms);
  });
  trial.note("checksum", fmt::format("{:016x}", checksum));
  trial.note("rows", fmt::format("{}", rows));
  if (faults.count() > 0) trial.note("place", faults.sentence());
  trial.verify(faults.count() == 0 ? std::string("transforms that differ from the first time's")
                                   : "transforms that differ from the first time's: " + faults.sentence(),
               static_cast<double>(faults.count()), 0);
}

Definition screen(const Time& time) {
  Definition made = define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP);
  made.variant(time.variant)
      .isolates(
          "Silent corruption in shared memory, in fp32 arithmetic and in what threads hand each other: "
          "Fourier transforms of 1024 complex points, 65 after one another without leaving an SM, repeated, "
          "must be the same bit for bit. Of every transform it is known which SM made it")
      .bad_value(
          "an SM that computes wrongly: take the GPU out of service. With faults on many SMs: power or an "
          "unstable clock")
      .window_share(time.window_share)
      .custom_metrics({"integrity"})
      .deterministic()
      .requires_gpu()
      .from(Depth::deep)
      .body(fft);
  if (time.sustained) made.sustained();
  return made;
}

const Registration registered_short{screen(short_time)};
const Registration registered_long{screen(long_time)};

}  // namespace
}  // namespace gpugauge::bench::integrity

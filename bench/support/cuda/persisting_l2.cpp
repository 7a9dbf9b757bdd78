#include "support/cuda/persisting_l2.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "kernels/memory/footprint.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/error.hpp"
#include "support/cuda/resources.hpp"
#include "support/cuda/stamps.hpp"
#include "support/statistics.hpp"
#include "support/warm_up.hpp"

namespace gpugauge::bench::cuda {

namespace {

constexpr int filling = 0x01;
constexpr std::uint32_t filled_word = 0x01010101;
/// Reads of every word per operation. They are enough for the launch to matter little. They are few enough
/// that lines loaded from memory for one SM are not already there for all others.
constexpr std::size_t readings = 20;

/// Reads half of L2, one slice per SM where the slices are large enough. That is more than remains where the
/// maximum is set aside, and fits where nothing is.
class Reading {
 public:
  explicit Reading(std::size_t bytes)
      : data_(bytes),
        sums_(static_cast<std::size_t>(device().sm_count)),
        plan_(kernels::memory::plan_footprint(bytes, device().sm_count, readings * bytes)) {
    check(cudaMemset(data_.get(), filling, data_.bytes()), "filling what is read");
    check(cudaMemset(sums_.get(), 0xff, sums_.bytes()), "poisoning the sums");
  }

  /// Reads `times` times. No SM clock.
  BatchTime run(std::int64_t times) {
    start_.record(nullptr);
    for (std::int64_t i = 0; i < times; ++i)
      check(kernels::memory::read_footprint(reinterpret_cast<const float*>(data_.get()), plan_,
                                            device().sm_count, sums_.get(), nullptr),
            "launching the footprint kernel");
    stop_.record(nullptr);
    check(cudaEventSynchronize(stop_.get()), "waiting for an event");
    return {seconds_between(start_, stop_), 0};
  }
  /// What one reading showed.
  struct Speed {
    double bytes_per_second = 0;
    double sm_clock_hz = 0;  ///< mean while it was taken; 0 = unknown
  };
  /// Reads once throughput is flat: an idle GPU's clock is low, and some stay at one step of it for longer than
  /// the warm-up. Hence the clock beside the bandwidth.
  Speed speed() {
    constexpr WarmUp settle{.longest = 0.1, .shortest = 0.02, .reading_seconds = 5e-3, .throughput = true};
    warm_until_steady(settle, [this](std::int64_t times) { return run(times); });
    // A few tenths of a millisecond occasionally differ by a sixth, so take the median of several longer
    // runs.
    constexpr std::int64_t times = 10;
    std::array<double, 7> all{};
    stamps_.begin(nullptr);
    for (double& seconds : all) seconds = run(times).seconds;
    stamps_.end(nullptr);
    check(cudaStreamSynchronize(nullptr), "waiting for the clock stamp");
    const double seconds = median({all.begin(), all.end()});
    if (!all_read() || !(seconds > 0)) throw std::runtime_error("the words that were read do not add up");
    return {plan_.bytes(device().sm_count) * static_cast<double>(times) / seconds, stamps_.hertz()};
  }

 private:
  bool all_read() const {
    std::vector<std::uint32_t> found(sums_.count());
    check(cudaMemcpy(found.data(), sums_.get(), sums_.bytes(), cudaMemcpyDeviceToHost), "reading the sums");
    const auto expected = static_cast<std::uint32_t>(plan_.slice_vectors * plan_.turns * 4 * filled_word);
    return std::all_of(found.begin(), found.end(), [expected](std::uint32_t sum) { return sum == expected; });
  }

  DeviceBuffer<unsigned char> data_;
  DeviceBuffer<std::uint32_t> sums_;
  kernels::memory::FootprintPlan plan_;
  Event start_;
  Event stop_;
  Stamps stamps_;
};

/// Most bytes that may be set aside; 0 where the GPU does not support it.
int most_persisting() {
  int bytes = 0;
  if (cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxPersistingL2CacheSize, 0) == cudaSuccess) return bytes;
  cudaGetLastError();
  return 0;
}

/// Sets the limit to 0 first: then nothing can be set aside again.
cudaError_t give_back(std::size_t limit) {
  cudaError_t code = cudaSuccess;
  if (limit > 0) code = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
  const cudaError_t lines = cudaCtxResetPersistingL2Cache();
  cudaGetLastError();
  return code == cudaSuccess ? lines : code;
}

}  // namespace

void add_persisting_l2(result::Facts& facts) {
  if (most_persisting() <= 0) return;
  std::size_t limit = 0;
  if (cudaDeviceGetLimit(&limit, cudaLimitPersistingL2CacheSize) == cudaSuccess)
    facts["gpu.l2_persisting_limit"] = fmt::format("{}", limit);
  cudaGetLastError();
  const std::size_t bytes =
      device().l2_bytes / 2 / kernels::memory::footprint_step * kernels::memory::footprint_step;
  std::optional<Reading> reading;
  const auto read = [&](const std::string& when) {
    if (facts.contains("gpu.l2_read")) return;
    try {
      if (!reading) reading.emplace(bytes);
      const Reading::Speed found = reading->speed();
      facts["gpu.l2_read_" + when] = fmt::format("{:.4g}", found.bytes_per_second);
      if (found.sm_clock_hz > 0) facts["gpu.l2_clock_" + when] = fmt::format("{:.4g}", found.sm_clock_hz);
    } catch (const std::exception& fault) {
      facts["gpu.l2_read"] = fmt::format("not measured: {}", fault.what());
    }
  };
  if (bytes > 0) read("as_found");
  const cudaError_t reset = give_back(limit);
  facts["gpu.l2_persisting_reset"] = reset == cudaSuccess ? "done" : name_of(reset);
  if (bytes > 0) read("after_reset");
}

}  // namespace gpugauge::bench::cuda

#include <memory>

#include <fmt/format.h>

#include "copy/transfer.hpp"
#include "support/cuda/blocker.hpp"
#include "support/interrupt.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench::copy {
namespace {

constexpr std::uint64_t bytes = 256 << 20;
constexpr std::size_t count = bytes / sizeof(float);
constexpr int copies = 16;
constexpr int most_samples = 15;
constexpr int fewest_samples = 5;

/// Makes `device` current for its own lifetime.
struct OnDevice {
  explicit OnDevice(int device) { cuda::check(cudaSetDevice(device), "choosing a GPU"); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaSetDevice(0); }
};

/// True when `from` can reach the memory of `to` directly; opens the way.
bool open_way(int from, int to) {
  int possible = 0;
  cuda::check(cudaDeviceCanAccessPeer(&possible, from, to), "asking for peer access");
  if (possible == 0) return false;
  const OnDevice current(from);
  const cudaError_t code = cudaDeviceEnablePeerAccess(to, 0);
  cudaGetLastError();
  if (code == cudaErrorPeerAccessAlreadyEnabled) return true;
  cuda::check(code, "opening peer access");
  return true;
}

struct Way {
  std::vector<double> seconds;  ///< of one copy, per sample
  int timed_out = 0;            ///< samples whose holder gave up before everything was enqueued
  kernels::Comparison found;
};

Way measure_way(int from, int to, std::uint64_t seed, double budget_seconds) {
  Way way;
  std::unique_ptr<cuda::DeviceBuffer<float>> target;
  {
    const OnDevice current(to);
    target = std::make_unique<cuda::DeviceBuffer<float>>(count);
    cuda::check(kernels::poison(target->get(), target->bytes(), nullptr), "poisoning the target");
    cuda::check(cudaDeviceSynchronize(), "waiting for the GPU");
  }
  {
    const OnDevice current(from);
    const cuda::DeviceBuffer<float> source(count);
    const cuda::Stream stream;
    const cuda::Event start;
    const cuda::Event stop;
    cuda::Blocker blocker;
    cuda::check(kernels::fill_uniform(source.get(), count, seed, stream.get()), "filling the source");
    const auto enqueue = [&] {
      cuda::check(cudaMemcpyPeerAsync(target->get(), to, source.get(), from, bytes, stream.get()),
                  "enqueueing a copy between GPUs");
    };
    enqueue();
    stream.synchronize();
    const bool held = !cuda::queue().synchronous;
    const double begin = steady_seconds();
    for (int sample = 0; sample < most_samples && !interrupted(); ++sample) {
      if (sample >= fewest_samples && steady_seconds() - begin > budget_seconds) break;
      {
        // A way through host memory may wait for the host: then the holder gives up after a moment, and the
        // sample holds that the host enqueued meanwhile.
        const cuda::Blocker::Hold hold = held ? blocker.hold(stream.get(), 0.05) : nullptr;
        start.record(stream.get());
        for (int i = 0; i < copies; ++i) enqueue();
        stop.record(stream.get());
      }
      stream.synchronize();
      way.timed_out += held && blocker.timed_out() ? 1 : 0;
      way.seconds.push_back(cuda::seconds_between(start, stop) / copies);
    }
  }
  const OnDevice current(to);
  const cuda::DeviceComparison found;
  cuda::check(kernels::memory::count_copy_mismatches(target->get(), count, seed, found.get(), nullptr),
              "comparing the target with the generator");
  way.found = found.read(nullptr);
  return way;
}

void peer(Trial& trial) {
  const int devices = cuda::start_up().devices;
  const int ways = devices * (devices - 1);
  const double budget = trial.window().seconds / ways;
  double mismatches = 0;
  std::string wrong;
  for (int from = 0; from < devices; ++from)
    for (int to = 0; to < devices; ++to) {
      if (from == to) continue;
      if (interrupted()) throw Interrupted{};
      const bool direct = open_way(from, to);
      const std::uint64_t seed =
          trial.data_seed() + static_cast<std::uint64_t>(from) * 1000 + static_cast<std::uint64_t>(to);
      Way way = measure_way(from, to, seed, budget);
      if (way.seconds.empty()) throw Interrupted{};
      const std::size_t samples = way.seconds.size();
      const double seconds = median(std::move(way.seconds));
      if (!(seconds > 0)) throw std::runtime_error("the events around a copy stand at one time");
      const std::string name = std::to_string(from) + "_to_" + std::to_string(to);
      result::Metric metric;
      metric.name = "bandwidth_" + name;
      metric.unit = "byte/second";
      metric.better = result::Direction::higher;
      metric.metric_class = "p2p";
      metric.statistic = "median";
      metric.value = rounded(static_cast<double>(bytes) / seconds);
      metric.resolution = rounded(metric.value * 0.5e-6 / (seconds * copies));
      metric.note = direct ? "" : "no peer access: the copy goes through host memory";
      trial.metric(std::move(metric));
      trial.note("peer_access_" + name, direct ? "true" : "false");
      if (way.timed_out > 0)
        trial.note("blocker_" + name,
                   fmt::format("timed out in {} of {} samples, which hold the host's enqueueing",
                               way.timed_out, samples));
      const double error = cuda::error_of(way.found);
      mismatches += error;
      if (!(error <= 0)) wrong += " " + name + cuda::what_is_missing(way.found);
    }
  trial.verify("elements that differ from the generator's, over all pairs" + wrong, mismatches, 0);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("Copying 256 MiB from the memory of one GPU to that of another, for every ordered pair of "
                  "GPUs, one "
                  "after another, 16 copies behind a kernel that holds them back")
        .bad_value(
            "an NVLink that is down, peer access taken away by ACS or an IOMMU, a pair on two sockets, a "
            "PCIe link that is narrow")
        .window_share(20)
        .custom_metrics({"p2p"})
        .requires_devices(2)
        .from(Depth::standard)
        .body(peer)};

}  // namespace
}  // namespace gpugauge::bench::copy

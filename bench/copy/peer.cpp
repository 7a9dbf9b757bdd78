// Measures copies between every ordered pair of GPUs in a machine.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "copy/peer_pace.hpp"
#include "copy/transfer.hpp"
#include "support/cuda/blocker.hpp"
#include "support/cuda/on_device.hpp"
#include "support/gpu_room.hpp"
#include "support/interrupt.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench::copy {
namespace {

constexpr int probes = 3;  // a power-saving link is slow at first

/// Enables direct access from one GPU to the memory of another, where possible, for its own lifetime. It is
/// disabled again because, without NVSwitch, a GPU has at most eight peers at a time, and a machine may have
/// more.
class DirectWay {
 public:
  DirectWay(int from, int to) : from_(from), to_(to) {
    int possible = 0;
    cuda::check(cudaDeviceCanAccessPeer(&possible, from, to), "asking for peer access");
    if (possible == 0) return;
    const cuda::OnDevice current(from);
    const cudaError_t code = cudaDeviceEnablePeerAccess(to, 0);
    cudaGetLastError();
    open_ = true;
    if (code == cudaErrorPeerAccessAlreadyEnabled) return;
    cuda::check(code, "opening peer access");
    opened_ = true;
  }
  DirectWay(const DirectWay&) = delete;
  DirectWay& operator=(const DirectWay&) = delete;
  ~DirectWay() {
    if (!opened_ || cudaSetDevice(from_) != cudaSuccess) return;
    cudaDeviceDisablePeerAccess(to_);
    cudaSetDevice(0);
    cudaGetLastError();
  }
  bool open() const { return open_; }

 private:
  int from_;
  int to_;
  bool open_ = false;
  bool opened_ = false;  ///< by this object
};

struct Way {
  PeerPace pace;
  std::vector<double> seconds;  ///< of one copy, per sample
  std::size_t timed_out = 0;    ///< the sample (1 = first) whose blocker gave up before all was enqueued
  kernels::Comparison as_timed;
  kernels::Comparison once_more;  ///< after one more copy into a poisoned target
};

/// Memory of one of the two GPUs.
class Array {
 public:
  explicit Array(int device) : device_(device) {
    const cuda::OnDevice current(device_);
    memory_ = std::make_unique<cuda::DeviceBuffer<float>>(whole_peer_bytes / sizeof(float));
  }
  float* get() const { return memory_->get(); }
  void fill(std::uint64_t seed) const {
    const cuda::OnDevice current(device_);
    cuda::check(kernels::fill_uniform(get(), memory_->count(), seed, nullptr), "filling the source");
    cuda::check(cudaDeviceSynchronize(), "waiting for the GPU");
  }
  void poison() const {
    const cuda::OnDevice current(device_);
    cuda::check(kernels::poison(get(), memory_->bytes(), nullptr), "poisoning the target");
    cuda::check(cudaDeviceSynchronize(), "waiting for the GPU");
  }
  kernels::Comparison compare(std::uint64_t bytes, std::uint64_t seed) const {
    const cuda::OnDevice current(device_);
    const cuda::DeviceComparison found;
    cuda::check(
        kernels::memory::count_copy_mismatches(get(), bytes / sizeof(float), seed, found.get(), nullptr),
        "comparing the target with the generator");
    return found.read(nullptr);
  }

 private:
  int device_;
  std::unique_ptr<cuda::DeviceBuffer<float>> memory_;
};

Way measure_way(int from, int to, std::uint64_t seed, double budget_seconds) {
  Way way;
  const Array target(to);
  target.poison();
  const Array source(from);
  source.fill(seed);
  const auto enqueue = [&](std::uint64_t bytes, const cuda::Stream& stream) {
    cuda::check(cudaMemcpyPeerAsync(target.get(), to, source.get(), from, bytes, stream.get()),
                "enqueueing a copy between GPUs");
  };
  {
    const cuda::OnDevice current(from);
    const cuda::Stream stream;
    const cuda::Event start;
    const cuda::Event stop;
    cuda::Blocker blocker;
    enqueue(least_peer_bytes, stream);
    double probe_seconds = std::numeric_limits<double>::max();
    for (int probe = 0; probe < probes; ++probe) {
      start.record(stream.get());
      enqueue(least_peer_bytes, stream);
      stop.record(stream.get());
      stream.synchronize();
      probe_seconds = std::min(probe_seconds, cuda::seconds_between(start, stop));
    }
    way.pace = peer_pace(probe_seconds, budget_seconds);
    const auto [bytes, copies] = way.pace;
    const double hold_seconds = std::clamp(budget_seconds / peer_samples, 0.005, 0.05);
    bool held = !cuda::queue().synchronous;
    const double begin = steady_seconds();
    for (int sample = 0; !interrupted(); ++sample) {
      if (has_its_samples(sample, steady_seconds() - begin, budget_seconds)) break;
      {
        // A copy through host memory may wait for the host. The blocker then gives up after a moment, and is
        // left out from then on, or it would take the time of the samples.
        const cuda::Blocker::Hold hold = held ? blocker.hold(stream.get(), hold_seconds) : nullptr;
        start.record(stream.get());
        for (int i = 0; i < copies; ++i) enqueue(bytes, stream);
        stop.record(stream.get());
      }
      stream.synchronize();
      way.seconds.push_back(cuda::seconds_between(start, stop) / copies);
      if (held && blocker.timed_out()) {
        way.timed_out = way.seconds.size();
        held = false;
      }
    }
  }
  way.as_timed = target.compare(way.pace.bytes, seed);
  target.poison();
  {
    const cuda::OnDevice current(from);
    const cuda::Stream stream;
    enqueue(way.pace.bytes, stream);
    stream.synchronize();
  }
  way.once_more = target.compare(way.pace.bytes, seed);
  return way;
}

void record(Trial& trial, const GpuPair& pair, bool direct, Way way) {
  const std::string name = name_of(pair);
  const std::size_t samples = way.seconds.size();
  const double seconds = median(std::move(way.seconds));
  if (!(seconds > 0)) throw std::runtime_error("the events around a copy stand at one time");
  result::Metric metric;
  metric.name = "bandwidth_" + name;
  metric.unit = "byte/second";
  metric.better = result::Direction::higher;
  metric.metric_class = "p2p";
  metric.statistic = "median";
  metric.value = rounded(static_cast<double>(way.pace.bytes) / seconds);
  metric.resolution = rounded(metric.value * 0.5e-6 / (seconds * way.pace.copies));
  metric.note = why_not_judged(samples);
  metric.judged = metric.note.empty();
  if (metric.judged && !direct) metric.note = "no peer access: the copy goes through host memory";
  trial.metric(std::move(metric));
  trial.note("peer_access_" + name, direct ? "true" : "false");
  trial.note("samples_" + name,
             fmt::format("{} of {} x {}", samples, way.pace.copies, byte_text(way.pace.bytes)));
  if (way.timed_out > 0)
    trial.note("blocker_" + name,
               fmt::format("timed out in sample {} of {}: from there on they hold the host's enqueueing",
                           way.timed_out, samples));
  cuda::verify(trial, fmt::format("{}, {}", as_timed, name), way.as_timed);
  cuda::verify(trial, fmt::format("{}, {}", once_more, name), way.once_more);
}

/// False where the GPU no longer answers.
bool answers(int device) {
  const bool chosen = cudaSetDevice(device) == cudaSuccess;
  cudaDeviceSynchronize();
  cudaGetLastError();
  const bool answered = chosen && cudaDeviceSynchronize() == cudaSuccess;
  cudaGetLastError();
  cudaSetDevice(0);
  return answered;
}

void measure_pair(Trial& trial, const GpuPair& pair, double budget_seconds) {
  const DirectWay direct(pair.from, pair.to);
  const std::uint64_t seed =
      trial.data_seed() + static_cast<std::uint64_t>(pair.from) * 1000 + static_cast<std::uint64_t>(pair.to);
  Way way = measure_way(pair.from, pair.to, seed, budget_seconds);
  if (way.seconds.empty()) throw Interrupted{};
  record(trial, pair, direct.open(), std::move(way));
}

/// What became of the pairs that were not measured, and the GPUs of which no other pair is tried.
class Losses {
 public:
  Losses(Trial& trial, std::vector<std::string> uuids) : trial_(trial), uuids_(std::move(uuids)) {}

  bool tries(const GpuPair& pair) const {
    return std::none_of(lost_.begin(), lost_.end(),
                        [&](int device) { return device == pair.from || device == pair.to; });
  }

  void failed(const GpuPair& pair, const cuda::CudaError& error) {
    add_failure(fmt::format("{}: {}", copying(pair), error.what()));
    for (const int device : {pair.from, pair.to}) {
      if (answers(device)) continue;
      silent_.insert(device);
      lost_.insert(device);
    }
  }

  /// Something else has one of the two GPUs, or its memory. `reason`: what was answered. Throws Skipped where
  /// GPUs of these sizes never have the memory.
  void in_use(const GpuPair& pair, const OutOfGpuMemory& lack, const std::string& reason) {
    std::vector<std::optional<GpuMemory>> now;
    try {
      now = {cuda::memory_unless_in_use(pair.from), cuda::memory_unless_in_use(pair.to)};
    } catch (const cuda::CudaError& error) {
      return failed(pair, error);
    }
    const std::optional<std::size_t> held = held_one(lack, now);
    if (!held) {
      const bool never =
          lack.bytes() > 0 && std::none_of(now.begin(), now.end(), [&](const std::optional<GpuMemory>& gpu) {
            return held_by_others(lack, *gpu);
          });
      if (never) trial_.skip(fmt::format("{}: {}", copying(pair), lack.what()));
      return add_held(fmt::format("{}: {}", copying(pair), reason));  // it was for a moment
    }
    const int device = *held == 0 ? pair.from : pair.to;
    lost_.insert(device);
    in_use_.push_back(uuid(device));
    trial_.note("in_use", fmt::format("{}", fmt::join(in_use_, ", ")));
    add_held(fmt::format("no other pair was measured of {}: {}", name(device), reason));
  }

  /// To be called after all pairs. Throws where `none` was measured.
  void finish(bool none) {
    if (!silent_.empty())
      add_failure(fmt::format("no other pair was measured of what answers nothing any more: GPU {}",
                              fmt::join(silent_, ", GPU ")));
    if (none && !failures_.empty()) throw std::runtime_error(fmt::format("{}", fmt::join(failures_, "; ")));
    if (none) trial_.unavailable(fmt::format("{}", fmt::join(held_, "; ")), true);
  }

 private:
  const std::string& uuid(int device) const { return uuids_[static_cast<std::size_t>(device)]; }
  std::string name(int device) const { return fmt::format("GPU {} ({})", device, uuid(device)); }
  std::string copying(const GpuPair& pair) const {
    return fmt::format("copying from {} to {}", name(pair.from), name(pair.to));
  }
  void add_failure(std::string sentence) {
    trial_.part_failed(sentence);
    failures_.push_back(std::move(sentence));
  }
  void add_held(std::string sentence) {
    trial_.part_occupied(sentence);
    held_.push_back(std::move(sentence));
  }

  Trial& trial_;
  std::vector<std::string> uuids_;
  std::set<int> lost_;
  std::set<int> silent_;             ///< of these, the ones that answer nothing any more
  std::vector<std::string> in_use_;  ///< UUIDs of the others, which are only in use
  std::vector<std::string> failures_;
  std::vector<std::string> held_;
};

// A failing pair does not stop the others. It is named, and the benchmark fails for it at the end; where a GPU
// is only in use, the benchmark is unavailable.
void peer(Trial& trial) {
  const int devices = cuda::start_up().devices;
  const std::vector<GpuPair> pairs = ordered_pairs(devices);
  std::vector<std::string> uuids;
  for (int device = 0; device < devices; ++device) {
    uuids.push_back(cuda::uuid_of(device));
    trial.note(fmt::format("gpu_{}", device), uuids.back());
  }
  const double budget = trial.window().seconds / static_cast<double>(pairs.size());
  Losses losses(trial, std::move(uuids));
  bool any = false;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (interrupted()) throw Interrupted{};
    if (!losses.tries(pairs[i])) continue;
    // If the links are so slow that the process is ended, the pairs measured before are kept.
    if (any)
      trial.keep_before(fmt::format("{} measured {}: it lacks {}", trial.instance().id, name_of(pairs[i]),
                                    pairs_left(pairs, i)));
    try {
      measure_pair(trial, pairs[i], budget);
      any = true;
    } catch (const OutOfGpuMemory& lack) {
      losses.in_use(pairs[i], lack, without_room(lack.what(), true).reason);
    } catch (const cuda::CudaError& error) {
      if (cuda::means_in_use(error.code()))
        losses.in_use(pairs[i], OutOfGpuMemory(error.what()), error.what());
      else
        losses.failed(pairs[i], error);
    }
  }
  losses.finish(!any);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("Copying 256 MiB from the memory of one GPU to that of another, for every ordered pair of "
                  "GPUs, one after another, up to 16 copies behind a kernel that holds them back; on slow "
                  "ways fewer copies, and of less")
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

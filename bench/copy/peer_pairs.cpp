#include "copy/peer_pairs.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "copy/transfer.hpp"
#include "support/cuda/on_device.hpp"
#include "support/gpu_room.hpp"
#include "support/interrupt.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench::copy {
namespace {

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

result::Metric metric_of(const PeerCopy& kind, const Way& way, const std::string& name) {
  constexpr double event_resolution = 0.5e-6;
  const double seconds = median(way.seconds);
  if (!(seconds > 0)) throw std::runtime_error("the events around a copy stand at one time");
  const double share = event_resolution / (seconds * way.pace.copies);
  const bool timed = kind.bytes > 0;
  const double value = timed ? seconds : peer_bandwidth(way.pace.bytes, kind.both_ways(), seconds);
  result::Metric metric;
  metric.name = (timed ? "latency_" : "bandwidth_") + name;
  metric.unit = timed ? "second" : "byte/second";
  metric.better = timed ? result::Direction::lower : result::Direction::higher;
  metric.metric_class = class_of_copies(kind.bytes);
  metric.statistic = "median";
  metric.value = rounded(value);
  metric.resolution = rounded(value * share);
  metric.note = why_not_judged(way.seconds.size(), timed && !way.held);
  metric.judged = metric.note.empty();
  return metric;
}

void record(Trial& trial, const PeerCopy& kind, const GpuPair& pair, bool direct, const Way& way) {
  const std::string name = name_of(pair);
  const std::size_t samples = way.seconds.size();
  result::Metric metric = metric_of(kind, way, name);
  if (metric.judged && !direct) metric.note = "no peer access: the copy goes through host memory";
  trial.metric(std::move(metric));
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

/// False where the pair lacks the peer access that the kind needs.
bool measure_pair(Trial& trial, const PeerCopy& kind, const GpuPair& pair, double budget_seconds) {
  const DirectWay there(pair.from, pair.to);
  std::optional<DirectWay> back;
  if (pair.both_ways) back.emplace(pair.to, pair.from);
  const auto note = [&](int from, int to, bool open) {
    trial.note("peer_access_" + name_of_way(from, to), open ? "true" : "false");
  };
  if (kind.by == PeerCopy::By::kernel && !there.open()) {
    note(pair.from, pair.to, false);
    return false;
  }
  const Way way = measure_way(kind, pair, trial.data_seed(), budget_seconds);
  if (way.seconds.empty()) throw Interrupted{};
  record(trial, kind, pair, there.open() && (!back || back->open()), way);
  note(pair.from, pair.to, there.open());
  if (back) note(pair.to, pair.from, back->open());
  return true;
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

  /// Whether no pair was lost so far.
  bool none() const { return failures_.empty() && held_.empty(); }

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

}  // namespace

void measure_peers(Trial& trial, const PeerCopy& kind) {
  const int devices = cuda::start_up().devices;
  const std::vector<GpuPair> pairs = all_pairs(devices, kind.both_ways());
  std::vector<std::string> uuids;
  for (int device = 0; device < devices; ++device) {
    uuids.push_back(cuda::uuid_of(device));
    trial.note(fmt::format("gpu_{}", device), uuids.back());
  }
  if (kind.both_ways()) trial.note("link_directions", "2");
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
      any = measure_pair(trial, kind, pairs[i], budget) || any;
    } catch (const OutOfGpuMemory& lack) {
      losses.in_use(pairs[i], lack, without_room(lack.what(), true).reason);
    } catch (const cuda::CudaError& error) {
      if (cuda::means_in_use(error.code()))
        losses.in_use(pairs[i], OutOfGpuMemory(error.what()), error.what());
      else
        losses.failed(pairs[i], error);
    }
  }
  if (!any && losses.none())
    trial.skip("no GPU has peer access to another: a kernel cannot write to the other's memory");
  losses.finish(!any);
}

Definition define_peers(const char* op, const PeerCopy& kind) {
  return define(GPUGAUGE_BENCH_FAMILY, op)
      .custom_metrics({class_of_copies(kind.bytes)})
      .requires_devices(2)
      .from(Depth::deep)
      .body([kind](Trial& trial) { measure_peers(trial, kind); });
}

}  // namespace gpugauge::bench::copy

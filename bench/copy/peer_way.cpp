#include "copy/peer_way.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "copy/transfer.hpp"
#include "support/cuda/blocker.hpp"
#include "support/cuda/on_device.hpp"
#include "support/interrupt.hpp"

namespace gpugauge::bench::copy {
namespace {

constexpr int probes = 3;  // a power-saving link is slow at first

/// Memory of one of the two GPUs.
class Array {
 public:
  Array(int device, std::uint64_t bytes) : device_(device) {
    const cuda::OnDevice current(device_);
    memory_ = std::make_unique<cuda::DeviceBuffer<float>>(bytes / sizeof(float));
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

/// One direction: what is sent, where it goes, and the stream on the sending GPU.
class Lane {
 public:
  Lane(const PeerCopy& kind, int from, int to, std::uint64_t seed)
      : by_kernel_(kind.by == PeerCopy::By::kernel),
        from_(from),
        to_(to),
        seed_(seed + static_cast<std::uint64_t>(from) * 1000 + static_cast<std::uint64_t>(to)),
        target_(to, kind.most_bytes()),
        source_(from, kind.most_bytes()) {
    target_.poison();
    source_.fill(seed_);
    const cuda::OnDevice current(from);
    stream_.emplace();
    passed_.emplace(cudaEventDisableTiming);
  }
  cudaStream_t stream() const { return stream_->get(); }
  void synchronize() const { stream_->synchronize(); }
  /// A copy by a kernel needs the sending GPU to be the current one.
  void enqueue(std::uint64_t bytes) const {
    cuda::check(by_kernel_
                    ? kernels::memory::copy(source_.get(), target_.get(), bytes / sizeof(float), stream())
                    : cudaMemcpyPeerAsync(target_.get(), to_, source_.get(), from_, bytes, stream()),
                "enqueueing a copy between GPUs");
  }
  /// What is enqueued here from now on waits for what `other` has been given until now.
  void wait_for(const Lane& other) const {
    other.passed_->record(other.stream());
    cuda::check(cudaStreamWaitEvent(stream(), other.passed_->get(), 0), "waiting for the other direction");
  }
  void poison_target() const { target_.poison(); }
  kernels::Comparison compare(std::uint64_t bytes) const { return target_.compare(bytes, seed_); }

 private:
  bool by_kernel_;
  int from_;
  int to_;
  std::uint64_t seed_;
  Array target_;
  Array source_;
  std::optional<cuda::Stream> stream_;
  std::optional<cuda::Event> passed_;
};

/// The directions that send at once.
class Lanes {
 public:
  Lanes(const PeerCopy& kind, const GpuPair& pair, std::uint64_t seed) {
    lanes_.push_back(std::make_unique<Lane>(kind, pair.from, pair.to, seed));
    if (kind.both_ways()) lanes_.push_back(std::make_unique<Lane>(kind, pair.to, pair.from, seed));
  }
  const Lane& first() const { return *lanes_.front(); }
  /// Enqueues `copies` copies in each direction. All begin after what the first stream holds, and what it is given
  /// later waits for all of them.
  void enqueue(std::uint64_t bytes, int copies) const {
    const Lane* const back = lanes_.size() > 1 ? lanes_.back().get() : nullptr;
    if (back != nullptr) back->wait_for(first());
    for (int i = 0; i < copies; ++i)
      for (const auto& lane : lanes_) lane->enqueue(bytes);
    if (back != nullptr) first().wait_for(*back);
  }
  void poison_targets() const {
    for (const auto& lane : lanes_) lane->poison_target();
  }
  kernels::Comparison compare(std::uint64_t bytes) const {
    std::vector<kernels::Comparison> parts;
    parts.reserve(lanes_.size());
    for (const auto& lane : lanes_) parts.push_back(lane->compare(bytes));
    return cuda::together(parts);
  }

 private:
  std::vector<std::unique_ptr<Lane>> lanes_;
};

/// What a sample of this pair copies, by how long a small one takes.
PeerPace probed_pace(const PeerCopy& kind, const Lanes& lanes, const cuda::Event& start,
                     const cuda::Event& stop, double budget_seconds) {
  const cudaStream_t stream = lanes.first().stream();
  const std::uint64_t bytes = kind.bytes > 0 ? kind.bytes : least_peer_bytes;
  lanes.enqueue(bytes, 1);
  double seconds = std::numeric_limits<double>::max();
  for (int probe = 0; probe < probes; ++probe) {
    start.record(stream);
    lanes.enqueue(bytes, 1);
    stop.record(stream);
    lanes.first().synchronize();
    seconds = std::min(seconds, cuda::seconds_between(start, stop));
  }
  return kind.bytes > 0 ? fixed_pace(kind.bytes) : peer_pace(seconds, budget_seconds);
}

}  // namespace

Way measure_way(const PeerCopy& kind, const GpuPair& pair, std::uint64_t seed, double budget_seconds) {
  Way way;
  const Lanes lanes(kind, pair, seed);
  {
    const cuda::OnDevice current(pair.from);
    const cudaStream_t stream = lanes.first().stream();
    const cuda::Event start;
    const cuda::Event stop;
    cuda::Blocker blocker;
    way.pace = probed_pace(kind, lanes, start, stop, budget_seconds);
    const auto [bytes, copies] = way.pace;
    const double hold_seconds = std::clamp(budget_seconds / peer_samples, 0.005, 0.05);
    bool held = !cuda::queue().synchronous;
    const double begin = steady_seconds();
    for (int sample = 0; !interrupted(); ++sample) {
      if (has_its_samples(sample, steady_seconds() - begin, budget_seconds)) break;
      {
        // A copy through host memory may wait for the host. The blocker then gives up after a moment, and is
        // left out from then on, or it would take the time of the samples.
        const cuda::Blocker::Hold hold = held ? blocker.hold(stream, hold_seconds) : nullptr;
        start.record(stream);
        lanes.enqueue(bytes, copies);
        stop.record(stream);
      }
      lanes.first().synchronize();
      way.seconds.push_back(cuda::seconds_between(start, stop) / copies);
      if (held && blocker.timed_out()) {
        way.timed_out = way.seconds.size();
        held = false;
      }
      way.held = way.held && held;
    }
  }
  way.as_timed = lanes.compare(way.pace.bytes);
  lanes.poison_targets();
  {
    const cuda::OnDevice current(pair.from);
    lanes.enqueue(way.pace.bytes, 1);
    lanes.first().synchronize();
  }
  way.once_more = lanes.compare(way.pace.bytes);
  return way;
}

}  // namespace gpugauge::bench::copy

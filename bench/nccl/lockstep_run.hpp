// The buffers of one collective on all ranks, run in lockstep: timing, verification, what NCCL chose, which
// kernels ran.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nccl/collective.hpp"
#include "nccl/rank_times.hpp"
#include "nccl/world.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/kernels_seen.hpp"
#include "support/cuda/resources.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::nccl {

/// All processes must call its members in the same order, except layout() and why_no_room().
class LockstepRun {
 public:
  /// Inputs are made from `seed` and the rank.
  LockstepRun(World& world, const Collective& collective, std::uint64_t seed);

  /// How `bytes` are divided among the ranks.
  Layout layout(std::uint64_t bytes) const;

  /// Returns why two buffers of `bytes` do not fit on a GPU of this process beside a tenth of its memory, or
  /// nullopt. skipped: a GPU of this size never has the room. unavailable: something else holds it.
  std::optional<Skipped> why_no_room(std::uint64_t bytes) const;

  /// Allocates two buffers of `bytes` on each GPU and fills the input. Throws Skipped on all ranks when one
  /// of them lacks the memory, or this build has no code for its GPU.
  void allocate(const std::string& step, std::uint64_t bytes);

  /// Runs as many iterations as fit into `seconds`, of the rank that has the fewest, 5 to 5000. Throws
  /// Interrupted.
  Timed time(const std::string& step, const Layout& layout, double seconds);

  /// Records the number of wrong elements over all ranks.
  void verify(Trial& trial, const std::string& step, const Layout& layout);

  /// What NCCL reports that it chose for one more iteration.
  std::vector<Choice> choices(const Layout& layout);

  /// Kernels of one more iteration of each layout, on this process's GPUs.
  cuda::KernelsSeen kernels(const Trial& trial, const std::vector<Layout>& layouts);

 private:
  struct Buffers {
    cuda::DeviceBuffer<float> send;
    cuda::DeviceBuffer<float> receive;
    cuda::DeviceComparison found;
  };

  /// Enqueues one call of every member. Gives up where it fails, because earlier calls may be in flight.
  void enqueue_once(const Layout& layout, int in_flight = 1);
  /// Seconds after which `iterations` iterations count as hanging.
  double patience(int iterations) const;
  /// Seconds of each of `count` consecutive iterations on the slowest GPU of this process. Appends the
  /// seconds of each of its GPUs to own_.
  std::vector<double> chunk(const Layout& layout, int count);
  void record(int index);
  void poison(const Layout& layout);
  Timed together(const std::string& step, const std::vector<double>& mine);

  World& world_;
  const Collective& collective_;
  std::uint64_t seed_;
  std::vector<std::unique_ptr<Buffers>> buffers_;
  std::map<std::string, std::vector<double>> own_;
  double iteration_seconds_ = 0;  ///< of the last completed one, on the host's clock; 0 = unknown
};

}  // namespace gpugauge::bench::nccl

// Times and verifies one collective on all ranks in lockstep.
#include "nccl/lockstep_run.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kernels/collective/check.hpp"
#include "kernels/support/fill.hpp"
#include "nccl/sweep.hpp"
#include "support/byte_text.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/environment.hpp"
#include "support/gpu_room.hpp"
#include "support/interrupt.hpp"
#include "support/statistics.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::nccl {

namespace {

/// A group of calls on several communicators by one thread. It is closed also where a call fails, because an
/// abort within an open group would wait for its end.
class Group {
 public:
  explicit Group(bool needed) {
    if (needed) check(ncclGroupStart(), "opening a group");
    open_ = needed;
  }
  ~Group() {
    if (open_) ncclGroupEnd();
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  void close() {
    if (std::exchange(open_, false)) check(ncclGroupEnd(), "closing a group");
  }

 private:
  bool open_ = false;
};

}  // namespace

LockstepRun::LockstepRun(World& world, const Collective& collective, std::uint64_t seed)
    : world_(world), collective_(collective), seed_(seed) {}

Layout LockstepRun::layout(std::uint64_t bytes) const {
  Layout made;
  made.total = elements_of(bytes, collective_.divides ? world_.rank_count() : 1);
  made.part = collective_.divides ? made.total / static_cast<std::uint64_t>(world_.rank_count()) : made.total;
  return made;
}

std::optional<Skipped> LockstepRun::why_no_room(std::uint64_t bytes) const {
  std::optional<Skipped> held;
  for (const Member& member : world_.members()) {
    const OnDevice current(member.device);
    const GpuMemory memory = cuda::memory_now();
    if (2 * bytes + memory.total / 10 <= memory.free) continue;
    Skipped lack = without_room(fmt::format("needs two buffers of {} and a tenth of the memory free on {}",
                                            byte_text(bytes), member.uuid),
                                has_room(memory, 2 * bytes));
    if (lack.status == result::Status::skipped) return lack;
    if (!held) held = std::move(lack);
  }
  return held;
}

void LockstepRun::allocate(const std::string& step, std::uint64_t bytes) {
  std::optional<Skipped> problem = why_no_room(bytes);
  try {
    for (const Member& member : world_.members()) {
      if (problem) break;
      const OnDevice current(member.device);
      try {
        const std::size_t count = std::max<std::size_t>(bytes / 4, 1);
        buffers_.push_back(std::make_unique<Buffers>(
            Buffers{cuda::DeviceBuffer<float>(count), cuda::DeviceBuffer<float>(count), {}}));
        cuda::check(kernels::collective::fill(buffers_.back()->send.get(), count, seed_, member.rank,
                                              member.stream->get()),
                    "filling the input");
      } catch (const OutOfGpuMemory& lack) {
        problem = without_room(lack.what(), has_room(cuda::memory_now(), 2 * bytes));
      }
    }
  } catch (const std::bad_alloc& error) {
    problem = Skipped{error.what()};
  } catch (const LacksCode& error) {
    problem = Skipped{error.what()};
  }
  world_.agree(step + " memory", problem);
  world_.wait();
}

double LockstepRun::patience(int iterations) const {
  return limits().patience(world_.several_processes(), iteration_seconds_, iterations);
}

void LockstepRun::enqueue_once(const Layout& layout, int in_flight) {
  world_.or_give_up([&] {
    std::vector<Member>& members = world_.members();
    const ranks::Watch::Call watched = world_.enqueueing(patience(in_flight));
    Group group(members.size() > 1);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Member& member = members[i];
      if (members.size() > 1) cuda::check(cudaSetDevice(member.device), "choosing a GPU");
      const ncclResult_t code =
          collective_.enqueue(buffers_[i]->send.get(), buffers_[i]->receive.get(), layout, member.rank,
                              world_.rank_count(), member.comm, member.stream->get());
      if (code != ncclSuccess) check(code, fmt::format("enqueueing a collective on {}", member.uuid).c_str());
    }
    group.close();
  });
}

std::vector<double> LockstepRun::chunk(const Layout& layout, int count) {
  record(0);
  for (int i = 0; i < count; ++i) {
    enqueue_once(layout, count);
    record(i + 1);
  }
  world_.wait(patience(count));
  std::vector<double> slowest(static_cast<std::size_t>(count), 0);
  for (const Member& member : world_.members())
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double seconds = cuda::seconds_between(member.events[at], member.events[at + 1]);
      slowest[at] = std::max(slowest[at], seconds);
      own_[member.uuid].push_back(seconds);
    }
  return slowest;
}

Timed LockstepRun::time(const std::string& step, const Layout& layout, double seconds) {
  poison(layout);
  iteration_seconds_ = 0;
  for (int i = 0; i < warm_up_iterations; ++i) {
    const double begin = steady_seconds();
    enqueue_once(layout);
    world_.wait(patience(1));
    iteration_seconds_ = steady_seconds() - begin;
  }
  const std::vector<double> first = chunk(layout, pace_iterations);
  own_.clear();
  const double mine = *std::max_element(first.begin(), first.end());
  double slowest = 0;
  for (const std::string& text : world_.exchange(step + " pace", fmt::format("{} {}", mine, seconds))) {
    char* rest = nullptr;
    slowest = std::max(slowest, std::strtod(text.c_str(), &rest));
    seconds = std::min(seconds, std::strtod(rest, nullptr));
  }
  // The same on every rank, because it comes from the same numbers: also where ranks were given unlike windows.
  const double wanted = seconds / std::max(slowest, 1e-7);
  const int iterations = static_cast<int>(std::clamp(wanted, fewest_iterations(slowest), 5000.0));
  std::vector<double> mine_all;
  for (int done = 0; done < iterations; done += iterations_per_chunk) {
    if (interrupted()) throw Interrupted{};
    const std::vector<double> part = chunk(layout, std::min(iterations_per_chunk, iterations - done));
    mine_all.insert(mine_all.end(), part.begin(), part.end());
  }
  return together(step, mine_all);
}

void LockstepRun::verify(Trial& trial, const std::string& step, const Layout& layout) {
  // Run once more into poison: the output may stem from the first iteration, with thousands after it.
  poison(layout);
  enqueue_once(layout);
  world_.wait(patience(1));
  double wrong = 0;
  std::string where;
  for (std::size_t i = 0; i < world_.members().size(); ++i) {
    const Member& member = world_.members()[i];
    const std::uint64_t count = received(collective_.receives, layout, member.rank);
    if (count == 0) continue;
    const OnDevice current(member.device);
    const auto expected = collective_.expected(layout, member.rank, world_.rank_count());
    cuda::check(kernels::collective::count_mismatches(buffers_[i]->receive.get(), count, seed_, expected,
                                                      buffers_[i]->found.get(), member.stream->get()),
                "checking the result");
    const kernels::Comparison found = buffers_[i]->found.read(member.stream->get());
    const double here = cuda::error_of(found);
    wrong += here;
    if (!(here <= 0))
      where +=
          fmt::format(" {} on {} ({}){}", here, member.uuid, world_.host(), cuda::what_is_missing(found));
  }
  double total = 0;
  std::string places;
  for (const std::string& text : world_.exchange(step + " result", fmt::format("{}{}", wrong, where))) {
    char* end = nullptr;
    total += std::strtod(text.c_str(), &end);
    places += end;
  }
  trial.verify(fmt::format("elements of {} that differ from the known result, on all ranks{}", step, places),
               total, 0);
}

cuda::KernelsSeen LockstepRun::kernels(const Trial& trial, const std::vector<Layout>& layouts) {
  bool ran = false;
  const auto once_each = [&] {
    ran = true;
    for (const Layout& layout : layouts) {
      enqueue_once(layout);
      world_.wait(patience(1));
    }
  };
  const Member& first = world_.members().front();
  const OnDevice current(first.device);
  cuda::KernelsSeen seen = cuda::kernels_of(trial, first.stream->get(), [&](cudaStream_t) { once_each(); });
  if (!ran) once_each();  // another rank may be recording kernels, and waits for this one
  return seen;
}

std::vector<Choice> LockstepRun::choices(const Layout& layout) {
  return world_.choices_in([&] {
    enqueue_once(layout);
    world_.wait(patience(1));
  });
}

void LockstepRun::record(int index) {
  for (const Member& member : world_.members()) {
    const OnDevice current(member.device);
    member.events[static_cast<std::size_t>(index)].record(member.stream->get());
  }
}

void LockstepRun::poison(const Layout& layout) {
  for (std::size_t i = 0; i < world_.members().size(); ++i) {
    const Member& member = world_.members()[i];
    const OnDevice current(member.device);
    const std::uint64_t count = received(collective_.receives, layout, member.rank);
    if (count == 0) continue;
    cuda::check(kernels::poison(buffers_[i]->receive.get(), count * sizeof(float), member.stream->get()),
                "poisoning the output");
  }
}

Timed LockstepRun::together(const std::string& step, const std::vector<double>& mine) {
  RankTimes own{world_.host(), {}, mine};
  for (auto& [uuid, seconds] : own_) own.medians[uuid] = median(std::move(seconds));
  own_.clear();
  return parse_timed(world_.exchange(step + " times", to_text(own),
                                     [](const ranks::Texts& all) { return to_text(slowest_of(all)); }));
}

}  // namespace gpugauge::bench::nccl

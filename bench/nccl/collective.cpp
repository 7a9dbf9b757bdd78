#include "nccl/collective.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "kernels/collective/check.hpp"
#include "kernels/support/fill.hpp"
#include "nccl/notes.hpp"
#include "support/byte_text.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/environment.hpp"
#include "support/interrupt.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench::nccl {

namespace {

constexpr double event_resolution = 0.5e-6;
constexpr double longest_seconds = 1;  // of an iteration: a sweep goes no further
constexpr std::uint64_t sweep_first = 8;
constexpr std::uint64_t sweep_last = std::uint64_t{8} << 30;

struct Buffers {
  cuda::DeviceBuffer<float> send;
  cuda::DeviceBuffer<float> receive;
  cuda::DeviceComparison found;
};

/// One size on all ranks.
struct Timed {
  std::vector<double> seconds;  ///< per iteration, of the slowest rank
  std::string slowest;          ///< the rank with the longest median, by UUID and machine
  std::string quickest;         ///< with the shortest: one that comes late makes the others wait
};

class Run {
 public:
  Run(World& world, const Collective& collective, std::uint64_t seed)
      : world_(world), collective_(collective), seed_(seed) {}

  Layout layout(std::uint64_t bytes) const {
    Layout made;
    made.total = elements_of(bytes, collective_.divides ? world_.rank_count() : 1);
    made.part =
        collective_.divides ? made.total / static_cast<std::uint64_t>(world_.rank_count()) : made.total;
    return made;
  }

  /// Why `bytes` do not fit on a GPU of this process beside a tenth of its memory.
  std::optional<std::string> why_too_large(std::uint64_t bytes) const {
    for (const Member& member : world_.members()) {
      const OnDevice current(member.device);
      std::size_t free = 0;
      std::size_t total = 0;
      cuda::check(cudaMemGetInfo(&free, &total), "reading the free GPU memory");
      if (2 * bytes + total / 10 > free)
        return fmt::format("needs two buffers of {} and a tenth of the memory free on {}", byte_text(bytes),
                           member.uuid);
    }
    return std::nullopt;
  }

  void allocate(const std::string& step, std::uint64_t bytes) {
    std::optional<std::string> problem = why_too_large(bytes);
    if (!problem) {
      try {
        for (const Member& member : world_.members()) {
          const OnDevice current(member.device);
          const std::size_t count = std::max<std::size_t>(bytes / 4, 1);
          buffers_.push_back(std::make_unique<Buffers>(
              Buffers{cuda::DeviceBuffer<float>(count), cuda::DeviceBuffer<float>(count), {}}));
          cuda::check(kernels::collective::fill(buffers_.back()->send.get(), count, seed_, member.rank,
                                                member.stream->get()),
                      "filling the input");
        }
      } catch (const std::bad_alloc& error) {
        problem = error.what();
      }
    }
    world_.agree(step + " memory", problem);
    world_.wait();
  }

  void enqueue_once(const Layout& layout) {
    std::vector<Member>& members = world_.members();
    const bool group = members.size() > 1;
    if (group) check(ncclGroupStart(), "opening a group");
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Member& member = members[i];
      if (group) cuda::check(cudaSetDevice(member.device), "choosing a GPU");
      check(collective_.enqueue(buffers_[i]->send.get(), buffers_[i]->receive.get(), layout, member.rank,
                                world_.rank_count(), member.comm, member.stream->get()),
            "enqueueing a collective");
    }
    if (group) check(ncclGroupEnd(), "closing a group");
  }

  /// Seconds of `count` iterations, one after another: the slowest GPU of this process. Its own medians are
  /// added.
  std::vector<double> chunk(const Layout& layout, int count) {
    record(0);
    for (int i = 0; i < count; ++i) {
      enqueue_once(layout);
      record(i + 1);
    }
    world_.wait();
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

  Timed time(const std::string& step, const Layout& layout, double seconds) {
    poison(layout);
    for (int i = 0; i < 3; ++i) enqueue_once(layout);
    world_.wait();
    constexpr int trial_iterations = 5;
    const std::vector<double> first = chunk(layout, trial_iterations);
    own_.clear();
    const double mine = *std::max_element(first.begin(), first.end());
    double slowest = 0;
    for (const std::string& text : world_.exchange(step + " pace", fmt::format("{}", mine)))
      slowest = std::max(slowest, std::strtod(text.c_str(), nullptr));
    // The same on every rank: it comes from the same numbers.
    const double wanted = seconds / std::max(slowest, 1e-7);
    const int iterations = static_cast<int>(std::clamp(wanted, slowest > 0.1 ? 5.0 : 20.0, 5000.0));
    std::vector<double> mine_all;
    for (int done = 0; done < iterations; done += iterations_per_chunk) {
      if (interrupted()) throw Interrupted{};
      const std::vector<double> part = chunk(layout, std::min(iterations_per_chunk, iterations - done));
      mine_all.insert(mine_all.end(), part.begin(), part.end());
    }
    return together(step, mine_all);
  }

  /// Elements that differ from what they must be, over all ranks.
  void verify(Trial& trial, const std::string& step, const Layout& layout) {
    double wrong = 0;
    std::string where;
    for (std::size_t i = 0; i < world_.members().size(); ++i) {
      const Member& member = world_.members()[i];
      const OnDevice current(member.device);
      const auto expected = collective_.expected(layout, member.rank, world_.rank_count());
      cuda::check(kernels::collective::count_mismatches(
                      buffers_[i]->receive.get(), collective_.receives_part ? layout.part : layout.total,
                      seed_, expected, buffers_[i]->found.get(), member.stream->get()),
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
    trial.verify(
        fmt::format("elements of {} that differ from the known result, on all ranks{}", step, places), total,
        0);
  }

  std::vector<Choice> choices(const Layout& layout) {
    return world_.choices_in([&] {
      enqueue_once(layout);
      world_.wait();
    });
  }

 private:
  void record(int index) {
    for (const Member& member : world_.members()) {
      const OnDevice current(member.device);
      member.events[static_cast<std::size_t>(index)].record(member.stream->get());
    }
  }

  void poison(const Layout& layout) {
    for (std::size_t i = 0; i < world_.members().size(); ++i) {
      const OnDevice current(world_.members()[i].device);
      const std::size_t count = collective_.receives_part ? layout.part : layout.total;
      cuda::check(kernels::poison(buffers_[i]->receive.get(), count * sizeof(float),
                                  world_.members()[i].stream->get()),
                  "poisoning the output");
    }
  }

  /// First line: medians, "UUID seconds" in pairs; second: this process's iterations.
  Timed together(const std::string& step, const std::vector<double>& mine) {
    std::string text;
    for (auto& [uuid, seconds] : own_) text += fmt::format("{} {} ", uuid, median(std::move(seconds)));
    own_.clear();
    text += fmt::format("{}\n", world_.host());
    for (const double seconds : mine) text += fmt::format("{:.7g} ", seconds);
    Timed timed;
    timed.seconds.assign(mine.size(), 0);
    double longest = 0;
    double shortest = HUGE_VAL;
    for (const std::string& one : world_.exchange(step + " times", text)) {
      std::istringstream lines(one);
      std::string head;
      std::getline(lines, head);
      const std::string host = head.substr(head.rfind(' ') + 1);
      std::istringstream words(head);
      for (std::string uuid, value; words >> uuid >> value;) {
        const double seconds = std::strtod(value.c_str(), nullptr);
        if (seconds > longest) timed.slowest = fmt::format("{} ({})", uuid, host);
        if (seconds < shortest) timed.quickest = fmt::format("{} ({})", uuid, host);
        longest = std::max(longest, seconds);
        shortest = std::min(shortest, seconds);
      }
      std::size_t i = 0;
      for (double seconds = 0; i < timed.seconds.size() && lines >> seconds; ++i)
        timed.seconds[i] = std::max(timed.seconds[i], seconds);
      if (i != timed.seconds.size()) throw std::runtime_error("a rank timed fewer iterations than this one");
    }
    return timed;
  }

  World& world_;
  const Collective& collective_;
  std::uint64_t seed_;
  std::vector<std::unique_ptr<Buffers>> buffers_;
  std::map<std::string, std::vector<double>> own_;
};

result::Metric metric(const std::string& name, const char* unit, const char* metric_class, double value,
                      double resolution) {
  result::Metric made;
  made.name = name;
  made.unit = unit;
  made.better = std::string(unit) == "second" ? result::Direction::lower : result::Direction::higher;
  made.metric_class = metric_class;
  made.statistic = "median";
  made.value = rounded(value);
  made.resolution = rounded(resolution);
  return made;
}

/// Small sizes are judged by their time, large ones by busbw, or by algbw where there is one rank.
void add_metrics(Trial& trial, const World& world, const Collective& collective, double bytes,
                 const Timed& timed, const std::string& suffix) {
  const double seconds = std::max(median(timed.seconds), event_resolution);
  const bool small = bytes <= static_cast<double>(largest_small_bytes);
  const char* const metric_class = small ? "coll_small" : "coll_large";
  const double share = event_resolution / seconds;
  const double bandwidth = bytes / seconds;
  const bool bus = world.rank_count() > 1;
  if (small) {
    trial.metric(metric("latency" + suffix, "second", metric_class, seconds, event_resolution));
    return;
  }
  result::Metric algorithm =
      metric("algbw" + suffix, "byte/second", metric_class, bandwidth, bandwidth * share);
  if (bus) {
    algorithm.judged = false;
    algorithm.note = "busbw, which follows from it, is judged";
  } else {
    algorithm.note = "one rank: data moves within the GPU's memory, no link is measured";
  }
  trial.metric(std::move(algorithm));
  if (!bus) return;
  const double busbw = bandwidth * collective.bus_factor(world.rank_count());
  trial.metric(metric("busbw" + suffix, "byte/second", metric_class, busbw, busbw * share));
}

void measure_one(Trial& trial, World& world, const Collective& collective) {
  const std::uint64_t bytes = bytes_of(trial.parameter("size"));
  const std::string& id = trial.instance().id;
  Run run(world, collective, trial.data_seed());
  const Layout layout = run.layout(bytes);
  if (layout.part == 0) trial.skip(fmt::format("{} ranks cannot share {} bytes", world.rank_count(), bytes));
  run.allocate(id, bytes);
  const Timed timed = run.time(id, layout, trial.window().seconds * 0.3);
  const double moved = static_cast<double>(layout.total) * 4;
  trial.work({.bytes = moved});
  result::Batches batches;
  batches.operations_per_batch = 1;
  for (const double seconds : timed.seconds) {
    // What lasts less than events can tell is no longer than that.
    batches.seconds_per_operation.push_back(rounded(std::max(seconds, event_resolution)));
    batches.window_seconds += seconds;
  }
  batches.window_seconds = rounded(batches.window_seconds);
  trial.record(std::move(batches), "cuda_event", event_resolution);
  add_metrics(trial, world, collective, moved, timed, "");
  run.verify(trial, id, layout);
  add_notes(trial, world);
  if (world.rank_count() > 1) {
    trial.note("slowest_rank", timed.slowest);
    trial.note("quickest_rank", timed.quickest + ": a rank that comes late makes the others wait");
  }
  for (const Choice& choice : run.choices(layout)) {
    trial.note("nccl.algorithm", choice.algorithm);
    trial.note("nccl.protocol", choice.protocol);
    if (!choice.channels.empty()) trial.note("nccl.channels_used", choice.channels);
  }
}

void measure_sweep(Trial& trial, World& world, const Collective& collective) {
  const std::string& id = trial.instance().id;
  Run run(world, collective, trial.data_seed());
  // The largest power of two that fits on every rank.
  std::uint64_t largest = sweep_last;
  while (largest > sweep_first && run.why_too_large(largest)) largest /= 2;
  for (const std::string& text : world.exchange(id + " largest", fmt::format("{}", largest)))
    largest = std::min<std::uint64_t>(largest, std::strtoull(text.c_str(), nullptr, 10));
  run.allocate(id, largest);
  trial.note("largest_size", byte_text(largest));
  int sizes = 0;
  for (std::uint64_t bytes = sweep_first; bytes <= largest; bytes *= 2) ++sizes;
  for (std::uint64_t bytes = sweep_first; bytes <= largest; bytes *= 2) {
    const Layout layout = run.layout(bytes);
    if (layout.part == 0) continue;  // fewer elements than ranks
    const std::string size = byte_text(bytes);
    const std::string step = fmt::format("{} {}", id, size);
    const Timed timed = run.time(step, layout, 3 * trial.window().seconds / sizes);
    add_metrics(trial, world, collective, static_cast<double>(layout.total) * 4, timed, "_" + size);
    run.verify(trial, step, layout);
    for (const Choice& choice : run.choices(layout))
      trial.note(fmt::format("nccl.choice.{}", size),
                 fmt::format("{} {}", choice.algorithm, choice.protocol));
    // The same numbers on every rank, so all end here.
    if (median(timed.seconds) > longest_seconds) {
      trial.note("sweep_ended",
                 fmt::format("at {}: one iteration takes longer than {:g} s", size, longest_seconds));
      break;
    }
  }
  add_notes(trial, world);
}

}  // namespace

void measure_collective(Trial& trial, const Collective& collective) {
  World& world = World::get();
  try {
    if (trial.parameter("size") == "sweep")
      measure_sweep(trial, world, collective);
    else
      measure_one(trial, world, collective);
  } catch (const Skipped&) {
    throw;  // on all ranks alike
  } catch (const Interrupted&) {
    world.give_up(interruption());
    throw;
  } catch (const std::exception& error) {
    world.give_up(error.what());
    throw;
  }
}

namespace {

Definition sizes_of(const char* family, const char* op, const CollectiveText& text, const char* metric_class,
                    const std::vector<std::string>& sizes) {
  Definition made = define(family, op);
  made.axis("size", sizes)
      .custom_metrics(metric_class)
      .requires_gpu()
      .isolates(text.isolates)
      .bad_value(
          "another transport than before (its name is in the notes), a link that is down or narrow, peer "
          "access "
          "taken away, settings of NCCL in the environment, another process on a GPU")
      .body(text.body)
      .from(Depth::deep);
  return made;
}

}  // namespace

CollectiveRegistration::CollectiveRegistration(const char* family, const char* op, const CollectiveText& text)
    : small_(sizes_of(family, op, text, "coll_small", {"8B"}).from(text.depth_8b)),
      large_(sizes_of(family, op, text, "coll_large", {"1MiB", "256MiB", "sweep"})
                 .from(text.depth_256mib, "size", {"256MiB"})) {}

}  // namespace gpugauge::bench::nccl

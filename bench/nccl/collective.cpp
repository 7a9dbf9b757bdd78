// Measures one collective at one size or over a sweep of sizes, and registers its definitions.
#include "nccl/collective.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "nccl/lockstep_run.hpp"
#include "nccl/meeting.hpp"
#include "nccl/notes.hpp"
#include "nccl/sweep.hpp"
#include "result/number.hpp"
#include "support/byte_text.hpp"
#include "support/cuda/blocker.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/kernels_seen.hpp"
#include "support/interrupt.hpp"
#include "support/statistics.hpp"

namespace gpugauge::bench::nccl {

namespace {

constexpr double event_resolution = 0.5e-6;

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
    result::Metric latency = metric("latency" + suffix, "second", metric_class, seconds, event_resolution);
    if (const std::size_t gpus = world.members().size(); gpus > 1)
      latency.note =
          fmt::format("one thread enqueues it on {} GPUs in turn, which is part of the time", gpus);
    trial.metric(std::move(latency));
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

void measure_one(Trial& trial, World& world, const Collective& collective, LockstepRun& run) {
  const std::uint64_t bytes = bytes_of(trial.parameter("size"));
  const std::string& id = trial.instance().id;
  const Layout layout = run.layout(bytes);
  if (layout.part == 0) trial.skip(fmt::format("{} ranks cannot share {} bytes", world.rank_count(), bytes));
  run.allocate(id, bytes);
  const Timed timed = run.time(id, layout, trial.window().seconds * 0.3);
  const double moved = static_cast<double>(layout.total) * 4;
  trial.work({.bytes = moved});
  result::Batches batches;
  batches.operations_per_batch = 1;
  for (const double seconds : timed.seconds) {
    // A time below the events' resolution is recorded as that resolution.
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
  cuda::note_kernels(trial, run.kernels(trial, {layout}));
}

void measure_sweep(Trial& trial, World& world, const Collective& collective, LockstepRun& run) {
  const std::string& id = trial.instance().id;
  // The largest power of two that GPUs of these sizes have room for. Where something else holds part of it,
  // the sweep is not shortened: a comparison would miss the sizes that it lacks.
  std::uint64_t largest = sweep_last;
  std::optional<Skipped> lack = run.why_no_room(largest);
  while (lack && lack->status == result::Status::skipped && largest > sweep_first)
    lack = run.why_no_room(largest /= 2);
  world.agree(id + " room", lack);
  for (const std::string& text : world.exchange(id + " largest", fmt::format("{}", largest)))
    largest = std::min<std::uint64_t>(largest, result::number_in<std::uint64_t>(text).value_or(0));
  run.allocate(id, largest);
  trial.note("largest_size", byte_text(largest));
  std::vector<Layout> measured;
  int sizes = 0;
  for (std::uint64_t bytes = sweep_first; bytes <= largest; bytes *= 2) ++sizes;
  for (std::uint64_t bytes = sweep_first; bytes <= largest; bytes *= 2) {
    const Layout layout = run.layout(bytes);
    if (layout.part == 0) continue;  // fewer elements than ranks
    const std::string size = byte_text(bytes);
    const std::string step = fmt::format("{} {}", id, size);
    const Timed timed = run.time(step, layout, trial.window().seconds / sizes);
    add_metrics(trial, world, collective, static_cast<double>(layout.total) * 4, timed, "_" + size);
    if (world.rank_count() > 1) trial.note("slowest_rank." + size, timed.slowest);
    run.verify(trial, step, layout);
    measured.push_back(layout);
    for (const Choice& choice : run.choices(layout))
      trial.note(fmt::format("nccl.choice.{}", size),
                 fmt::format("{} {}", choice.algorithm, choice.protocol));
    // The numbers are the same on every rank, so all end here.
    if (median(timed.seconds) > longest_iteration_seconds) {
      trial.note("sweep_ended", fmt::format("at {}: one iteration takes longer than {:g} s", size,
                                            longest_iteration_seconds));
      break;
    }
  }
  add_notes(trial, world);
  cuda::note_kernels(trial, run.kernels(trial, measured));
}

}  // namespace

void measure_collective(Trial& trial, const Collective& collective) {
  // One thread launches for all GPUs in turn. Where a launch waits for its kernel, the first would wait for
  // the others' for ever.
  if (channel() == nullptr && cuda::start_up().devices > 1 && cuda::queue().synchronous)
    trial.unavailable(
        "launches wait for their kernels here (CUDA_LAUNCH_BLOCKING, a profiler or a debugger), so that a "
        "collective of several GPUs in one process would never end: take that away, or start one rank a GPU");
  const World::WhenLost keep([&trial](const std::string& sentence) {
    trial.keep_as(interrupted() ? result::Status::interrupted : result::Status::failed, sentence,
                  "collectives were given up");
  });
  World& world = World::get();
  // Outside the try block: its memory is freed only after the communicators have been aborted.
  LockstepRun run(world, collective, trial.data_seed());
  try {
    if (trial.parameter("size") == "sweep")
      measure_sweep(trial, world, collective, run);
    else
      measure_one(trial, world, collective, run);
  } catch (const Skipped&) {
    throw;  // thrown on all ranks
  } catch (const LacksCode& error) {
    if (world.several_processes()) world.give_up(error.what());  // the other ranks have continued
    throw;
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
      .custom_metrics({metric_class})
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
      large_(sizes_of(family, op, text, "coll_large", {"1MiB", "256MiB"})
                 .from(text.depth_256mib, "size", {"256MiB"})),
      sweep_(sizes_of(family, op, text, "coll_large", {"sweep"})
                 .window_share(sweep_windows)
                 .also_takes(sweep_seconds(assumed_bytes_per_second))) {}

}  // namespace gpugauge::bench::nccl

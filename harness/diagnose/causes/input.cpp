// The GPU is given too little to do: what loads and prepares its data does not keep up.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "diagnose/causes/predicates.hpp"
#include "result/number.hpp"

namespace gpugauge::diagnose {
namespace {

/// The average in parentheses behind the name and the number of the last step: "Time 0.154 (8.010)". In seconds.
std::optional<double> mean_of(const std::string& line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == std::string::npos || (at > 0 && line[at - 1] != ' ' && line[at - 1] != '\t')) return std::nullopt;
  std::string_view rest = std::string_view(line).substr(at + name.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" :=\t"), rest.size()));
  if (!result::take_number<double>(rest)) return std::nullopt;
  if (rest.starts_with('s')) rest.remove_prefix(1);
  return rest.starts_with(" (") ? result::leading_number<double>(rest.substr(2)) : std::nullopt;
}

/// By the averages that a training prints beside its steps, at least half of a step is waiting for data.
Fact steps_wait(const Seen& seen) {
  constexpr double half = .5;
  Fact out;
  for (const std::string& line : seen.it().log) {
    if (line.find('[') == std::string::npos && !contains(line, "epoch")) continue;
    for (const auto& [step, data] : {std::pair{"Time", "Data"}, std::pair{"batch_time", "data_time"},
                                     std::pair{"iter_time", "data_time"}, std::pair{"time", "data"}}) {
      const auto whole = mean_of(line, step);
      const auto waited = mean_of(line, data);
      if (!whole || !waited || *whole <= 0 || *waited > *whole) continue;
      // The last line has the averages of the most steps.
      if (*waited >= half * *whole)
        out = Fact(fmt::format("of {:.3g} s a step the training waits {:.3g} s for data", *whole, *waited));
      else
        out.reset();
      break;
    }
  }
  return out;
}

Fact gpu_idle_told(const Seen& seen) {
  return seen.told({"gpu usage* 0%", "gpu usage is 0", "usage is 0% for all gpus", "gpu utili* 0%",
                    "gpu utili*to 0", "gpu usage is low", "gpu usage is even low", "gpu utili*low",
                    "low gpu utili", "low gpu usage", "gpu usage is not above", "gpus are idle",
                    "gpu is idle", "gpu is mostly idle", "zero gpu usage", "GPU-Util*drops to 0"});
}

const Words loader_words{"dataloader",        "data loader",      "data loading",
                         "loading data from", "every num_worker", "num_workers iterations",
                         "input pipeline",    "tf.data",          "reading images",
                         "loading images",    "jpeg decod",       "image decod"};

void examine_input(const Seen& seen, Argument& it) {
  const Fact steps = steps_wait(seen);
  it.confirms(weight::strong, steps);
  // A loader that hangs or dies is another fault.
  const std::vector<Metric>& figures = seen.it().metrics;
  const bool slow = std::any_of(figures.begin(), figures.end(), [](const Metric& figure) {
    return slower_by_figure(figure) || is_noted_slower(figure);
  });
  if (slow)
    it.confirms(weight::strong,
                seen.recovers_by({"num_workers", "prefetch", "local ssd", "local drive", "local disk", "ssd",
                                  "npy", "dali", "cache_dataset", "persistent_workers", "tmpfs"}));
  const Fact loader = seen.told(loader_words);
  const Fact storage =
      seen.told({"data from a hdd", "data from hdd", "data on hdd", "hard disk", "on an nfs", "nfs share",
                 "on nfs", "network drive", "network storage", "from s3", "small files", "many png"});
  const Fact idle = gpu_idle_told(seen);
  if (slow) {
    // In the complaint itself; beside it a loader is only named.
    it.confirms(std::any_of(figures.begin(), figures.end(),
                            [](const Metric& figure) { return contains_any(figure.note, loader_words); })
                    ? weight::good
                    : weight::hint,
                loader);
    it.confirms(weight::good, both(storage, idle));
    it.confirms(weight::good, seen.told({"every num_worker", "num_workers iterations"}));
    if (!steps) it.confirms(weight::fair, waits_for_data(seen));
  }
  if (it.evidence().empty()) return;
  it.confirms(weight::fair, idle);
  it.explains_failure();
  if (!steps) it.at_most(bound::likely, Fact("how long steps wait for data was not told"));
  // What keeps the loaders from their processors is the better answer.
  it.at_most(bound::below_half, seen.on("host.cgroup_cpu_limit"));
  it.at_most(bound::weak, seen.told({"CPU quota", "cgroup", "throttled_usec", "nr_throttled", "--cpus"}));
  it.at_most(bound::unnamed, seen.slower({"gemm16", "gemm32", "hbm"}));
}

}  // namespace

Signatures input_causes() {
  return {
      {.name = "gpu_waits_for_data",
       .title = "The GPU waits: loading and preparing its data does not keep up",
       .what =
           "A step of a training needs its data ready. Where reading (a disk, a network file system, many small "
           "files) or decoding takes longer than the GPU computes, the GPU idles between steps, and a faster one "
           "gains nothing. Driver and libraries are as they should be.",
       .confirms = "steps spend most of their time on waiting for data, by the program's own meters",
       .excludes = "with made-up data it is as slow",
       .confused_with = {{"cgroup_cpu_limit", "may the loaders use all processors?"},
                         {"cpu_contention", "do other programs keep the processors busy?"},
                         {"pageable_memory", "is the time spent on loading, or on the copy to the GPU?"},
                         {"shm_too_small", "do the loaders die, or are they slow?"}},
       .subject = Subject::software,
       .next =
           "run the same training with made-up data in GPU memory; if that is fast, raise the loaders' workers and "
           "prefetching, put the data on a local disk, or decode it before",
       .reading = {"https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html"},
       .examine = examine_input},
  };
}

}  // namespace gpugauge::diagnose

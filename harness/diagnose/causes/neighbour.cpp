// Other work on the measured GPU.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "diagnose/causes/predicates.hpp"
#include "diagnose/memory_report.hpp"
#include "result/number.hpp"

namespace gpugauge::diagnose {
namespace {

/// nvidia-smi's process table lists two computing processes on one GPU; at least one belongs to somebody
/// else.
Fact two_in_process_list(const Seen& seen) {
  std::vector<std::string> gpus;
  for (const std::string& line : seen.it().log) {
    std::istringstream words(line);
    std::string bar;
    std::string gpu;
    std::string word;
    if (!(words >> bar >> gpu) || bar != "|") continue;
    bool compute = false;
    bool memory = false;
    while (words >> word) {
      compute = compute || word == "C" || word == "C+G" || word == "M+C";
      memory = memory || word.ends_with("MiB");
    }
    if (!compute || !memory) continue;
    if (std::find(gpus.begin(), gpus.end(), gpu) != gpus.end())
      return fmt::format("log: two computing processes on GPU {}", gpu);
    gpus.push_back(gpu);
  }
  return std::nullopt;
}

/// An out-of-memory message shows that the GPU is full while this process holds only a small part.
Fact full_of_others(const Seen& seen) {
  const auto tells = [](const std::string& text) -> Fact {
    const std::optional<MemoryReport> report = memory_report(text);
    if (!report || report->total_mib <= 0) return std::nullopt;
    const double others = report->total_mib - report->free_mib - report->own_mib;
    constexpr double much = .4;
    if (others < much * report->total_mib) return std::nullopt;
    return fmt::format("of {:.0f} MiB this process holds {:.0f}, {:.0f} are free: others hold the rest",
                       report->total_mib, report->own_mib, report->free_mib);
  };
  for (const ErrorSeen& error : seen.it().errors)
    if (Fact fact = tells(error.text)) return fact;
  for (const std::string& line : seen.it().log)
    if (Fact fact = tells(line)) return fact;
  for (const Metric& metric : seen.it().metrics)
    if (Fact fact = tells(metric.note)) return fact;
  return std::nullopt;
}

/// vLLM looks at the memory before it takes any: "Free memory on device (7.34/139.72 GiB) on startup is less than".
Fact full_at_start(const Seen& seen) {
  for (const std::string& line : seen.it().log) {
    const std::size_t at = line.find("Free memory on device (");
    if (at == std::string::npos || !contains(line, "on startup is less")) continue;
    std::string_view rest =
        std::string_view(line).substr(at + std::string_view("Free memory on device (").size());
    const auto free = result::take_number<double>(rest);
    if (!free || !rest.starts_with('/')) continue;
    const auto total = result::leading_number<double>(rest.substr(1));
    constexpr double mostly = .75;
    if (total && *free < mostly * *total)
      return fmt::format("before the program took any, {:g} of {:g} GiB were free", *free, *total);
  }
  return std::nullopt;
}

/// nvidia-smi shows much memory in use, nothing at work, and an empty list of processes; and somebody asks why.
Fact held_by_nobody(const Seen& seen) {
  const std::vector<std::string>& log = seen.it().log;
  const auto heading = std::find_if(log.begin(), log.end(),
                                    [](const std::string& line) { return contains(line, "| Processes:"); });
  if (heading == log.end() ||
      !seen.told({"allocated by someone", "no process*using it", "no processes seem", "no running processes",
                  "memory is not released", "memory*not freed", "out of memory"}))
    return std::nullopt;
  for (auto line = heading; line != log.end(); ++line)
    if (contains(*line, "MiB |")) return std::nullopt;
  constexpr std::string_view between = "MiB / ";
  constexpr double much = .3;
  for (auto line = log.begin(); line != heading; ++line) {
    const std::size_t slash = line->find(between);
    if (slash == std::string::npos || !line->starts_with('|')) continue;
    const std::string_view text = *line;
    const auto used = result::leading_number<double>(text.substr(text.find_last_of(" |", slash) + 1));
    const auto total = result::leading_number<double>(text.substr(slash + between.size()));
    if (used && total && *used > much * *total)
      return fmt::format("{:.0f} of {:.0f} MiB are in use, and no process is listed", *used, *total);
  }
  return std::nullopt;
}

/// Utilisation from which on another process must be working.
constexpr double busy_percent = 10;

void examine_neighbour(const Seen& seen, Argument& it) {
  const Fact out_of_memory = seen.told(
      {"out of memory", "CUDA_ERROR_OUT_OF_MEMORY", "cudaErrorMemoryAllocation", "OutOfMemoryError"});
  it.confirms(weight::strong, full_of_others(seen));
  if (Fact full = full_at_start(seen)) {
    it.confirms(weight::strong, full);
    it.explains_failure();
  }
  if (it.confirms(weight::good, held_by_nobody(seen))) it.explains_failure();
  if (out_of_memory || seen.harm())
    it.confirms(weight::fair,
                seen.told({"zombie", "already taken", "already in use before", "taken before",
                           "memory*used by another", "memory*held by", "other users", "other user's",
                           "stale process", "left-over process", "leftover process"}));
  if (out_of_memory) it.confirms(weight::good, seen.at_least("other_processes", 1));
  if (seen.slower({})) {
    it.confirms(weight::strong, seen.at_least("other_processes", 1));
    it.confirms(weight::strong, seen.moved("other_processes", {"higher"}));
    it.confirms(weight::good, seen.told({"another job",
                                         "other job on the GPU",
                                         "second job",
                                         "two jobs on",
                                         "another training",
                                         "second training",
                                         "another instance",
                                         "second instance",
                                         "another user's",
                                         "someone else's job",
                                         "somebody else's job",
                                         "shares the GPU",
                                         "GPU is shared",
                                         "PID*another user",
                                         "process*another user",
                                         "python*another user",
                                         "job*another user",
                                         "two python processes",
                                         "python of user",
                                         "process of user",
                                         "job of user",
                                         "python of another",
                                         "process of another",
                                         "process of a colleague",
                                         "colleague's job",
                                         "colleague's process",
                                         "colleague's training",
                                         "colleague's notebook",
                                         "100% before I",
                                         "busy before I",
                                         "before I even start",
                                         "while nothing of mine",
                                         "even when I run nothing",
                                         "before my job start",
                                         "GPU was shared",
                                         "gpu is occupied",
                                         "occupies most of my gpu",
                                         "occupies the gpu",
                                         "two instances of",
                                         "sharing the GPU",
                                         "on the same GPU at the same time"}));
    it.confirms(weight::good, seen.at_least("utilization_before_percent", busy_percent));
    if (!it.evidence().empty()) it.confirms(weight::fair, seen.probe("swap_gpu", {"recovers"}));
    it.confirms(weight::good,
                seen.probe("repeat_later", {"recovers", "normal"},
                           {"other job", "other process", "the other", "colleague", "job had ended",
                            "job ended", "job was killed", "second process", "neighbour"}));
    if (!it.evidence().empty()) it.confirms(weight::hint, seen.environment("CUDA_MPS_*"));
  }
  // Who asked for MPS has clients, and its server logs each of them.
  if (out_of_memory || seen.harm_beside_lines())
    it.confirms(weight::good, seen.told({"another process*GPU", "other process*GPU", "nvidia-cuda-mps",
                                         "MPS client", "shared GPU", "time-slic"},
                                        {"shared GPU memory", "failed to connect"}));
  if (seen.harm()) it.confirms(weight::good, two_in_process_list(seen));
  it.confirms(weight::strong, seen.recovers_by({"other process", "other_process", "other job", "other_job",
                                                "second process", "second_process", "neighbour", "neighbor",
                                                "exclusive", "alone", "co-located", "kill", "zombie"}));
  // Desktop programs draw with the GPU, too.
  if (seen.harm())
    it.confirms(weight::strong,
                seen.recovers_by({"discord", "browser", "chrome", "firefox", "edge=", "wallpaper",
                                  "game overlay", "steam overlay", "hardware_acceleration=off",
                                  "hardware acceleration=off", "teams=", "electron"}));
  if (!it.evidence().empty())
    it.confirms(weight::hint, seen.slower({"gemm16", "gemm32", "hbm", "launch", "application"}));
  const std::optional<double> others = seen.number("other_processes");
  if (others && *others == 0) it.at_most(bound::remote, Fact("no other process was on the GPU"));
  if (!others && seen.number("utilization_before_percent").value_or(busy_percent) < busy_percent)
    it.at_most(bound::weak, Fact("the GPU was idle while nothing of ours ran"));
  // It slows, and it takes memory; what hangs or ends otherwise has another reason.
  const auto slowed = [](const Metric& metric) {
    return slower_by_figure(metric) || is_noted_slower(metric);
  };
  if (!out_of_memory && std::none_of(seen.it().metrics.begin(), seen.it().metrics.end(), slowed))
    it.at_most(bound::half, seen.fails({}));
  // Where it keeps the process out, it does not slow it.
  it.at_most(bound::unconfident, seen.error(46, {"cudaErrorDevicesUnavailable",
                                                 "CUDA_ERROR_DEVICE_UNAVAILABLE", "busy or unavailable"}));
  it.at_most(bound::weak, low_clock(seen));
}

}  // namespace

Signatures neighbour_causes() {
  return {
      {.name = "neighbour_process",
       .title = "Another process works on the same GPU",
       .what = "A second process or MPS client shares multiprocessors, memory bandwidth and time slices with "
               "the one that "
               "was measured.",
       .moves = "gemm16 -, hbm -, launch -, alloc x",
       .confirms = "NVML lists another process, the GPU was busy before the work began, or its memory is "
                   "full of others",
       .excludes = "no other process; clocks are low",
       .confused_with = {{"power_or_clock", "is another process on the GPU?"},
                         {"mig_left_enabled", "is another process on the GPU, or is it sliced?"}},
       .next = "nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv; measure again when alone",
       .reading = {"https://docs.nvidia.com/deploy/mps/index.html"},
       .examine = examine_neighbour},
  };
}

}  // namespace gpugauge::diagnose

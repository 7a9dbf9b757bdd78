#include "judge/between_gpus.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/device_limits.hpp"
#include "judge/reasons.hpp"
#include "judge/statistics.hpp"
#include "result/facts.hpp"
#include "result/gpu_series.hpp"

namespace gpugauge::judge {
namespace {

constexpr double above_limit = 1.05;
constexpr double default_floor = .4;
/// Of the better quarter of like pairs. NVSwitches give every pair the same; healthy ones lie within a few
/// percent, and one link of eighteen takes 5%.
constexpr double least_of_peers = .8;
constexpr double least_of_other_direction = .5;

/// The way from a GPU to the others.
struct Way {
  result::Limit limit;    ///< in one direction
  bool nvlink = false;    ///< else PCI Express
  bool switched = false;  ///< every NVLink that is up leads to an NVSwitch
};

std::optional<Way> way_of(const result::Run& run, std::string_view uuid) {
  const double nvlink = result::highest_of_gpu(run, uuid, "nvlink_bytes_per_second");
  if (nvlink > 0) {
    const double active = result::highest_of_gpu(run, uuid, "nvlinks_active");
    const bool switched = active > 0 && result::highest_of_gpu(run, uuid, "nvlinks_to_switch") >= active;
    return Way{{nvlink,
                fmt::format("{:.0f} NVLinks{}, {:.0f} GB/s in one direction as NVML says", active,
                            switched ? " to NVSwitches" : "", nvlink / 1e9),
                false, std::nullopt},
               true,
               switched};
  }
  const auto pcie = link_limit(result::highest_of_gpu(run, uuid, "pcie_generation"),
                               result::highest_of_gpu(run, uuid, "pcie_width"), 1);
  return pcie ? std::optional(Way{*pcie}) : std::nullopt;
}

/// What all of them can do: the narrowest, of the plainest kind. nullopt where one is not known.
std::optional<Way> narrowest(const result::Run& run, const std::set<std::string>& uuids) {
  std::optional<Way> out;
  for (const std::string& uuid : uuids) {
    const std::optional<Way> way = way_of(run, uuid);
    if (!way) return std::nullopt;
    if (!out) out = way;
    const bool plainer = out->nvlink && !way->nvlink;
    const bool alike = out->nvlink == way->nvlink;
    const bool switched = out->switched && way->switched;
    if (plainer || (alike && way->limit.value < out->limit.value)) out = way;
    out->switched = switched;
  }
  return out;
}

Verdict verdict_on(const std::string& key, const MetricValues& metric) {
  Verdict verdict;
  verdict.judge = Judge::physical;
  verdict.metric = key;
  verdict.metric_class = metric.form.metric_class;
  verdict.unit = metric.form.unit;
  verdict.better = metric.form.better;
  verdict.value = median(metric.values);
  verdict.rounds = 1;
  return verdict;
}

/// `most`: how many times the way's rate the metric may come to.
Verdict against_way(const std::string& key, const MetricValues& metric, const std::optional<Way>& way,
                    double most, bool floor) {
  Verdict verdict = verdict_on(key, metric);
  verdict.kind = VerdictKind::inconclusive;
  verdict.advisory = true;
  if (!way) {
    verdict.reason =
        "not held against a link: telemetry saw neither NVLinks nor the PCI Express link of every GPU";
    return verdict;
  }
  const double share = *verdict.value / way->limit.value;
  if (share > most * above_limit) {
    verdict.reason = fmt::format(
        "faster than the link that telemetry saw ({}): it went another way, or the link slept whenever it "
        "was asked",
        way->limit.source);
    return verdict;
  }
  verdict.advisory = false;
  verdict.share = share;
  if (floor && way->switched && share < default_floor) {
    verdict.reason = fmt::format(
        "{} of {}, where large transfers reach {} or more: a link that is down on the way, a fabric that is "
        "not up, or another program on it explain it",
        whole_percent(share), way->limit.source, whole_percent(default_floor));
    return verdict;
  }
  verdict.kind = VerdictKind::ok;
  verdict.reason = fmt::format("{} of {}", whole_percent(share), way->limit.source);
  return verdict;
}

/// One way between two GPUs, as copy/peer names its metrics and notes.
struct Pair {
  std::string key;
  const MetricValues* metric = nullptr;
  std::string from, to;  ///< as numbers
  std::string from_uuid, to_uuid;
  bool direct = false;
  std::optional<Way> way;
};

const result::Facts* notes_of(const result::Run& run, const std::string& benchmark) {
  for (const result::Process& process : run.processes) {
    if (!process.samples) continue;
    for (const result::BenchmarkResult& one : process.samples->benchmarks)
      if (one.id == benchmark && one.status == result::Status::ok) return &one.notes;
  }
  return nullptr;
}

std::vector<Pair> pairs_of(const Collected& collected, const result::Run& run) {
  constexpr std::string_view start = "bandwidth_";
  constexpr std::string_view middle = "_to_";
  std::vector<Pair> out;
  for (const auto& [key, metric] : collected.metrics) {
    if (metric.form.metric_class != "p2p" || !metric.judged() || metric.form.unit != "byte/second") continue;
    const std::string& name = metric.form.name;
    const std::size_t at = name.find(middle);
    const result::Facts* const notes = notes_of(run, metric.benchmark);
    if (notes == nullptr || !name.starts_with(start) || at == std::string::npos) continue;
    Pair pair;
    pair.key = key;
    pair.metric = &metric;
    pair.from = name.substr(start.size(), at - start.size());
    pair.to = name.substr(at + middle.size());
    pair.from_uuid = result::fact(*notes, "gpu_" + pair.from);
    pair.to_uuid = result::fact(*notes, "gpu_" + pair.to);
    pair.direct = result::fact(*notes, fmt::format("peer_access_{}_to_{}", pair.from, pair.to)) == "true";
    pair.way = narrowest(run, {pair.from_uuid, pair.to_uuid});
    out.push_back(std::move(pair));
  }
  return out;
}

double bandwidth(const Pair& pair) {
  return median(pair.metric->values);
}

bool through_switches(const Pair& pair) {
  return pair.direct && pair.way && pair.way->switched;
}

/// What the better quarter of the other pairs through switches reach; nullopt where there is no other.
std::optional<double> of_peers(const std::vector<Pair>& pairs, const Pair& pair) {
  std::vector<double> others;
  for (const Pair& other : pairs)
    if (&other != &pair && through_switches(other)) others.push_back(bandwidth(other));
  if (others.empty()) return std::nullopt;
  std::sort(others.begin(), others.end());
  return others[3 * (others.size() - 1) / 4];
}

void judge_pair(const std::vector<Pair>& pairs, const Pair& pair, Verdict& verdict) {
  const auto slower = [&](VerdictKind kind, double share, const std::string& than) {
    verdict.kind = kind;
    verdict.advisory = false;
    verdict.share = share;
    verdict.reason =
        fmt::format("{} of {}: from {} to {}", whole_percent(share), than, pair.from_uuid, pair.to_uuid);
  };
  if (through_switches(pair)) {
    const std::optional<double> peers = of_peers(pairs, pair);
    if (peers && bandwidth(pair) < least_of_peers * *peers)
      slower(VerdictKind::failed, bandwidth(pair) / *peers,
             "what the better quarter of the other pairs reach, all through NVSwitches");
    return;
  }
  if (!pair.way || pair.way->nvlink || verdict.kind != VerdictKind::ok) return;
  for (const Pair& back : pairs)
    if (back.from == pair.to && back.to == pair.from &&
        bandwidth(pair) < least_of_other_direction * bandwidth(back))
      slower(VerdictKind::inconclusive, bandwidth(pair) / bandwidth(back),
             "the other direction of the same pair");
}

bool is_bus_bandwidth(const MetricValues& metric) {
  return metric.form.metric_class == "coll_large" && metric.form.unit == "byte/second" &&
         metric.form.name.starts_with("busbw") && metric.judged();
}

/// Nothing where no collective says how it went, or it may go so.
std::vector<Verdict> judge_transport(const Collected& collected, const result::Run& run,
                                     const std::optional<Way>& way) {
  std::map<std::string, std::vector<std::string>> benchmarks;  // by transport
  for (const auto& [id, state] : collected.benchmarks) {
    if (state.family != "nccl" || state.ok == 0) continue;
    const result::Facts* const notes = notes_of(run, id);
    if (notes != nullptr) benchmarks[result::fact(*notes, "nccl.transport")].push_back(id);
  }
  std::string why;
  if (benchmarks.contains("socket"))
    why = fmt::format(
        "NCCL went through sockets between the GPUs of one machine ({} of {} collectives), which neither P2P "
        "nor shared memory would need",
        benchmarks["socket"].size(), collected.benchmarks.size());
  else if (benchmarks.contains("shm") && way && way->switched)
    why = fmt::format("NCCL went through the host's memory ({} collectives), though every GPU has {}",
                      benchmarks["shm"].size(), way->limit.source);
  if (why.empty()) return {};
  Verdict verdict;
  verdict.kind = VerdictKind::failed;
  verdict.judge = Judge::physical;
  verdict.metric = "nccl/transport";
  verdict.metric_class = "coll_large";
  verdict.rounds = 1;
  verdict.reason = why +
                   ": look for NCCL_P2P_DISABLE, NCCL_P2P_LEVEL and NCCL_SHM_DISABLE in the environment and "
                   "in nccl.conf, and for ACS or an IOMMU in the way";
  return {verdict};
}

}  // namespace

std::vector<Verdict> judge_between_gpus(const Collected& collected, const result::Run& run) {
  std::vector<Verdict> out;
  const std::vector<Pair> pairs = pairs_of(collected, run);
  for (const Pair& pair : pairs) {
    Verdict verdict = against_way(pair.key, *pair.metric, pair.way, 1, true);
    judge_pair(pairs, pair, verdict);
    out.push_back(std::move(verdict));
  }
  const std::set<std::string> gpus = result::measured_gpus(run);
  const std::optional<Way> way = gpus.size() > 1 ? narrowest(run, gpus) : std::nullopt;
  constexpr double added_by_switches = 2;
  for (const auto& [key, metric] : collected.metrics) {
    if (!is_bus_bandwidth(metric)) continue;
    const bool reduced = metric.benchmark.starts_with("nccl/all_reduce/");
    out.push_back(against_way(key, metric, way, reduced && way && way->switched ? added_by_switches : 1,
                              metric.benchmark.ends_with("/256MiB")));
  }
  for (Verdict& verdict : judge_transport(collected, run, way)) out.push_back(std::move(verdict));
  return out;
}

}  // namespace gpugauge::judge

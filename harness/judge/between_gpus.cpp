// Judges links between the GPUs of one machine, and how NCCL used them.
#include "judge/between_gpus.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/gpu_way.hpp"
#include "judge/physical_verdict.hpp"
#include "judge/reasons.hpp"
#include "judge/statistics.hpp"
#include "result/device_kind.hpp"
#include "result/facts.hpp"
#include "result/gpu_series.hpp"

namespace gpugauge::judge {
namespace {

constexpr double above_limit = 1.05;
constexpr double default_floor = .4;
/// Shares of what the better quarter of similar pairs reach. NVSwitches give every pair the same rate:
/// healthy pairs lie within a few percent, and losing one link of eighteen costs 5%. Below the first share
/// something interferes, perhaps another program's copies. Below the second in every process, light
/// interference is no explanation.
constexpr double noticed_of_peers = .8;
constexpr double least_of_peers = .6;
constexpr double least_of_other_direction = .5;

/// `most`: the largest multiple of the link's rate that the metric may reach.
Verdict against_way(const std::string& key, const MetricValues& metric, const std::optional<Way>& way,
                    double most, bool floor) {
  Verdict verdict = physical_verdict(key, metric);
  verdict.kind = VerdictKind::inconclusive;
  verdict.advisory = true;
  if (!way || !way->limit) {
    verdict.reason =
        way ? "not held against a link: NVML does not give the speed of the NVLinks"
            : "not held against a link: telemetry saw neither NVLinks nor the PCI Express link of every GPU";
    return verdict;
  }
  const double share = *verdict.value / way->limit->value;
  if (share > most * above_limit) {
    verdict.reason = fmt::format(
        "faster than the link that telemetry saw ({}): it went another way, or the link slept whenever it "
        "was asked",
        way->limit->source);
    return verdict;
  }
  verdict.advisory = false;
  verdict.share = share;
  if (floor && way->switched && share < default_floor) {
    verdict.reason = fmt::format(
        "{} of {}, where large transfers reach {} or more: a link that is down on the way, a fabric that is "
        "not up, or another program on it explain it",
        whole_percent(share), way->limit->source, whole_percent(default_floor));
    return verdict;
  }
  verdict.kind = VerdictKind::ok;
  verdict.reason = fmt::format("{} of {}", whole_percent(share), way->limit->source);
  return verdict;
}

/// Two GPUs between which one kind of copy was measured.
struct Pair {
  std::string key;
  const MetricValues* metric = nullptr;
  NamedPair named;
  std::string from_uuid, to_uuid;
  bool direct = false;
  std::optional<Way> way;  ///< in as many directions as the copy uses
};

const result::Facts* notes_of(const result::Run& run, const std::string& benchmark) {
  for (const result::Process& process : run.processes) {
    if (!process.samples) continue;
    for (const result::BenchmarkResult& one : process.samples->benchmarks)
      if (one.id == benchmark && one.status == result::Status::ok) return &one.notes;
  }
  return nullptr;
}

/// What the way carries in both directions together.
std::optional<Way> both_directions(std::optional<Way> way) {
  if (!way || !way->limit) return way;
  way->limit->value *= 2;
  way->limit->source = "both directions of " + way->limit->source;
  return way;
}

bool has_access(const result::Facts& notes, const std::string& from, const std::string& to) {
  return result::fact(notes, fmt::format("peer_access_{}_to_{}", from, to)) == "true";
}

/// By benchmark: each measures one kind of copy.
std::map<std::string, std::vector<Pair>> pairs_of(const Collected& collected, const result::Run& run) {
  std::map<std::string, std::vector<Pair>> out;
  for (const auto& [key, metric] : collected.metrics) {
    if (metric.form.metric_class != "p2p" || !metric.judged() || metric.form.unit != "byte/second") continue;
    const std::optional<NamedPair> named = pair_named(metric.form.name);
    const result::Facts* const notes = notes_of(run, metric.benchmark);
    if (notes == nullptr || !named) continue;
    Pair pair;
    pair.key = key;
    pair.metric = &metric;
    pair.named = *named;
    pair.from_uuid = result::fact(*notes, "gpu_" + named->from);
    pair.to_uuid = result::fact(*notes, "gpu_" + named->to);
    pair.direct = has_access(*notes, named->from, named->to) &&
                  (!named->both_ways || has_access(*notes, named->to, named->from));
    pair.way = narrowest_way(run, {pair.from_uuid, pair.to_uuid});
    if (named->both_ways) pair.way = both_directions(std::move(pair.way));
    out[metric.benchmark].push_back(std::move(pair));
  }
  return out;
}

double bandwidth(const Pair& pair) {
  return median(pair.metric->values);
}

bool through_switches(const Pair& pair) {
  return pair.direct && pair.way && pair.way->switched;
}

/// The rate that the better quarter of the other pairs through switches reach; nullopt if there is no other.
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
    verdict.reason = fmt::format("{} of {}: {} {} {} {}", whole_percent(share), than,
                                 pair.named.both_ways ? "between" : "from", pair.from_uuid,
                                 pair.named.both_ways ? "and" : "to", pair.to_uuid);
  };
  if (pair.way && pair.way->switched && !pair.direct) {
    verdict.kind = VerdictKind::failed;
    verdict.advisory = false;
    verdict.reason = fmt::format(
        "no peer access from {} to {}, both with NVLinks to NVSwitches: the copy went through the host's "
        "memory",
        pair.from_uuid, pair.to_uuid);
    return;
  }
  if (through_switches(pair)) {
    const std::optional<double> peers = of_peers(pairs, pair);
    if (!peers || bandwidth(pair) >= noticed_of_peers * *peers) return;
    const std::vector<double>& values = pair.metric->values;
    const bool in_all = *std::max_element(values.begin(), values.end()) < least_of_peers * *peers;
    slower(in_all ? VerdictKind::failed : VerdictKind::inconclusive, bandwidth(pair) / *peers,
           "what the better quarter of the other pairs reach, all through NVSwitches");
    return;
  }
  if (!pair.way || pair.way->nvlinks > 0 || verdict.kind != VerdictKind::ok) return;
  for (const Pair& back : pairs)
    if (back.named.from == pair.named.to && back.named.to == pair.named.from &&
        bandwidth(pair) < least_of_other_direction * bandwidth(back))
      slower(VerdictKind::inconclusive, bandwidth(pair) / bandwidth(back),
             "the other direction of the same pair");
}

bool is_bus_bandwidth(const MetricValues& metric) {
  return metric.form.metric_class == "coll_large" && metric.form.unit == "byte/second" &&
         metric.form.name.starts_with("busbw") && metric.judged();
}

/// Empty if no collective noted its transport, or the transport is legitimate.
std::vector<Verdict> judge_transport(const Collected& collected, const result::Run& run,
                                     const std::optional<Way>& way) {
  std::map<std::string, int> counts;  // by transport
  int all = 0;
  for (const auto& [id, state] : collected.benchmarks) {
    if (state.family != "nccl" || state.ok == 0) continue;
    const result::Facts* const notes = notes_of(run, id);
    const std::string transport = notes == nullptr ? "" : result::fact(*notes, "nccl.transport");
    if (transport.empty()) continue;
    ++counts[transport];
    ++all;
  }
  const auto with = [&](const char* transport) { return counts.contains(transport) ? counts[transport] : 0; };
  constexpr std::string_view advice =
      "look for NCCL_P2P_DISABLE, NCCL_P2P_LEVEL and NCCL_SHM_DISABLE in the environment and in nccl.conf, "
      "and "
      "for ACS or an IOMMU in the way";
  if (with("socket") > 0)
    return {physical_verdict(
        "nccl/transport", VerdictKind::failed,
        fmt::format("{} of {} collectives between the GPUs of one machine went through sockets: {}",
                    with("socket"), all, advice))};
  const int around = with("shm") + with("ib") + with("net");
  if (around == 0 || !way || !way->switched) return {};
  return {physical_verdict(
      "nccl/transport", VerdictKind::failed,
      fmt::format("{} of {} collectives went through {}, though every GPU has NVLinks to NVSwitches: {}",
                  around, all,
                  with("shm") == around ? "the host's memory"
                  : with("shm") == 0    ? "a network card"
                                        : "the host's memory or a network card",
                  advice))};
}

/// GPUs on NVSwitches belong to one board, with equally many links. All may lack some by design (a virtual
/// machine with part of the board, a model with fewer than its chip), so that is counted but not failed.
std::vector<Verdict> judge_nvlinks(const result::Run& run) {
  int most = 0;
  const std::vector<BoardLinks> board = links_to_switches(run);
  for (const BoardLinks& gpu : board) most = std::max(most, gpu.up);
  std::vector<std::string> fewer;
  std::vector<std::string> lacking;
  std::vector<std::string> down;
  for (const BoardLinks& gpu : board) {
    if (gpu.up < most) fewer.push_back(fmt::format("{} has {}", gpu.uuid, gpu.up));
    if (gpu.of_model > gpu.up)
      lacking.push_back(fmt::format("{} has {} of {}", gpu.uuid, gpu.up, gpu.of_model));
    if (gpu.of_model == 0 && gpu.down > 0) down.push_back(fmt::format("{} has {}", gpu.uuid, gpu.down));
  }
  constexpr std::string_view advice =
      "nvidia-smi nvlink -s names the links, Xid 74 and the fabric manager's log say why";
  if (!fewer.empty())
    return {physical_verdict("links/nvlinks", VerdictKind::failed,
                             fmt::format("{} of {} NVLinks up that others on the same NVSwitches have: {}",
                                         fmt::join(fewer, ", "), most, advice))};
  if (!lacking.empty())
    return {physical_verdict(
        "links/nvlinks", VerdictKind::inconclusive,
        fmt::format("{} NVLinks up that its model has: {}", fmt::join(lacking, ", "), advice))};
  if (down.empty()) return {};
  return {
      physical_verdict("links/nvlinks", VerdictKind::inconclusive,
                       fmt::format("{} NVLinks down, beside {} to NVSwitches that are up, and how many this "
                                   "model has is not known: {}",
                                   fmt::join(down, ", "), most, advice))};
}

}  // namespace

std::vector<Verdict> judge_between_gpus(const Collected& collected, const result::Run& run) {
  std::vector<Verdict> out;
  for (const auto& [benchmark, pairs] : pairs_of(collected, run))
    for (const Pair& pair : pairs) {
      Verdict verdict = against_way(pair.key, *pair.metric, pair.way, 1, true);
      judge_pair(pairs, pair, verdict);
      out.push_back(std::move(verdict));
    }
  const std::set<std::string> gpus = result::measured_gpus(run);
  const std::optional<Way> way = gpus.size() > 1 ? narrowest_way(run, gpus) : std::nullopt;
  constexpr double added_by_switches = 2;
  for (const auto& [key, metric] : collected.metrics) {
    if (!is_bus_bandwidth(metric)) continue;
    const bool reduced = metric.benchmark.starts_with("nccl/all_reduce/");
    out.push_back(against_way(key, metric, way, reduced && way && way->switched ? added_by_switches : 1,
                              metric.benchmark.ends_with("/256MiB")));
  }
  for (Verdict& verdict : judge_transport(collected, run, way)) out.push_back(std::move(verdict));
  if (result::device_kind(run.device) == result::DeviceKind::links)
    for (Verdict& verdict : judge_nvlinks(run)) out.push_back(std::move(verdict));
  return out;
}

}  // namespace gpugauge::judge

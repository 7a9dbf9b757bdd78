// Reduces runs to what the comparison of nodes needs.
#include "judge/peer_round.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "baseline/baseline.hpp"
#include "baseline/fields.hpp"
#include "judge/drawn_median.hpp"
#include "judge/gpu_health.hpp"
#include "judge/judge_peers.hpp"
#include "judge/pinned.hpp"
#include "judge/round_spread.hpp"
#include "judge/scale.hpp"
#include "judge/statistics.hpp"
#include "result/device_kind.hpp"
#include "result/time.hpp"

namespace gpugauge::judge {
namespace {

/// A node's identity: the facts that distinguish cards, joined; for a host, its boot. Hosts with unknown
/// boots are not taken for one, so each run stands alone.
std::string identity(const result::Run& run) {
  if (!result::is_host(run.device) && run.device.rfind("GPU-", 0) == 0) return run.device;
  std::string cards;
  if (!result::is_host(run.device)) {
    for (const auto& [name, value] : run.fingerprint.device)
      if (baseline::role_of("device", name) == baseline::Role::identity) cards += value + " ";
  }
  if (!cards.empty()) return fmt::format("{} of {}", run.device, cards.substr(0, cards.size() - 1));
  return run.boot_id.empty() ? fmt::format("host of run {}", run.id)
                             : fmt::format("host of boot {}", run.boot_id);
}

std::vector<PeerFault> faults_of(const result::Run& run, const Collected& collected) {
  std::vector<PeerFault> out;
  // by family: the gravest fault of its processes, the first of equals
  std::map<std::string, PeerFault> families;
  for (const result::Process& process : run.processes) {
    const result::Status status = status_of(process);
    PeerFault& worst =
        families.try_emplace(process.family, PeerFault{process.family, result::Status::ok, ""}).first->second;
    const bool held = occupied(process);
    if (gravity(status, held) <= gravity(worst.status, worst.occupied)) continue;
    worst = {process.family, status, reason_of(process), held};
  }
  out.reserve(families.size());
  for (auto& [family, fault] : families)
    if (fault.status != result::Status::ok) out.push_back(std::move(fault));
  for (const auto& [id, state] : collected.benchmarks) {
    if (state.worst != result::Status::ok)
      out.push_back({id, state.worst, state.reason, state.worst_occupied});
  }
  return out;
}

}  // namespace

float by_chance(const std::vector<double>& values, result::Direction better) {
  if (values.size() < processes_for_spread) return std::numeric_limits<float>::quiet_NaN();
  std::vector<double> on_scale;
  on_scale.reserve(values.size());
  for (const double value : values) on_scale.push_back(to_scale(value, better));
  return static_cast<float>(std::sqrt(drawn_median_variance(std::move(on_scale), values.size())));
}

bool was_chosen(const PeerRound& round, const std::string& benchmark) {
  return round.first &&
         (round.only.empty() || std::binary_search(round.only.begin(), round.only.end(), benchmark));
}

std::string source_hash_of(const PeerRound& round, std::string_view family) {
  const auto found = round.source_hashes.find(fmt::format("suite.source_hash.{}", family));
  return found == round.source_hashes.end() ? std::string() : found->second;
}

PeerRound PeerCollector::reduce(const result::Run& run, std::string file, std::string label) {
  return reduce(run, collect(run), std::move(file), std::move(label));
}

PeerRound PeerCollector::without_values(const result::Run& run, const Collected& collected, std::string file,
                                        std::string label) {
  PeerRound out;
  out.node = identity(run);
  out.label = std::move(label);
  out.file = std::move(file);
  out.id = run.id;
  out.device = run.device;
  out.boot = run.boot_id;
  out.complete = run.complete;
  out.partial_reason = run.partial_reason;
  out.first = run.round == 1;
  out.only = run.only;
  std::sort(out.only.begin(), out.only.end());
  out.started = result::unix_seconds(run.started);
  out.faults = faults_of(run, collected);
  out.checksums = checksums_of(run);
  out.health = told_of_gpu_health(run);
  result::Fingerprint common = run.fingerprint;
  std::erase_if(common.suite, [&](const auto& fact) {
    if (baseline::role_of("suite", fact.first) != baseline::Role::must_in_common) return false;
    out.source_hashes.insert(fact);
    return true;
  });
  out.kind = fmt::format("{} {}", to_string(result::device_kind(run.device)), baseline::key(common));
  return out;
}

PeerRound PeerCollector::reduce(const result::Run& run, const Collected& collected, std::string file,
                                std::string label) {
  PeerRound out = without_values(run, collected, std::move(file), std::move(label));
  struct Value {
    const std::string* key;
    const MetricValues* metric;
    float by_chance;
    double value;
  };
  std::vector<Value> values;
  values.reserve(collected.metrics.size());
  std::map<std::string, std::string> recorded;
  const auto take = [&](bool judged) {
    for (const auto& [key, metric] : collected.metrics)
      if (metric.judged() == judged && (judged || !metric.recorded.empty()))
        values.push_back(
            {&key, &metric, by_chance(measured(metric), metric.form.better), median(measured(metric))});
  };
  take(true);
  const std::size_t judged = values.size();
  take(false);
  out.recorded_values = values.size() - judged;
  for (const auto& [key, metric] : collected.metrics)
    if (!metric.judged()) recorded.emplace(key, metric.not_judged);
  out.values.reserve(values.size());
  const std::lock_guard lock(mutex_);
  out.fingerprint = shared(out.kind, run.fingerprint);
  if (!recorded.empty()) {
    auto& kept = recorded_[recorded];
    if (!kept) kept = std::make_shared<const std::map<std::string, std::string>>(std::move(recorded));
    out.recorded = kept;
  }
  for (const Value& each : values) {
    const auto& form = each.metric->form;
    const std::uint32_t index =
        index_of(*each.key, each.metric->benchmark, form.metric_class, form.unit, form.better);
    forms_[index].group = spread_group(form);
    if (each.metric->judged()) forms_[index].judged = true;
    out.values.push_back({index, each.by_chance, each.value});
  }
  return out;
}

void PeerCollector::adopt(PeersInput& input) {
  std::vector<std::uint32_t> places;
  places.reserve(input.metrics.size());
  for (const PeerForm& form : input.metrics) {
    places.push_back(index_of(form.key, form.benchmark, form.metric_class, form.unit, form.better));
    if (form.group != 0) forms_[places.back()].group = form.group;
    if (form.judged) forms_[places.back()].judged = true;
  }
  for (PeerRound& round : input.rounds) {
    for (PeerValue& value : round.values) value.metric = places.at(value.metric);
    fingerprints_.try_emplace(round.kind, round.fingerprint);
  }
  input.metrics = forms_;
}

std::uint32_t PeerCollector::index_of(const std::string& key, const std::string& benchmark,
                                      const std::string& metric_class, const std::string& unit,
                                      result::Direction better) {
  std::vector<std::uint32_t>& known = index_[key];
  for (const std::uint32_t index : known) {
    const PeerForm& form = forms_[index];
    if (form.unit == unit && form.metric_class == metric_class && form.better == better) return index;
  }
  known.push_back(static_cast<std::uint32_t>(forms_.size()));
  forms_.push_back({key, benchmark, metric_class, unit, better, 0, false});
  return known.back();
}

std::shared_ptr<const result::Fingerprint> PeerCollector::shared(const std::string& kind,
                                                                 const result::Fingerprint& fingerprint) {
  auto& kept = fingerprints_[kind];
  if (!kept) kept = std::make_shared<const result::Fingerprint>(fingerprint);
  return kept;
}

}  // namespace gpugauge::judge

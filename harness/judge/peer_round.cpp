#include "judge/peer_round.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "baseline/baseline.hpp"
#include "baseline/fields.hpp"
#include "judge/judge_peers.hpp"
#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

/// The facts that tell one card from another, joined; for a host, which has none, its boot.
std::string identity(const result::Run& run) {
  if (run.device != "host" && run.device.rfind("GPU-", 0) == 0) return run.device;
  std::string cards;
  if (run.device != "host") {
    for (const auto& [name, value] : run.fingerprint.device)
      if (baseline::role_of("device", name) == baseline::Role::identity) cards += value + " ";
  }
  return cards.empty() ? fmt::format("host of boot {}", run.boot_id)
                       : fmt::format("{} of {}", run.device, cards.substr(0, cards.size() - 1));
}

std::vector<PeerFault> faults_of(const result::Run& run, const Collected& collected) {
  std::vector<PeerFault> out;
  std::map<std::string, PeerFault> families;
  for (const result::Process& process : run.processes) {
    const bool own = process.status != result::Status::ok || !process.samples;
    const result::Status status = own ? process.status : process.samples->status;
    if (status != result::Status::ok)
      families.try_emplace(process.family,
                           PeerFault{process.family, status, own ? process.reason : process.samples->reason});
  }
  out.reserve(families.size());
  for (auto& [family, fault] : families) out.push_back(std::move(fault));
  for (const auto& [id, state] : collected.benchmarks) {
    if (state.worst != result::Status::ok) out.push_back({id, state.worst, state.reason});
  }
  return out;
}

}  // namespace

PeerRound PeerCollector::reduce(const result::Run& run, std::string file, std::string label) {
  return reduce(run, collect(run), std::move(file), std::move(label));
}

PeerRound PeerCollector::reduce(const result::Run& run, const Collected& collected, std::string file,
                                std::string label) {
  PeerRound out;
  out.node = identity(run);
  out.label = std::move(label);
  out.file = std::move(file);
  out.id = run.id;
  out.device = run.device;
  out.complete = run.complete;
  out.partial_reason = run.partial_reason;
  out.faults = faults_of(run, collected);
  result::Fingerprint common = run.fingerprint;
  std::erase_if(common.suite, [&](const auto& fact) {
    if (baseline::role_of("suite", fact.first) != baseline::Role::must_in_common) return false;
    out.source_hashes.insert(fact);
    return true;
  });
  out.kind = (run.device == "host" ? "host " : "gpu ") + baseline::key(common);
  std::vector<std::pair<PeerForm, double>> values;
  for (const auto& [key, metric] : collected.metrics) {
    if (metric.judged())
      values.emplace_back(
          PeerForm{key, metric.benchmark, metric.form.metric_class, metric.form.unit, metric.form.better},
          median(metric.values));
  }
  const std::lock_guard lock(mutex_);
  out.fingerprint = shared(out.kind, run.fingerprint);
  out.values.reserve(values.size());
  for (auto& [form, value] : values) out.values.emplace_back(index_of(std::move(form)), value);
  return out;
}

void PeerCollector::adopt(PeersInput& input) {
  std::vector<std::uint32_t> places;
  places.reserve(input.metrics.size());
  for (const PeerForm& form : input.metrics) places.push_back(index_of(form));
  for (PeerRound& round : input.rounds) {
    for (auto& [metric, value] : round.values) metric = places.at(metric);
    fingerprints_.try_emplace(round.kind, round.fingerprint);
  }
  input.metrics = forms_;
}

std::uint32_t PeerCollector::index_of(PeerForm form) {
  const std::string name =
      fmt::format("{}\n{}\n{}\n{}", form.key, form.unit, form.metric_class, to_string(form.better));
  const auto [found, added] = index_.try_emplace(name, static_cast<std::uint32_t>(forms_.size()));
  if (added) forms_.push_back(std::move(form));
  return found->second;
}

std::shared_ptr<const result::Fingerprint> PeerCollector::shared(const std::string& kind,
                                                                 const result::Fingerprint& fingerprint) {
  auto& kept = fingerprints_[kind];
  if (!kept) kept = std::make_shared<const result::Fingerprint>(fingerprint);
  return kept;
}

}  // namespace gpugauge::judge

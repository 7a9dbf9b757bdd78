#include "judge/admit_kinds.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/admit_drift.hpp"
#include "result/device_kind.hpp"
#include "result/facts.hpp"

namespace gpugauge::judge {
namespace {

/// GPU or processor model; no treatment can declare it different.
std::string model_of(const result::Fingerprint& fingerprint, const std::string& device) {
  return result::is_host(device) ? result::fact(fingerprint.device, "host.cpu_model")
                                 : fmt::format("{} {}", result::fact(fingerprint.device, "gpu.0.name"),
                                               result::fact(fingerprint.device, "gpu.0.compute_capability"));
}

/// Sources of the family integrity; "" for a node that did not measure it.
std::string sources_of(const PeerRounds& node) {
  for (const PeerRound* round : node)
    if (std::string hash = source_hash_of(*round, "integrity"); !hash.empty()) return hash;
  return "";
}

}  // namespace

NearestKind nearest_kind(const std::vector<PeerKind>& kinds, const PeerRound& first,
                         const result::Fingerprint& here, const Policy& policy, const PeerRules& rules) {
  const std::string model = model_of(here, first.device);
  NearestKind out;
  // of the nearest kind: not comparable, too few nodes, differences
  std::tuple<bool, bool, std::size_t> rank;
  std::vector<std::string> models;
  for (const PeerKind& kind : kinds) {
    const PeerRound& usual = *kind.front().front();
    const std::string other = model_of(*usual.fingerprint, usual.device);
    const result::DeviceKind what = result::device_kind(usual.device);
    if (what != result::device_kind(first.device) || other != model) {
      models.push_back(fmt::format("{} ({})",
                                   what == result::DeviceKind::host    ? "hosts with " + other
                                   : what == result::DeviceKind::links ? "links between " + other
                                                                       : other,
                                   in_words(count_of(kind))));
      continue;
    }
    std::vector<Drift> drift = incomparable(here, kind, policy);
    const bool may = comparable(drift);
    const std::tuple<bool, bool, std::size_t> its{
        !may, may && static_cast<int>(kind.size()) < rules.minimum_nodes, drift.size()};
    if (out.kind != nullptr && its >= rank) continue;
    rank = its;
    out.kind = &kind;
    out.drift = std::move(drift);
  }
  if (out.kind == nullptr)
    out.reason = models.empty() ? "the fleet holds no run but the newcomers' own"
                                : fmt::format("it is {}, and the fleet has none: {}",
                                              result::is_host(first.device) ? "a host with " + model : model,
                                              fmt::join(models, ", "));
  return out;
}

const PeerKind* kind_of_checksums(const std::vector<PeerKind>& kinds, const PeerRounds& newcomer) {
  const std::string sources = sources_of(newcomer);
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const PeerKind& kind) {
    return kind.front().front()->kind == newcomer.front()->kind &&
           (sources.empty() || std::any_of(kind.begin(), kind.end(), [&](const PeerRounds& node) {
              return sources_of(node) == sources;
            }));
  });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace gpugauge::judge

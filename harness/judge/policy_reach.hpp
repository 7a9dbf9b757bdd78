// Which metrics the entries of a policy reach: one that reaches none is refused, since a rule that is never
// applied would be believed.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "judge/peer_round.hpp"

namespace gpugauge::judge {

/// What can be measured here, as far as it is known.
struct KnownBenchmarks {
  /// One benchmark that a family describes.
  struct Known {
    std::string id;            ///< family/op/variant/params
    std::string metric_class;  ///< one of result::classes
  };
  std::vector<Known> benchmarks;    ///< each once for every class of its metrics
  std::vector<std::string> silent;  ///< families that could not say what they measure, by name
};

/// What one call has seen: every metric that it judged, measured or compared with.
struct SeenMetrics {
  std::set<std::string> keys;        ///< result::metric_key, and "class/CLASS" of each class among them
  std::set<std::string> classes;     ///< of these metrics
  std::set<std::string> benchmarks;  ///< ids that were measured: a metric of each is there
  std::set<std::string> physical;    ///< what only the physical judge speaks of: no policy reaches it

  /// A metric, or with a `key` that begins with "class/" a class mean.
  void add(const std::string& key, const std::string& metric_class);
  /// A metric as nodes are compared by it: they have no class means.
  void add(const PeerForm& form);
  /// The metrics of runs that were measured now, whether they are judged or only recorded.
  void add_measured(const std::vector<result::Run>& runs);
  /// Those of runs that are compared with.
  void add_reference(const std::vector<result::Run>& runs);
  /// What the judges spoke of.
  void add(const std::vector<Verdict>& verdicts);
};

/// Before anything is measured: throws result::UsageError for an entry of `policy.metrics` that can match
/// neither a metric of a known benchmark nor a class mean, whatever the benchmark's metrics are called.
void require_possible(const Policy& policy, const KnownBenchmarks& known);

/// Afterwards: throws result::UsageError for an entry that matches nothing of `seen`, unless a known
/// benchmark for which it is possible was not measured. Without `known`, what was seen is all there is.
void require_matches(const Policy& policy, const SeenMetrics& seen, const KnownBenchmarks& known = {});

}  // namespace gpugauge::judge

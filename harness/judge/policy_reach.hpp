// Checks which metrics the entries of a policy match. An entry that matches none is refused, since the site
// would rely on a rule that never applies.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "judge/peer_round.hpp"

namespace gpugauge::judge {

/// The benchmarks that can be measured here, as far as known.
struct KnownBenchmarks {
  /// One benchmark described by a family.
  struct Known {
    std::string id;            ///< family/op/variant/params
    std::string metric_class;  ///< one of result::classes
  };
  std::vector<Known> benchmarks;    ///< one entry per benchmark and class of its metrics
  std::vector<std::string> silent;  ///< families that could not list their benchmarks, by name
};

/// Everything that one call judged, measured or compared with.
struct SeenMetrics {
  std::set<std::string> keys;        ///< result::metric_key, and "class/CLASS" for each class
  std::set<std::string> classes;     ///< classes of these metrics
  std::set<std::string> benchmarks;  ///< ids of measured benchmarks: `keys` holds a metric of each
  std::set<std::string>
      physical;  ///< names that only the physical judge uses; a policy may excuse site_settings

  /// Adds a metric, or a class mean if `key` begins with "class/".
  void add(const std::string& key, const std::string& metric_class);
  /// Adds a metric of the comparison of nodes, which has no class means.
  void add(const PeerForm& form);
  /// Adds the metrics of runs measured now, judged or recorded only.
  void add_measured(const std::vector<result::Run>& runs);
  /// Adds the metrics of the runs compared with.
  void add_reference(const std::vector<result::Run>& runs);
  /// Adds the metrics of these verdicts.
  void add(const std::vector<Verdict>& verdicts);
};

/// Checks before measuring: throws result::UsageError for an entry of `policy.metrics` that can match neither
/// a metric of a known benchmark (whatever its metric names), nor a class mean, nor one of site_settings.
void require_possible(const Policy& policy, const KnownBenchmarks& known);

/// Checks after measuring: throws result::UsageError for an entry that matches nothing in `seen`, unless it
/// could match a known benchmark that was not measured. Without `known`, only `seen` counts.
void require_matches(const Policy& policy, const SeenMetrics& seen, const KnownBenchmarks& known = {});

}  // namespace gpugauge::judge

// The numbers of devices, fingerprints and metrics.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "store/database.hpp"

namespace gpugauge::store {

/// Made in a transaction each, in the order of their names: two writers that make the same ones wait for each
/// other and never in a circle. What a writer leaves behind that dies before its runs are in is harmless.
class Ids {
 public:
  explicit Ids(Database& database) : database_(database) {}  ///< Knows none yet. `database` must live longer.

  /// Makes those that the records need and the store lacks, and says which metrics count in some run. Reads
  /// and adds rows, and changes none: who ingests may have no other right.
  void make(const std::vector<Record>& records);

  /// Throws std::out_of_range unless make() saw its node and identity.
  long long device(const Record& record) const { return devices_.at({record.node, record.identity}); }
  /// Throws std::out_of_range unless make() saw its facts.
  long long fingerprint(const Record& record) const { return fingerprints_.at(record.facts_hash); }
  /// Throws std::out_of_range unless make() saw it.
  long long metric(const judge::PeerForm& metric) const { return metrics_.at(metric); }

 private:
  using Place = std::pair<std::string, std::string>;
  /// By everything that makes a metric; a key with two units is two metrics.
  struct Before {
    bool operator()(const judge::PeerForm& a, const judge::PeerForm& b) const {
      const auto order = a.key.compare(b.key);
      if (order != 0) return order < 0;
      return std::tie(a.benchmark, a.metric_class, a.unit, a.better) <
             std::tie(b.benchmark, b.metric_class, b.unit, b.better);
    }
  };

  long long make_device(const Place& place);
  long long make_fingerprint(const std::string& hash, const std::string& facts);
  /// With its row in `statistic`, which says what the first record with the metric says, and in `counted`
  /// where an older version made it.
  long long make_metric(const judge::PeerForm& metric, const std::string& statistic);
  /// The metrics that count in these records get their row in `counted`.
  void mark_counted(const std::vector<Record>& records);
  void count(long long metric);

  Database& database_;
  std::map<Place, long long> devices_;
  std::map<std::string, long long> fingerprints_;  ///< by hash
  std::map<judge::PeerForm, long long, Before> metrics_;
  std::set<long long> counted_;  ///< metrics that have that row
};

}  // namespace gpugauge::store

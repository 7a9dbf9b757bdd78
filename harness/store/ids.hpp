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

/// Each id is made in its own transaction, in the order of the names. Two writers that make the same ids
/// therefore wait for each other but never deadlock. Ids left by a writer that died before it stored its runs
/// are harmless.
class Ids {
 public:
  explicit Ids(Database& database) : database_(database) {}  ///< Knows none yet. `database` must live longer.

  /// Makes the ids that the records need and the store lacks, and marks which metrics count in some run. Only
  /// reads and inserts rows: a role that ingests may have no right to update.
  void make(const std::vector<Record>& records);

  /// Throws std::out_of_range unless make() saw its node and identity.
  long long device(const Record& record) const { return devices_.at({record.node, record.identity}); }
  /// Throws std::out_of_range unless make() saw its facts.
  long long fingerprint(const Record& record) const { return fingerprints_.at(record.facts_hash); }
  /// Throws std::out_of_range unless make() saw it.
  long long metric(const judge::PeerForm& metric) const { return metrics_.at(metric); }

 private:
  using Place = std::pair<std::string, std::string>;
  /// Orders by all fields of a metric; the same key with two units is two metrics.
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
  /// Also writes its row in `statistic`, with the value of the first record that has the metric. Writes its
  /// row in `counted` if an older version made the metric.
  long long make_metric(const judge::PeerForm& metric, const std::string& statistic);
  /// Adds a row in `counted` for each metric that counts in these records.
  void mark_counted(const std::vector<Record>& records);
  void count(long long metric);

  Database& database_;
  std::map<Place, long long> devices_;
  std::map<std::string, long long> fingerprints_;  ///< by hash
  std::map<judge::PeerForm, long long, Before> metrics_;
  std::set<long long> counted_;  ///< metrics that have that row
};

}  // namespace gpugauge::store

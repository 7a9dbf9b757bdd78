// The numbers of devices, fingerprints and metrics.
#pragma once

#include <map>
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
  explicit Ids(Database& database) : database_(database) {}

  /// Makes those that the records need and the store lacks.
  void make(const std::vector<Record>& records);

  long long device(const Record& record) const { return devices_.at({record.node, record.identity}); }
  long long fingerprint(const Record& record) const { return fingerprints_.at(record.facts_hash); }
  long long metric(const judge::PeerForm& metric) const { return metrics_.at(form(metric)); }

 private:
  using Place = std::pair<std::string, std::string>;
  using Form = std::tuple<std::string, std::string, std::string, std::string, std::string>;

  static Form form(const judge::PeerForm& metric) {
    return {metric.key, metric.benchmark, metric.metric_class, metric.unit,
            std::string(to_string(metric.better))};
  }

  long long make_device(const Place& place);
  long long make_fingerprint(const std::string& hash, const std::string& facts);
  long long make_metric(const Form& metric);

  Database& database_;
  std::map<Place, long long> devices_;
  std::map<std::string, long long> fingerprints_;  ///< by hash
  std::map<Form, long long> metrics_;
};

}  // namespace gpugauge::store

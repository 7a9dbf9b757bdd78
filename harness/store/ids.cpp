#include "store/ids.hpp"

#include <memory>
#include <set>

namespace gpugauge::store {
namespace {

using soci::into;
using soci::use;

/// Makes what `wanted` names (keys, or pairs of key and content) and `known` lacks. It counts as known once
/// committed.
template <typename Wanted, typename Known, typename Make>
void make_missing(Database& database, const Wanted& wanted, Known& known, const Make& make) {
  Known made;
  std::unique_ptr<Transaction> transaction;
  for (const auto& [key, content] : wanted) {
    if (known.contains(key)) continue;
    if (!transaction) transaction = std::make_unique<Transaction>(database);
    made.emplace(key, make(key, content));
  }
  if (transaction) transaction->commit();
  known.merge(made);
}

}  // namespace

void Ids::make(const std::vector<Record>& records) {
  std::map<Place, bool> devices;
  std::map<std::string, const std::string*> fingerprints;
  std::map<judge::PeerForm, std::string, Before> metrics;  // with their statistics
  for (const Record& record : records) {
    devices.emplace(Place{record.node, record.identity}, true);
    fingerprints.emplace(record.facts_hash, &record.facts);
    for (const Measured& measured : record.measured)
      if (!metrics_.contains(measured.form)) metrics.emplace(measured.form, measured.statistic);
  }
  make_missing(database_, devices, devices_, [&](const Place& place, bool) { return make_device(place); });
  make_missing(
      database_, fingerprints, fingerprints_,
      [&](const std::string& hash, const std::string* facts) { return make_fingerprint(hash, *facts); });
  make_missing(database_, metrics, metrics_,
               [&](const judge::PeerForm& metric, const std::string& statistic) {
                 return make_metric(metric, statistic);
               });
  mark_counted(records);
}

long long Ids::make_device(const Place& place) {
  const auto& [node, identity] = place;
  long long id = 0;
  database_.sql() << "INSERT INTO device (node, identity) VALUES (:n, :i) ON CONFLICT DO NOTHING", use(node),
      use(identity);
  database_.sql() << "SELECT id FROM device WHERE node = :n AND identity = :i", use(node), use(identity),
      into(id);
  return id;
}

long long Ids::make_fingerprint(const std::string& hash, const std::string& facts) {
  long long id = 0;
  database_.sql() << "INSERT INTO fingerprint (hash, facts) VALUES (:h, :f) ON CONFLICT DO NOTHING",
      use(hash), use(facts);
  database_.sql() << "SELECT id FROM fingerprint WHERE hash = :h", use(hash), into(id);
  return id;
}

long long Ids::make_metric(const judge::PeerForm& metric, const std::string& statistic) {
  const std::string better(to_string(metric.better));
  const std::string key = database_.kept_name(metric.key);
  const std::string benchmark = database_.kept_name(metric.benchmark);
  long long id = 0;
  const auto found = [&] {
    database_.sql() << "SELECT id FROM metric WHERE metric_key = :k AND benchmark = :b AND class = :c AND "
                       "unit = :u AND better = :d",
        use(key), use(benchmark), use(metric.metric_class), use(metric.unit), use(better), into(id);
    return database_.sql().got_data();
  };
  // Looks first: PostgreSQL consumes an id even for a row that is not inserted.
  const bool known = found();
  if (!known) {
    database_.sql() << "INSERT INTO metric (metric_key, benchmark, class, unit, better) VALUES (:k, :b, :c, "
                       ":u, :d) ON CONFLICT DO NOTHING",
        use(key), use(benchmark), use(metric.metric_class), use(metric.unit), use(better);
    found();
  }
  soci::statement insert = (database_.sql().prepare << "INSERT INTO statistic (metric, name) VALUES (:m, :n) "
                                                       "ON CONFLICT DO NOTHING",
                            use(id), use(statistic));
  insert.execute(true);
  // A metric without this row was made by an older version, which stored only metrics that count.
  if (known && insert.get_affected_rows() == 1) count(id);
  return id;
}

void Ids::count(long long metric) {
  database_.sql() << "INSERT INTO counted (metric) VALUES (:m) ON CONFLICT DO NOTHING", use(metric);
}

void Ids::mark_counted(const std::vector<Record>& records) {
  std::set<long long> fresh;  // ordered, so that two writers never deadlock
  for (const Record& record : records)
    for (const Measured& measured : record.measured)
      if (measured.form.judged)
        if (const long long id = metric(measured.form); !counted_.contains(id)) fresh.insert(id);
  if (fresh.empty()) return;
  Transaction transaction(database_);
  for (const long long id : fresh) count(id);
  transaction.commit();
  counted_.merge(fresh);
}

}  // namespace gpugauge::store

// Stores records in the database.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "baseline/digest.hpp"
#include "baseline/log.hpp"
#include "judge/one_machine.hpp"
#include "result/device_kind.hpp"
#include "result/time.hpp"
#include "store/database.hpp"
#include "store/ids.hpp"

namespace gpugauge::store {
namespace {

using soci::into;
using soci::use;

judge::Sighting sighting_of(const Record& record) {
  const double began = result::unix_seconds(record.started).value_or(0);
  return {record.boot_id, record.host_identity, began, began + record.wall_seconds, record.host_name};
}

/// Sightings of the record's node in other or unknown boots, within the time that are_two_machines considers.
/// For an unnamed node only hosts are searched: a device with an identity of its own is distinguished by
/// that.
std::vector<judge::Sighting> other_boots(Database& database, const Record& record) {
  constexpr double day = 86400;
  const judge::Sighting own = sighting_of(record);
  const std::string from = result::utc_text(std::max(0., own.began - day));
  const std::string until = result::utc_text(own.ended + day);
  std::vector<judge::Sighting> out;
  std::string boot, started, facts;
  double wall_seconds = 0;
  long long fingerprint = 0;
  soci::statement statement =
      (database.sql().prepare << "SELECT r.boot_id, r.started, r.wall_seconds, f.id, f.facts FROM device d "
                                 "JOIN run r ON r.device = "
                                 "d.id JOIN fingerprint f ON f.id = r.fingerprint WHERE d.node = :node AND "
                                 "r.started >= :since AND "
                                 "r.started < :until AND (r.boot_id <> :boot OR :unknown = '') AND (d.node "
                                 "<> '' OR d.identity = "
                                 "'host')",
       use(record.node), use(from), use(until), use(record.boot_id), use(record.boot_id), into(boot),
       into(started), into(wall_seconds), into(fingerprint), into(facts));
  statement.execute();
  while (statement.fetch())
    out.push_back(judge::sighting_of(
        boot, fingerprint_from(facts, fmt::format("{}: fingerprint {}", database.name(), fingerprint)),
        started, wall_seconds));
  return out;
}

/// Detects records of another machine under the same node name.
class Machines {
 public:
  explicit Machines(Database& database) : database_(database) {}

  /// Call for each record in turn: earlier ones count as stored.
  bool is_another(const Record& record) {
    if (!record.named_by_folder || (record.node.empty() && !result::is_host(record.identity))) return false;
    if (record.boot_id.empty() && record.host_name.empty()) return false;
    int known = 0;
    database_.sql() << "SELECT count(*) FROM run WHERE content_hash = :hash", use(record.content_hash),
        into(known);
    if (known > 0) return false;
    const judge::Sighting own = sighting_of(record);
    std::vector<judge::Sighting>& here = taken_[record.node];
    std::vector<judge::Sighting> others = other_boots(database_, record);
    others.insert(others.end(), here.begin(), here.end());
    const bool another = std::any_of(others.begin(), others.end(), [&](const judge::Sighting& other) {
      return judge::are_two_machines(own, other);
    });
    if (!another) here.push_back(own);
    return another;
  }

 private:
  Database& database_;
  std::map<std::string, std::vector<judge::Sighting>> taken_;  ///< by node
};

/// Lets one transaction at a time ask for the machines of a node and store what it found. Of SQLite a
/// transaction that writes is the only one.
void lock_nodes(Database& database, const std::vector<Record>& records) {
  if (!database.postgresql()) return;
  std::set<std::int32_t> keys;  // sorted, so that two writers never deadlock
  for (const Record& record : records) {
    const std::string digest = baseline::sha256(record.node);
    keys.insert(static_cast<std::int32_t>(std::stoul(digest.substr(0, 8), nullptr, 16)));
  }
  const std::string text = fmt::format("{{{}}}", fmt::join(keys, ","));
  // We chose the number; schema.cpp locks another space of keys.
  int locked = 0;
  database.sql() << "SELECT count(*) FROM (SELECT pg_advisory_xact_lock(4707203, key) FROM unnest(CAST(:keys "
                    "AS integer[])) AS given (key)) AS locked",
      use(text), into(locked);
}

/// Stores a run's own row. Returns its id, or 0 if the store already has the run; `outcome` then says how.
long long store_run(Database& database, const Ids& ids, const Record& record, Outcome& outcome) {
  const long long device = ids.device(record);
  const long long fingerprint = ids.fingerprint(record);
  const int complete = record.peer.complete ? 1 : 0;
  const std::string now = result::utc_now();
  soci::session& sql = database.sql();
  soci::statement insert =
      (sql.prepare << "INSERT INTO run (content_hash, run_id, source, device, fingerprint, kind, peer, "
                      "started, profile, selection, round, complete, partial_reason, boot_id, wall_seconds, "
                      "ingested) VALUES (:hash, :run_id, :source, :device, :fingerprint, :kind, :peer, "
                      ":started, :profile, :selection, :round, :complete, :partial, :boot, :wall, :now) ON "
                      "CONFLICT DO NOTHING",
       use(record.content_hash), use(record.peer.id), use(record.source), use(device), use(fingerprint),
       use(record.peer.kind), use(record.peer.node), use(record.started), use(record.profile),
       use(record.peer.device), use(record.round), use(complete), use(record.peer.partial_reason),
       use(record.boot_id), use(record.wall_seconds), use(now));
  insert.execute(true);
  const bool added = insert.get_affected_rows() == 1;
  long long id = 0;
  sql << "SELECT id FROM run WHERE content_hash = :hash", use(record.content_hash), into(id);
  if (added) {
    outcome = Outcome::stored;
    return id;
  }
  outcome = sql.got_data() ? Outcome::known : Outcome::changed;
  return 0;
}

void store_faults(Database& database, long long run, const std::vector<judge::PeerFault>& faults) {
  int position = 0;
  for (const judge::PeerFault& fault : faults) {
    const std::string status(to_string(fault.status));
    database.sql() << "INSERT INTO fault (run, position, subject, status, reason) VALUES (:run, :position, "
                      ":subject, :status, :reason)",
        use(run), use(position), use(fault.what), use(status), use(fault.reason);
    ++position;
  }
}

void store_health(Database& database, long long run, const std::vector<judge::Verdict>& health) {
  int position = 0;
  for (const judge::Verdict& verdict : health) {
    const std::string kind(to_string(verdict.kind));
    database.sql() << "INSERT INTO health (run, position, subject, verdict, reason) VALUES (:run, :position, "
                      ":subject, :verdict, :reason)",
        use(run), use(position), use(verdict.metric), use(kind), use(verdict.reason);
    ++position;
  }
}

void store_checksums(Database& database, long long run, const judge::Checksums& checksums) {
  for (const auto& [name, values] : checksums) {
    const std::string benchmark = database.kept_name(name);
    for (const std::string& value : values)
      database.sql() << "INSERT INTO checksum (run, benchmark, value) VALUES (:run, :benchmark, :value) ON "
                        "CONFLICT DO NOTHING",
          use(run), use(benchmark), use(value);
  }
}

/// Stores the benchmark selection: names as the store keeps them, sorted; none = everything.
void store_choice(Database& database, long long run, const std::vector<std::string>& only) {
  nlohmann::json names = nlohmann::json::array();
  for (const std::string& benchmark : only) names.push_back(database.kept_name(benchmark));
  std::sort(names.begin(), names.end());
  const std::string text = names.dump();
  database.sql() << "INSERT INTO choice (run, benchmarks) VALUES (:run, :names)", use(run), use(text);
}

/// Writes each number with the fewest digits that read back exactly.
std::string json_array(const std::vector<double>& values) {
  return fmt::format("[{}]", fmt::join(values, ","));
}

}  // namespace

std::vector<Outcome> Store::ingest(const std::vector<Record>& records,
                                   std::map<std::size_t, std::string>* refusals) {
  try {
    return ingest_together(records);
  } catch (const RefusedContent&) {  // nothing says which record was refused
    if (refusals == nullptr) throw;
    std::vector<Outcome> outcomes;
    for (std::size_t at = 0; at < records.size(); ++at) {
      try {
        outcomes.push_back(ingest_together({records[at]}).front());
      } catch (const RefusedContent& error) {
        outcomes.push_back(Outcome::refused);
        refusals->emplace(at, error.what());
      }
    }
    return outcomes;
  }
}

std::vector<Outcome> Store::ingest_together(const std::vector<Record>& records) {
  return database_->guarded([&] {
    if (!ids_) ids_ = std::make_unique<Ids>(*database_);
    const Ids& ids = *ids_;
    ids_->make(records);
    // Sorted by content, so that two writers of the same files in different order never deadlock.
    std::vector<std::size_t> order(records.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::tie(records[a].content_hash, a) < std::tie(records[b].content_hash, b);
    });
    std::vector<Outcome> outcomes(records.size(), Outcome::known);
    Transaction transaction(*database_);
    lock_nodes(*database_, records);
    Machines machines(*database_);
    for (std::size_t at = 0; at < records.size(); ++at)
      if (machines.is_another(records[at])) outcomes[at] = Outcome::other_machine;
    Measurements rows;
    RecordedOnly recorded;
    for (const std::size_t at : order) {
      if (outcomes[at] == Outcome::other_machine) continue;
      const Record& record = records[at];
      const long long run = store_run(*database_, ids, record, outcomes[at]);
      if (outcomes[at] != Outcome::stored) continue;
      store_faults(*database_, run, record.peer.faults);
      store_health(*database_, run, record.peer.health);
      store_checksums(*database_, run, record.peer.checksums);
      store_choice(*database_, run, record.peer.only);
      for (const Measured& measured : record.measured) {
        const long long metric = ids.metric(measured.form);
        if (measured.form.judged) {
          rows.runs.push_back(run);
          rows.metrics.push_back(metric);
          rows.medians.push_back(measured.median);
          rows.values.push_back(json_array(measured.values));
        }
        if (!measured.form.judged || !measured.recorded.empty()) {
          recorded.runs.push_back(run);
          recorded.metrics.push_back(metric);
          recorded.values.push_back(json_array(measured.recorded));
          recorded.notes.push_back(measured.not_judged);
        }
      }
    }
    insert(*database_, rows);
    insert(*database_, recorded);
    transaction.commit();
    database_->require_in_place();
    return outcomes;
  });
}

void Store::count_rows(std::size_t values) {
  database_->guarded([&] {
    if (!database_->postgresql() || values == 0) return;
    soci::session& sql = database_->sql();
    double counted = 0;  // below 1 if nobody has analysed it
    sql << "SELECT reltuples FROM pg_class WHERE oid = to_regclass('gpugauge.measurement')", into(counted);
    constexpr double share = .1;  // autovacuum's own share
    if (static_cast<double>(values) < share * counted) return;
    // For tables of other roles the server only warns.
    constexpr int most = 100;
    std::vector<std::string> tables(most);
    sql << "SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = to_regnamespace('gpugauge') AND "
           "relkind = 'r' AND "
           "pg_has_role(relowner, 'USAGE')",
        into(tables);
    for (const std::string& table : tables) sql << "ANALYZE gpugauge." + table;
  });
}

}  // namespace gpugauge::store

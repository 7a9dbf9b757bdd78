// One night of a fleet, as the comparison of nodes reads it.
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "baseline/fields.hpp"
#include "result/error.hpp"
#include "store/database.hpp"

namespace gpugauge::store {
namespace {

using soci::into;
using soci::use;

constexpr std::size_t batch = 8192;

struct Night {
  std::string from;
  std::string to;
};

/// Of each fingerprint of a night, the sources that a node may lack. The fingerprints differ from node to
/// node and are large: only this part of each is taken.
std::map<long long, std::map<std::string, std::string>> read_source_hashes(Database& database,
                                                                           const std::string& store,
                                                                           const Night& night) {
  std::map<long long, std::map<std::string, std::string>> out;
  long long id = 0;
  std::string facts;
  soci::statement statement =
      (database.sql().prepare << "SELECT id, facts FROM fingerprint WHERE id IN (SELECT fingerprint FROM run "
                                 "WHERE started >= :since AND started < :until AND round = 1)",
       use(night.from), use(night.to), into(id), into(facts));
  statement.execute();
  while (statement.fetch()) {
    result::Facts suite = suite_from(facts, fmt::format("{}: fingerprint {}", store, id));
    std::erase_if(suite, [](const auto& fact) {
      return baseline::role_of("suite", fact.first) != baseline::Role::must_in_common;
    });
    out.emplace(id, std::move(suite));
  }
  return out;
}

/// The rounds of a night without values, and where each run's round stands.
std::map<long long, std::size_t> read_rounds(Database& database, Store& store, const Night& night,
                                             const TakeFacts& take, judge::PeersInput& out) {
  std::map<long long, std::size_t> places;
  std::map<std::string, std::shared_ptr<const result::Fingerprint>> kinds;
  std::vector<long long> fingerprints;
  std::vector<std::pair<std::string, std::string>> devices;  // node and identity, one a round
  std::map<std::string, std::set<std::string>> identities;   // by node
  {
    long long id = 0, fingerprint = 0;
    int complete = 0;
    std::string node, identity, peer, run_id, source, selection, partial, kind;
    soci::statement statement =
        (database.sql().prepare
             << "SELECT r.id, d.node, d.identity, r.peer, r.run_id, r.source, r.selection, r.complete, "
                "r.partial_reason, r.kind, r.fingerprint FROM run r JOIN device d ON d.id = r.device WHERE "
                "r.started >= :since AND r.started < :until AND r.round = 1 ORDER BY r.started, r.run_id",
         use(night.from), use(night.to), into(id), into(node), into(identity), into(peer), into(run_id),
         into(source), into(selection), into(complete), into(partial), into(kind), into(fingerprint));
    statement.execute();
    while (statement.fetch()) {
      judge::PeerRound round;
      round.node = peer;
      devices.emplace_back(node, identity);
      identities[node].insert(identity);
      round.file = source;
      round.id = run_id;
      round.device = selection;
      round.complete = complete != 0;
      round.partial_reason = partial;
      round.kind = kind;
      round.host = node;
      places.emplace(id, out.rounds.size());
      out.rounds.push_back(std::move(round));
      fingerprints.push_back(fingerprint);
    }
  }
  const auto hashes = read_source_hashes(database, store.name(), night);
  for (std::size_t i = 0; i < out.rounds.size(); ++i) {
    judge::PeerRound& round = out.rounds[i];
    // Several cards of a node are told apart by their own names.
    const auto& [node, identity] = devices[i];
    round.label = node.empty()                      ? identity
                  : identities.at(node).size() == 1 ? node
                                                    : fmt::format("{} {}", node, identity);
    round.source_hashes = hashes.at(fingerprints[i]);
    if (take) take(round.kind, store.fingerprint(fingerprints[i]));
    auto& shared = kinds[round.kind];
    if (!shared) shared = std::make_shared<const result::Fingerprint>(store.fingerprint(fingerprints[i]));
    round.fingerprint = shared;
  }
  return places;
}

void read_values(Database& database, const Night& night, const std::map<long long, std::size_t>& places,
                 const std::vector<std::uint32_t>& metric_places, judge::PeersInput& out) {
  std::vector<long long> run(batch), metric(batch);
  std::vector<double> median(batch);
  // In the order of the largest table's key: each run's values lie side by side.
  soci::statement statement =
      (database.sql().prepare << "SELECT m.run, m.metric, m.median FROM run r JOIN measurement m ON m.run = "
                                 "r.id WHERE r.started >= :since AND r.started < :until AND r.round = 1",
       use(night.from), use(night.to), into(run), into(metric), into(median));
  statement.execute();
  auto place = places.end();
  while (true) {
    run.resize(batch);
    metric.resize(batch);
    median.resize(batch);
    if (!statement.fetch()) return;
    for (std::size_t i = 0; i < run.size(); ++i) {
      if (place == places.end() || place->first != run[i]) place = places.find(run[i]);
      if (place == places.end()) continue;  // came in between the two questions
      out.rounds[place->second].values.emplace_back(metric_places.at(static_cast<std::size_t>(metric[i])),
                                                    median[i]);
    }
  }
}

void read_faults(Database& database, const Night& night, const std::map<long long, std::size_t>& places,
                 judge::PeersInput& out) {
  long long run = 0;
  std::string subject, status, reason;
  soci::statement statement =
      (database.sql().prepare
           << "SELECT f.run, f.subject, f.status, f.reason FROM run r JOIN fault f ON f.run "
              "= r.id WHERE r.started >= :since AND r.started < :until AND r.round = 1 "
              "ORDER BY f.run, f.position",
       use(night.from), use(night.to), into(run), into(subject), into(status), into(reason));
  statement.execute();
  while (statement.fetch())
    if (const auto place = places.find(run); place != places.end())
      out.rounds[place->second].faults.push_back({subject, result::status_from(status), reason});
}

void read_checksums(Database& database, const Night& night, const std::map<long long, std::size_t>& places,
                    judge::PeersInput& out) {
  long long run = 0;
  std::string benchmark, value;
  soci::statement statement =
      (database.sql().prepare
           << "SELECT c.run, c.benchmark, c.value FROM run r JOIN checksum c ON c.run = r.id WHERE r.started "
              ">= :since AND r.started < :until AND r.round = 1 ORDER BY c.run, c.benchmark, c.value",
       use(night.from), use(night.to), into(run), into(benchmark), into(value));
  statement.execute();
  while (statement.fetch())
    if (const auto place = places.find(run); place != places.end())
      out.rounds[place->second].checksums[benchmark].push_back(value);
}

}  // namespace

judge::PeersInput Store::night(const std::string& day, const TakeFacts& facts) {
  if (!is_day(day)) throw result::UsageError(fmt::format("'{}' is no day; write it as 2026-01-31", day));
  const Night night{day, day_after(day)};
  judge::PeersInput out;
  database_->guarded([&] {
    // One view of the store for all questions, whoever writes meanwhile.
    database_->sql() << (database_->postgresql() ? "BEGIN ISOLATION LEVEL REPEATABLE READ" : "BEGIN");
    try {
      const std::vector<Metric> known = metrics();
      std::vector<std::uint32_t> metric_places;
      for (const Metric& metric : known) {
        const auto id = static_cast<std::size_t>(metric.id);
        if (id >= metric_places.size()) metric_places.resize(id + 1);
        metric_places[id] = static_cast<std::uint32_t>(out.metrics.size());
        out.metrics.push_back(metric.form);
      }
      const auto places = read_rounds(*database_, *this, night, facts, out);
      read_values(*database_, night, places, metric_places, out);
      read_faults(*database_, night, places, out);
      read_checksums(*database_, night, places, out);
    } catch (...) {
      database_->sql() << "ROLLBACK";
      throw;
    }
    database_->sql() << "COMMIT";
  });
  return out;
}

}  // namespace gpugauge::store

// Reads the rows of a night's rounds from the store.
#include "store/night_rows.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "baseline/fields.hpp"
#include "judge/physical_verdict.hpp"
#include "judge/statistics.hpp"
#include "result/error.hpp"
#include "result/occupied.hpp"
#include "result/run_file.hpp"
#include "result/time.hpp"

namespace gpugauge::store {
namespace {

using soci::into;
using soci::use;

constexpr std::size_t rows_at_once = 8192;

/// Gives each round the needed part of its facts. Facts are large and differ between nodes, so each row is
/// read once, and only those that represent a kind are kept.
void read_facts(Database& database, const Night& night,
                const std::map<long long, std::vector<std::size_t>>& fingerprints, const TakeFacts& take,
                std::vector<judge::PeerRound>& rounds) {
  std::map<std::string, std::shared_ptr<const result::Fingerprint>> kinds;
  long long id = 0;
  std::string text;
  soci::statement statement =
      (database.sql().prepare << "SELECT id, facts FROM fingerprint WHERE id IN (SELECT fingerprint FROM run "
                                 "WHERE started >= :since AND started < :until)",
       use(night.from), use(night.to), into(id), into(text));
  statement.execute();
  while (statement.fetch()) {
    const auto found = fingerprints.find(id);
    if (found == fingerprints.end()) continue;
    const result::Fingerprint facts =
        fingerprint_from(text, fmt::format("{}: fingerprint {}", database.name(), id));
    result::Facts hashes = facts.suite;
    std::erase_if(hashes, [](const auto& fact) {
      return baseline::role_of("suite", fact.first) != baseline::Role::must_in_common;
    });
    for (const std::size_t i : found->second) {
      judge::PeerRound& round = rounds[i];
      round.source_hashes = hashes;
      auto& shared = kinds[round.kind];
      if (!shared) shared = std::make_shared<const result::Fingerprint>(facts);
      round.fingerprint = shared;
      if (take) take(round, facts);
    }
  }
  for (const judge::PeerRound& round : rounds)
    if (!round.fingerprint)
      throw result::FileError(fmt::format(
          "the store {}: the fingerprint of the run {} is missing, so the store is damaged: make it "
          "again from the run files with `gpugauge history ingest`",
          database.name(), round.id));
}

/// Maps a metric's id to the index of its form.
class Forms {
 public:
  Forms(const std::vector<Metric>& known, std::vector<judge::PeerForm>& forms) {
    for (const Metric& metric : known) {
      places_.emplace(metric.id, static_cast<std::uint32_t>(forms.size()));
      forms.push_back(metric.form);
      forms.back().judged = false;  // until a value in these rounds counts
    }
  }

  std::uint32_t operator[](long long metric) const {
    const auto place = places_.find(metric);
    if (place == places_.end())
      throw std::out_of_range(fmt::format("a value of a metric {} that is missing", metric));
    return place->second;
  }

 private:
  std::unordered_map<long long, std::uint32_t> places_;
};

void read_values(Database& database, const Night& night, const std::map<long long, std::size_t>& places,
                 const Forms& forms, judge::PeersInput& out) {
  std::vector<long long> run(rows_at_once), metric(rows_at_once);
  std::vector<double> median(rows_at_once);
  std::vector<std::string> values(rows_at_once);
  // In the key order of the largest table, where each run's values are adjacent.
  soci::statement statement =
      (database.sql().prepare << "SELECT m.run, m.metric, m.median, m.process_values FROM run r JOIN "
                                 "measurement m ON m.run = r.id WHERE r.started >= :since AND r.started < "
                                 ":until",
       use(night.from), use(night.to), into(run), into(metric), into(median), into(values));
  statement.execute();
  auto place = places.end();
  while (true) {
    run.resize(rows_at_once);
    metric.resize(rows_at_once);
    median.resize(rows_at_once);
    values.resize(rows_at_once);
    if (!statement.fetch()) return;
    for (std::size_t i = 0; i < run.size(); ++i) {
      if (place == places.end() || place->first != run[i]) place = places.find(run[i]);
      if (place == places.end()) continue;  // the run was added between the two queries
      const std::uint32_t form = forms[metric[i]];
      out.metrics[form].judged = true;
      out.rounds[place->second].values.push_back(
          {.metric = form,
           .by_chance = judge::by_chance(sound_values(values[i]), out.metrics[form].better),
           .value = sound_median(median[i])});
    }
  }
}

/// Call after read_values. Replaces the values of metrics that count in only some processes of a run with
/// those of all processes. Appends metrics that count in none.
void read_recorded(Database& database, const Night& night, const std::map<long long, std::size_t>& places,
                   const Forms& forms, judge::PeersInput& out) {
  using Notes = std::map<std::string, std::string>;
  std::map<std::size_t, Notes> notes;  // by round
  long long run = 0, metric = 0;
  std::string text, note;
  soci::statement statement =
      (database.sql().prepare
           << "SELECT c.run, c.metric, c.process_values, c.note FROM run r JOIN recorded "
              "c ON c.run = r.id WHERE r.started >= :since AND r.started < :until ORDER BY c.run",
       use(night.from), use(night.to), into(run), into(metric), into(text), into(note));
  statement.execute();
  long long looked_at = -1;
  std::unordered_map<std::uint32_t, std::size_t> own;  // positions of counted metrics in the current run
  while (statement.fetch()) {
    const auto place = places.find(run);
    if (place == places.end()) continue;
    judge::PeerRound& round = out.rounds[place->second];
    const std::uint32_t form = forms[metric];
    const judge::PeerForm& known = out.metrics[form];
    if (std::exchange(looked_at, run) != run) {
      own.clear();
      for (std::size_t v = 0; v < round.values.size(); ++v) own.emplace(round.values[v].metric, v);
    }
    const auto counts = own.find(form);
    if (counts == own.end()) notes[place->second].emplace(known.key, note);
    const std::vector<double> values = sound_values(text);
    if (values.empty()) continue;
    const judge::PeerValue value{form, judge::by_chance(values, known.better), judge::median(values)};
    if (counts != own.end()) {
      round.values[counts->second] = value;
    } else {
      round.values.push_back(value);
      ++round.recorded_values;
    }
  }
  std::map<Notes, std::shared_ptr<const Notes>> kept;  // equal notes are shared between runs
  for (auto& [round, of_round] : notes) {
    auto& shared = kept[of_round];
    if (!shared) shared = std::make_shared<const Notes>(std::move(of_round));
    out.rounds[round].recorded = shared;
  }
}

/// A run without a row comes from a version that did not store choices.
void read_choices(Database& database, const Night& night, const std::map<long long, std::size_t>& places,
                  judge::PeersInput& out) {
  long long run = 0;
  std::string names;
  soci::statement statement =
      (database.sql().prepare << "SELECT c.run, c.benchmarks FROM run r JOIN choice c ON c.run = r.id WHERE "
                                 "r.started >= :since AND r.started < :until",
       use(night.from), use(night.to), into(run), into(names));
  statement.execute();
  while (statement.fetch()) {
    const auto place = places.find(run);
    if (place == places.end()) continue;
    judge::PeerRound& round = out.rounds[place->second];
    round.only = sound_names(names);
    round.choice_known = true;
  }
}

void read_faults(Database& database, const Night& night, const std::map<long long, std::size_t>& places,
                 judge::PeersInput& out) {
  long long run = 0;
  std::string subject, status, reason;
  soci::statement statement =
      (database.sql().prepare
           << "SELECT f.run, f.subject, f.status, f.reason FROM run r JOIN fault f ON f.run "
              "= r.id WHERE r.started >= :since AND r.started < :until "
              "ORDER BY f.run, f.position",
       use(night.from), use(night.to), into(run), into(subject), into(status), into(reason));
  statement.execute();
  while (statement.fetch())
    if (const auto place = places.find(run); place != places.end()) {
      const result::Status kind = result::status_from(status);
      out.rounds[place->second].faults.push_back({subject, kind, reason, result::occupied(kind, reason)});
    }
}

/// A run from a version that did not store health has no row, like one that tells nothing of it.
void read_health(Database& database, const Night& night, const std::map<long long, std::size_t>& places,
                 judge::PeersInput& out) {
  long long run = 0;
  std::string subject, verdict, reason;
  soci::statement statement =
      (database.sql().prepare
           << "SELECT h.run, h.subject, h.verdict, h.reason FROM run r JOIN health h ON h.run = r.id WHERE "
              "r.started >= :since AND r.started < :until ORDER BY h.run, h.position",
       use(night.from), use(night.to), into(run), into(subject), into(verdict), into(reason));
  statement.execute();
  while (statement.fetch())
    if (const auto place = places.find(run); place != places.end())
      out.rounds[place->second].health.push_back(
          judge::physical_verdict(subject, sound_health(verdict), reason));
}

void read_checksums(Database& database, const Night& night, const std::map<long long, std::size_t>& places,
                    judge::PeersInput& out) {
  long long run = 0;
  std::string benchmark, value;
  soci::statement statement =
      (database.sql().prepare
           << "SELECT c.run, c.benchmark, c.value FROM run r JOIN checksum c ON c.run = r.id WHERE r.started "
              ">= :since AND r.started < :until ORDER BY c.run, c.benchmark, c.value",
       use(night.from), use(night.to), into(run), into(benchmark), into(value));
  statement.execute();
  while (statement.fetch())
    if (const auto place = places.find(run); place != places.end())
      out.rounds[place->second].checksums[benchmark].push_back(value);
}

}  // namespace

Rounds read_rounds(Database& database, const Night& night, judge::PeersInput& out) {
  Rounds read;
  long long id = 0, fingerprint = 0;
  int complete = 0, number = 0;
  std::string started;
  judge::PeerRound round;
  soci::statement statement =
      (database.sql().prepare
           << "SELECT r.id, d.node, d.identity, r.peer, r.run_id, r.source, r.selection, r.boot_id, "
              "r.complete, "
              "r.partial_reason, r.kind, r.fingerprint, r.started, r.round FROM run r JOIN device d ON d.id "
              "= "
              "r.device WHERE "
              "r.started >= :since AND r.started < :until ORDER BY r.started, r.run_id",
       use(night.from), use(night.to), into(id), into(round.host), into(round.label), into(round.node),
       into(round.id), into(round.file), into(round.device), into(round.boot), into(complete),
       into(round.partial_reason), into(round.kind), into(fingerprint), into(started), into(number));
  statement.execute();
  while (statement.fetch()) {
    sound_time(started);
    round.complete = complete != 0;
    round.first = number == 1;
    round.choice_known = false;
    round.started = result::unix_seconds(started);
    read.places.emplace(id, out.rounds.size());
    read.fingerprints[fingerprint].push_back(out.rounds.size());
    out.rounds.push_back(round);
  }
  return read;
}

void read_rows(Database& database, const Night& night, const Rounds& read, const std::vector<Metric>& known,
               const TakeFacts& take, judge::PeersInput& out) {
  const Forms forms(known, out.metrics);
  read_choices(database, night, read.places, out);  // before the facts, which hand rounds to `take`
  read_facts(database, night, read.fingerprints, take, out.rounds);
  read_values(database, night, read.places, forms, out);
  read_recorded(database, night, read.places, forms, out);
  read_faults(database, night, read.places, out);
  read_health(database, night, read.places, out);
  read_checksums(database, night, read.places, out);
}

}  // namespace gpugauge::store

// One night of a fleet, as the comparison of nodes reads it.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "baseline/fields.hpp"
#include "result/error.hpp"
#include "result/run_file.hpp"
#include "result/time.hpp"
#include "store/database.hpp"

namespace gpugauge::store {
namespace {

using soci::into;
using soci::use;

constexpr std::size_t batch = 8192;
constexpr std::int64_t metrics_most = std::int64_t{1} << 24;  // by their numbers, which stay dense
constexpr std::uint32_t no_metric = std::numeric_limits<std::uint32_t>::max();

constexpr std::size_t day_length = std::string_view("2026-01-31").size();
constexpr double hour = 3600;
/// A night begins after a pause of this length, and is no longer than a day before its newest first round.
constexpr double pause = 6 * hour;
constexpr double longest = 24 * hour;

/// [from, to[, days or times, which sort alike.
struct Night {
  std::string from;
  std::string to;
};

std::string first_of(const std::string& days) {
  return days.substr(0, days.find(".."));
}

std::string last_of(const std::string& days) {
  const std::size_t dots = days.find("..");
  return dots == std::string::npos ? days : days.substr(dots + 2);
}

std::string days_of(const std::string& first, const std::string& last) {
  return first == last ? first : fmt::format("{}..{}", first, last);
}

Night night_of(const std::string& days) {
  const std::string first = first_of(days), last = last_of(days);
  const std::string from = is_day(first) || first == days ? first : utc_time(first).value_or("");
  if (!is_day(from.substr(0, day_length)) || !is_day(last))
    throw result::UsageError(fmt::format(
        "'{}' is no night; write it as 2026-01-31, or as 2026-01-31..2026-02-01 with its last day", days));
  if (last < from.substr(0, day_length))
    throw result::UsageError(fmt::format("the night {} ends before it begins", days));
  return {from, day_after(last)};
}

/// A night without values, and where each run's round stands.
struct Rounds {
  std::map<long long, std::size_t> places;
  std::map<long long, std::vector<std::size_t>> fingerprints;  ///< the rounds of each
};

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

/// A run is called as its node; several devices of a node are told apart by their own names, and what has no
/// node's name keeps its identity.
void label_rounds(std::vector<judge::PeerRound>& rounds) {
  std::map<std::string, std::set<std::string>> devices;  // by node
  for (const judge::PeerRound& round : rounds) devices[round.host].insert(round.device);
  for (judge::PeerRound& round : rounds)
    if (!round.host.empty())
      round.label =
          devices[round.host].size() == 1 ? round.host : fmt::format("{} {}", round.host, round.device);
}

/// Gives each round what it needs of its facts. They differ from node to node and are large: each row is read
/// once, and only those that stand for a kind are kept.
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

void read_values(Database& database, const Night& night, const std::map<long long, std::size_t>& places,
                 const std::vector<std::uint32_t>& metric_places, judge::PeersInput& out) {
  std::vector<long long> run(batch), metric(batch);
  std::vector<double> median(batch);
  // In the order of the largest table's key: each run's values lie side by side.
  soci::statement statement =
      (database.sql().prepare << "SELECT m.run, m.metric, m.median FROM run r JOIN measurement m ON m.run = "
                                 "r.id WHERE r.started >= :since AND r.started < :until",
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
      if (place == places.end()) continue;                      // came in between the two questions
      const auto number = static_cast<std::size_t>(metric[i]);  // below 0 it is above every place
      const std::uint32_t metric_place = number < metric_places.size() ? metric_places[number] : no_metric;
      if (metric_place == no_metric)
        throw std::out_of_range(fmt::format("a value of a metric {} that is missing", metric[i]));
      out.rounds[place->second].values.push_back({.metric = metric_place, .value = sound_median(median[i])});
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
              "= r.id WHERE r.started >= :since AND r.started < :until "
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
              ">= :since AND r.started < :until ORDER BY c.run, c.benchmark, c.value",
       use(night.from), use(night.to), into(run), into(benchmark), into(value));
  statement.execute();
  while (statement.fetch())
    if (const auto place = places.find(run); place != places.end())
      out.rounds[place->second].checksums[benchmark].push_back(value);
}

/// The first run of a night, by time, of which `last` is a run.
std::string begin_of(Database& database, const std::string& last) {
  const double newest = result::unix_seconds(last).value_or(0);
  const std::string earliest = result::utc_text(std::max(0., newest - longest));
  std::string begin = last, started;
  double begun = newest;
  soci::statement statement =
      (database.sql().prepare << "SELECT DISTINCT started FROM run WHERE started > :earliest AND started <= "
                                 ":last ORDER BY started DESC",
       use(earliest), use(last), into(started));
  statement.execute();
  while (statement.fetch()) {
    const double time = result::unix_seconds(sound_time(started)).value_or(0);
    if (begun - time >= pause) break;
    begin = started;
    begun = time;
  }
  return begin;
}

/// From the run that began then to the end of the day, as night_of takes it: from its day on where that has
/// no earlier run.
std::string nights_from(Database& database, const std::string& begin, const std::string& last) {
  const std::string day = begin.substr(0, day_length);
  int earlier = 0;
  database.sql() << "SELECT count(*) FROM run WHERE started >= :day AND started < :begin", use(day),
      use(begin), into(earlier);
  return earlier == 0 ? days_of(day, last) : days_of(begin, last);
}

/// The newest night of runs before a time, as night_of takes it; "" where there are none.
std::string newest_before(Database& database, const std::string& bound) {
  std::string measured, newest;  // in this order: meanwhile runs may be added, never taken away
  database.sql() << "SELECT coalesce(max(started), '') FROM run WHERE round = 1 AND started < :bound",
      use(bound), into(measured);
  database.sql() << "SELECT coalesce(max(started), '') FROM run WHERE started < :bound", use(bound),
      into(newest);
  for (const std::string* time : {&measured, &newest})
    if (!time->empty()) sound_time(*time);
  if (newest.empty()) return "";
  return nights_from(database, begin_of(database, measured.empty() ? newest : measured),
                     newest.substr(0, day_length));
}

}  // namespace

judge::PeersInput Store::night(const std::string& days, const TakeFacts& facts) {
  const Night night = night_of(days);
  judge::PeersInput out;
  database_->guarded([&] {
    // One view of the store for all questions, whoever writes meanwhile.
    database_->sql() << (database_->postgresql() ? "BEGIN ISOLATION LEVEL REPEATABLE READ" : "BEGIN");
    try {
      const std::vector<Metric> known = metrics();
      std::vector<std::uint32_t> metric_places;
      for (const Metric& metric : known) {
        if (metric.id < 0 || metric.id >= metrics_most)
          throw std::out_of_range(fmt::format("a metric of the number {}", metric.id));
        const auto id = static_cast<std::size_t>(metric.id);
        if (id >= metric_places.size()) metric_places.resize(id + 1, no_metric);
        metric_places[id] = static_cast<std::uint32_t>(out.metrics.size());
        out.metrics.push_back(metric.form);
      }
      const Rounds read = read_rounds(*database_, night, out);
      label_rounds(out.rounds);
      read_facts(*database_, night, read.fingerprints, facts, out.rounds);
      read_values(*database_, night, read.places, metric_places, out);
      read_faults(*database_, night, read.places, out);
      read_checksums(*database_, night, read.places, out);
    } catch (...) {
      database_->sql() << "ROLLBACK";
      throw;
    }
    database_->sql() << "COMMIT";
  });
  return out;
}

NewestNight Store::newest_night(const std::string& before) {
  return database_->guarded([&] {
    NewestNight out;
    const std::string bound = before.empty() ? end_of_time : before;
    long long later = 0;
    database_->sql() << "SELECT count(*) FROM run WHERE started >= :bound", use(bound), into(later);
    out.later = static_cast<std::size_t>(later);
    if (later > 0)
      database_->sql() << "SELECT source, started FROM run WHERE started >= :bound ORDER BY started DESC, id "
                          "LIMIT 1",
          use(bound), into(out.source), into(out.started);
    out.days = newest_before(*database_, bound);
    if (!out.days.empty() || out.later == 0) return out;
    return NewestNight{newest_before(*database_, end_of_time)};
  });
}

WiderNight Store::with_night_before(const std::string& days) {
  const Night night = night_of(days);
  return database_->guarded([&] {
    judge::PeersInput own;
    read_rounds(*database_, night, own);
    std::set<std::string> kinds;
    std::set<std::pair<std::string, std::string>> there;  // devices by node and identity
    for (const judge::PeerRound& round : own.rounds) {
      kinds.emplace(result::device_kind(round.device));
      there.emplace(round.host, round.label);
    }
    const std::size_t devices = there.size();
    WiderNight out;
    std::string begin = night.from;
    for (std::size_t seen = 0; 2 * seen < devices;) {
      const std::string end = begin;
      begin.clear();
      database_->sql() << "SELECT coalesce(max(started), '') FROM run WHERE started < :end", use(end),
          into(begin);
      if (begin.empty()) break;
      begin = begin_of(*database_, sound_time(begin));
      judge::PeersInput earlier;
      read_rounds(*database_, {begin, end}, earlier);
      std::set<std::pair<std::string, std::string>> of_these;
      for (judge::PeerRound& round : earlier.rounds) {
        if (!kinds.contains(std::string(result::device_kind(round.device)))) continue;
        of_these.emplace(round.host, round.label);
        if (!there.emplace(round.host, round.label).second) continue;
        out.days = nights_from(*database_, begin, last_of(days));
        out.added.push_back(std::move(round));
      }
      seen = std::max<std::size_t>(1, of_these.size());
    }
    // As the night itself calls them: it may hold other devices of their nodes.
    std::move(out.added.begin(), out.added.end(), std::back_inserter(own.rounds));
    label_rounds(own.rounds);
    std::move(own.rounds.end() - static_cast<std::ptrdiff_t>(out.added.size()), own.rounds.end(),
              out.added.begin());
    return out;
  });
}

}  // namespace gpugauge::store

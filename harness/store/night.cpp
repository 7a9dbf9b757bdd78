// Reads one night of a fleet for the comparison of nodes.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "result/device_kind.hpp"
#include "result/error.hpp"
#include "result/run_file.hpp"
#include "result/time.hpp"
#include "store/database.hpp"
#include "store/night_rows.hpp"

namespace gpugauge::store {
namespace {

using soci::into;
using soci::use;

constexpr double hour = 3600;
/// A pause of this length starts a new night. A night reaches back at most a day from its newest first round.
constexpr double pause = 6 * hour;
constexpr double longest = 24 * hour;

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
  const std::string from =
      result::is_day(first) || first == days ? first : result::utc_time(first).value_or("");
  if (!result::is_day(result::day_of(from)) || !result::is_day(last))
    throw result::UsageError(fmt::format(
        "'{}' is no night; write it as 2026-01-31, or as 2026-01-31..2026-02-01 with its last day", days));
  if (last < result::day_of(from))
    throw result::UsageError(fmt::format("the night {} ends before it begins", days));
  return {from, result::day_after(last)};
}

/// Labels a run with its node's name. Several devices of a node also get their own names. A run without a
/// node name keeps its identity.
void label_rounds(std::vector<judge::PeerRound>& rounds) {
  std::map<std::string, std::set<std::string>> devices;  // by node
  for (const judge::PeerRound& round : rounds) devices[round.host].insert(round.device);
  for (judge::PeerRound& round : rounds)
    if (!round.host.empty())
      round.label =
          devices[round.host].size() == 1 ? round.host : fmt::format("{} {}", round.host, round.device);
}

/// The time of the first run in the night that contains the run at `last`.
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

/// The days from the run at `begin` to `last`, in the format of night_of. Starts at a day if that day has no
/// earlier run.
std::string nights_from(Database& database, const std::string& begin, const std::string& last) {
  const std::string day = result::day_of(begin);
  int earlier = 0;
  database.sql() << "SELECT count(*) FROM run WHERE started >= :day AND started < :begin", use(day),
      use(begin), into(earlier);
  return earlier == 0 ? days_of(day, last) : days_of(begin, last);
}

/// The newest night of runs before a time, in the format of night_of; "" if there are none.
std::string newest_before(Database& database, const std::string& bound) {
  std::string measured, newest;  // in this order: runs may be added meanwhile, but never removed
  database.sql() << "SELECT coalesce(max(started), '') FROM run WHERE round = 1 AND started < :bound",
      use(bound), into(measured);
  database.sql() << "SELECT coalesce(max(started), '') FROM run WHERE started < :bound", use(bound),
      into(newest);
  for (const std::string* time : {&measured, &newest})
    if (!time->empty()) sound_time(*time);
  if (newest.empty()) return "";
  return nights_from(database, begin_of(database, measured.empty() ? newest : measured),
                     result::day_of(newest));
}

}  // namespace

judge::PeersInput Store::night(const std::string& days, const TakeFacts& facts) {
  const Night night = night_of(days);
  judge::PeersInput out;
  database_->guarded([&] {
    Transaction transaction(*database_, Transaction::Mode::reading);
    const std::vector<Metric> known = metrics();
    const Rounds read = read_rounds(*database_, night, out);
    label_rounds(out.rounds);
    read_rows(*database_, night, read, known, facts, out);
    transaction.commit();
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
    std::set<result::DeviceKind> kinds;
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
        if (!kinds.contains(result::device_kind(round.device))) continue;
        of_these.emplace(round.host, round.label);
        if (!there.emplace(round.host, round.label).second) continue;
        out.days = nights_from(*database_, begin, last_of(days));
        out.added.push_back(std::move(round));
      }
      seen = std::max<std::size_t>(1, of_these.size());
    }
    // Labels them as the night itself does, which may hold other devices of their nodes.
    std::move(out.added.begin(), out.added.end(), std::back_inserter(own.rounds));
    label_rounds(own.rounds);
    std::move(own.rounds.end() - static_cast<std::ptrdiff_t>(out.added.size()), own.rounds.end(),
              out.added.begin());
    return out;
  });
}

}  // namespace gpugauge::store

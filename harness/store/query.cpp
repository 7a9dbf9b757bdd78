// Queries on the history.
#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "judge/pinned.hpp"
#include "result/error.hpp"
#include "store/database.hpp"
#include "store/ids.hpp"

namespace gpugauge::store {
namespace {

using soci::into;
using soci::use;

constexpr std::size_t batch = 4096;

/// Half-open interval [from, to[ as texts that sort like times.
struct Bounds {
  std::string from;
  std::string to;
};
Bounds bounds(const Span& span) {
  return {span.since, span.until.empty() ? end_of_time : span.until};
}

/// Fetches all rows of a statement into vectors, one batch at a time.
template <typename Resize, typename Take>
void fetch_all(soci::statement& statement, const Resize& resize, const Take& take) {
  resize();
  statement.execute();
  while (statement.fetch()) {
    take();
    resize();
  }
}

}  // namespace

Store::Store(std::unique_ptr<Database> database) : database_(std::move(database)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Store Store::open(const std::string& location, Access access) {
  Store store(std::make_unique<Database>(location, access));
  if (access == Access::writing) {
    migrate(*store.database_);
  } else {
    require_schema(*store.database_);
    require_sound_runs(*store.database_);
  }
  return store;
}

const std::string& Store::name() const {
  return database_->name();
}

std::vector<Device> Store::devices() {
  return database_->guarded([&] {
    std::vector<Device> out;
    long long id = 0;
    std::string node, identity;
    soci::statement statement =
        (database_->sql().prepare << "SELECT id, node, identity FROM device ORDER BY node, identity",
         into(id), into(node), into(identity));
    statement.execute();
    while (statement.fetch()) out.push_back({id, node, identity});
    return out;
  });
}

std::vector<Metric> Store::metrics() {
  return database_->guarded([&] {
    std::vector<Metric> out;
    long long id = 0;
    int judged = 0;
    std::string key, benchmark, metric_class, unit, better, statistic;
    // A metric without a row there comes from an older version, which stored only those that count.
    soci::statement statement =
        (database_->sql().prepare
             << "SELECT m.id, m.metric_key, m.benchmark, m.class, m.unit, m.better, coalesce(s.name, ''), "
                "CASE WHEN s.metric IS NULL OR c.metric IS NOT NULL THEN 1 ELSE 0 END FROM metric m LEFT "
                "JOIN "
                "statistic s ON s.metric = m.id LEFT JOIN counted c ON c.metric = m.id ORDER BY "
                "m.metric_key, "
                "m.id",
         into(id), into(key), into(benchmark), into(metric_class), into(unit), into(better), into(statistic),
         into(judged));
    statement.execute();
    while (statement.fetch()) {
      if (!result::is_class(metric_class))
        throw std::out_of_range(fmt::format("'{}' is no class of metrics", metric_class));
      out.push_back({id,
                     {key, benchmark, metric_class, unit, result::direction_from(better),
                      judge::spread_group(key, statistic), judged != 0}});
    }
    return out;
  });
}

void Store::require_metric(std::int64_t id) {
  if (known_metrics_.contains(id)) return;
  // Not known yet, or stored by another process since.
  for (const Metric& metric : metrics()) known_metrics_.insert(metric.id);
  if (!known_metrics_.contains(id))
    throw std::out_of_range(fmt::format("a value of a metric {} that is missing", id));
}

std::vector<Point> Store::series(const Device& device, const Metric& metric, const Span& span) {
  return database_->guarded([&] {
    std::vector<Point> out;
    const Bounds within = bounds(span);
    const long long device_id = device.id, metric_id = metric.id;
    std::vector<std::string> started(batch), run_id(batch), profile(batch);
    std::vector<long long> fingerprint(batch);
    std::vector<double> median(batch);
    soci::statement statement =
        (database_->sql().prepare
             << "SELECT r.started, r.run_id, r.profile, r.fingerprint, m.median FROM run r JOIN measurement "
                "m "
                "ON m.run = r.id AND m.metric = :metric WHERE r.device = :device AND r.started >= :since AND "
                "r.started < :until AND r.round = 1 ORDER BY r.started, r.run_id",
         use(metric_id), use(device_id), use(within.from), use(within.to), into(started), into(run_id),
         into(profile), into(fingerprint), into(median));
    fetch_all(
        statement,
        [&] {
          started.resize(batch);
          run_id.resize(batch);
          profile.resize(batch);
          fingerprint.resize(batch);
          median.resize(batch);
        },
        [&] {
          for (std::size_t i = 0; i < median.size(); ++i)
            out.push_back(
                {sound_time(started[i]), run_id[i], profile[i], fingerprint[i], sound_median(median[i])});
        });
    return out;
  });
}

std::map<std::int64_t, std::vector<Point>> Store::all_series(const Device& device, const Span& span) {
  return database_->guarded(
      [&] {
        const Bounds within = bounds(span);
        const long long device_id = device.id;
        std::vector<Point> runs;  // oldest first
        std::map<long long, std::size_t> places;
        {
          long long id = 0, fingerprint = 0;
          std::string started, run_id, profile;
          soci::statement statement =
              (database_->sql().prepare
                   << "SELECT id, started, run_id, profile, fingerprint FROM run WHERE device "
                      "= :device AND started >= :since AND started < :until AND round = 1 "
                      "ORDER BY started, run_id",
               use(device_id), use(within.from), use(within.to), into(id), into(started), into(run_id),
               into(profile), into(fingerprint));
          statement.execute();
          while (statement.fetch()) {
            places.emplace(id, runs.size());
            runs.push_back({sound_time(started), run_id, profile, fingerprint, 0});
          }
        }
        std::map<std::int64_t, std::vector<std::pair<std::size_t, double>>> values;
        {
          std::vector<long long> run(batch), metric(batch);
          std::vector<double> median(batch);
          soci::statement statement =
              (database_->sql().prepare
                   << "SELECT m.run, m.metric, m.median FROM run r JOIN measurement m ON m.run = r.id WHERE "
                      "r.device = :device AND r.started >= :since AND r.started < :until AND r.round = 1",
               use(device_id), use(within.from), use(within.to), into(run), into(metric), into(median));
          fetch_all(
              statement,
              [&] {
                run.resize(batch);
                metric.resize(batch);
                median.resize(batch);
              },
              [&] {
                for (std::size_t i = 0; i < metric.size(); ++i)
                  if (const auto place = places.find(run[i]); place != places.end())
                    values[metric[i]].emplace_back(place->second, sound_median(median[i]));
              });
        }
        std::map<std::int64_t, std::vector<Point>> out;
        for (auto& [metric, of_metric] : values) {
          require_metric(metric);
          std::sort(of_metric.begin(), of_metric.end());
          std::vector<Point>& series = out[metric];
          series.reserve(of_metric.size());
          for (const auto& [place, value] : of_metric) {
            series.push_back(runs[place]);
            series.back().median = value;
          }
        }
        return out;
      });
}

std::vector<HealthPoint> Store::health(const Device& device, const Span& span) {
  return database_->guarded([&] {
    std::vector<HealthPoint> out;
    const Bounds within = bounds(span);
    HealthPoint point;
    std::string verdict;
    const long long device_id = device.id;
    soci::statement statement =
        (database_->sql().prepare
             << "SELECT h.subject, r.started, r.run_id, h.verdict, h.reason FROM run r JOIN health h ON h.run = "
                "r.id WHERE r.device = :device AND r.started >= :since AND r.started < :until ORDER BY "
                "h.subject, r.started, r.run_id",
         use(device_id), use(within.from), use(within.to), into(point.subject), into(point.started),
         into(point.run_id), into(verdict), into(point.reason));
    statement.execute();
    while (statement.fetch()) {
      sound_time(point.started);
      point.kind = sound_health(verdict);
      out.push_back(point);
    }
    return out;
  });
}

int Store::watched(const Device& device, const Span& span) {
  return database_->guarded([&] {
    const Bounds within = bounds(span);
    const long long device_id = device.id;
    int count = 0;
    // For most metrics that count, the first run checked already has a value. Reading all values of the
    // device would be slow.
    database_->sql()
        << "SELECT count(*) FROM metric k WHERE (NOT EXISTS (SELECT 1 FROM statistic s WHERE s.metric = "
           "k.id) OR EXISTS (SELECT 1 FROM counted c WHERE c.metric = k.id)) AND EXISTS (SELECT 1 FROM run r "
           "JOIN measurement m ON "
           "m.run = r.id AND m.metric = k.id WHERE r.device = :device AND r.started >= :since AND "
           "r.started < :until AND r.round = 1)",
        use(device_id), use(within.from), use(within.to), into(count);
    return std::max(1, count);
  });
}

const result::Fingerprint& Store::fingerprint(std::int64_t id) {
  const auto found = fingerprints_.find(id);
  if (found != fingerprints_.end()) return found->second;
  const std::string facts = database_->guarded([&] {
    std::string text;
    const long long wanted = id;
    database_->sql() << "SELECT facts FROM fingerprint WHERE id = :id", use(wanted), into(text);
    return text;
  });
  if (facts.empty())
    throw result::FileError(fmt::format(
        "the store {}: the fingerprint {} is missing, so the store is damaged: make it again from "
        "the run files with `gpugauge history ingest`",
        name(), id));
  return fingerprints_.emplace(id, fingerprint_from(facts, fmt::format("{}: fingerprint {}", name(), id)))
      .first->second;
}

void Store::forget_fingerprints() {
  fingerprints_.clear();
}

const result::Fingerprint* Store::facts_of_run(const std::string& run_id) {
  const auto id = database_->guarded([&] {
    std::optional<std::int64_t> out;
    long long found = 0;
    soci::statement statement = (database_->sql().prepare << "SELECT fingerprint FROM run WHERE run_id = :id",
                                 use(run_id), into(found));
    statement.execute();
    if (statement.fetch()) out = found;
    return out;
  });
  return id ? &fingerprint(*id) : nullptr;
}

void Store::each_row(const std::vector<Device>& devices, const std::vector<Metric>& metrics, const Span& span,
                     const std::function<void(const Row&)>& take) {
  std::map<long long, const Metric*> wanted;
  for (const Metric& metric : metrics) wanted.emplace(metric.id, &metric);
  const Bounds within = bounds(span);
  for (const Device& device : devices) {
    database_->guarded(
        [&] {
          const long long device_id = device.id;
          Row row;
          row.node = device.node;
          row.device = device.identity;
          std::vector<std::string> started(batch), run_id(batch), profile(batch), source(batch),
              values(batch);
          std::vector<int> round(batch);
          std::vector<long long> metric(batch);
          std::vector<double> median(batch);
          soci::statement statement =
              (database_->sql().prepare
                   << "SELECT r.started, r.run_id, r.profile, r.source, r.round, m.metric, m.median, "
                      "m.process_values FROM run r JOIN measurement m ON m.run = r.id WHERE r.device = "
                      ":device AND "
                      "r.started >= :since AND r.started < :until ORDER BY r.started, r.run_id, m.metric",
               use(device_id), use(within.from), use(within.to), into(started), into(run_id), into(profile),
               into(source), into(round), into(metric), into(median), into(values));
          fetch_all(
              statement,
              [&] {
                for (auto* column : {&started, &run_id, &profile, &source, &values}) column->resize(batch);
                round.resize(batch);
                metric.resize(batch);
                median.resize(batch);
              },
              [&] {
                for (std::size_t i = 0; i < metric.size(); ++i) {
                  const auto found = wanted.find(metric[i]);
                  if (found == wanted.end()) {
                    require_metric(metric[i]);
                    continue;
                  }
                  if (row.started != started[i]) row.started = sound_time(started[i]);
                  row.run_id = run_id[i];
                  row.profile = profile[i];
                  row.source = source[i];
                  row.round = round[i];
                  row.metric = found->second;
                  row.median = sound_median(median[i]);
                  sound_values(values[i]);  // they are printed as JSON, or with blanks instead of commas
                  row.values = values[i];
                  take(row);
                }
              });
        });
  }
}

std::set<std::string> Store::content_hashes() {
  return database_->guarded([&] {
    std::set<std::string> out;
    std::vector<std::string> hash(batch);
    soci::statement statement = (database_->sql().prepare << "SELECT content_hash FROM run", into(hash));
    fetch_all(
        statement, [&] { hash.resize(batch); },
        [&] { out.insert(std::make_move_iterator(hash.begin()), std::make_move_iterator(hash.end())); });
    return out;
  });
}

}  // namespace gpugauge::store

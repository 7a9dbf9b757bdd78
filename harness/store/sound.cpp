// What a store must hold to be believed: a file may have been changed past every writer of ours.
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "store/database.hpp"
#include "store/sqlite_session.hpp"

namespace gpugauge::store {

double sound_median(double median) {
  if (!std::isfinite(median) || median <= 0) throw std::out_of_range(fmt::format("a median of {}", median));
  return median;
}

const std::string& sound_time(const std::string& time) {
  if (utc_time(time) != time) throw std::out_of_range("a time that is none");
  return time;
}

void require_sound_runs(Database& database) {
  database.guarded([&] {
    std::optional<TimeLimit> limit;
    if (!database.postgresql()) limit.emplace(database.sql());
    const std::string first = "0", last = end_of_time;
    long long runs = 0;
    database.sql() << "SELECT count(*) FROM run WHERE started < :first OR started >= :last", soci::use(first),
        soci::use(last), soci::into(runs);
    if (runs > 0) throw std::out_of_range("a time that is none");
    // From one device of the runs to the next by the index, which require_own_file saw: runs are many.
    database.sql()
        << "WITH RECURSIVE measured (device) AS (SELECT min(device) FROM run UNION ALL SELECT (SELECT "
           "min(r.device) FROM run r WHERE r.device > measured.device) FROM measured WHERE "
           "measured.device IS NOT NULL) SELECT count(*) FROM measured WHERE device IS NOT NULL AND "
           "device NOT IN (SELECT id FROM device)",
        soci::into(runs);
    if (runs > 0) throw std::out_of_range("runs of a device that is missing");
  });
}

}  // namespace gpugauge::store

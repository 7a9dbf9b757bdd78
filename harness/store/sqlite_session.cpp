#include "store/sqlite_session.hpp"

#include <soci/sqlite3/soci-sqlite3.h>

#include "result/time.hpp"

namespace gpugauge::store {
namespace {

/// SOCI hides the backend's type, so nothing checks it at run time: call only for an SQLite session.
sqlite_api::sqlite3* connection(soci::session& sqlite) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-static-cast-downcast)
  return static_cast<soci::sqlite3_session_backend*>(sqlite.get_backend())->conn_;
}

}  // namespace

void confine(soci::session& sqlite) {
  constexpr int longest_value = 16 << 20;
  sqlite_api::sqlite3* const database = connection(sqlite);
  sqlite_api::sqlite3_limit(database, SQLITE_LIMIT_LENGTH, longest_value);
  // NOLINTBEGIN(cppcoreguidelines-pro-type-vararg): SQLite's own interface
#ifdef SQLITE_DBCONFIG_DEFENSIVE  // 3.26
  sqlite_api::sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
#endif
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA  // 3.31
  sqlite_api::sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
#endif
  // NOLINTEND(cppcoreguidelines-pro-type-vararg)
}

TimeLimit::TimeLimit(soci::session& sqlite, double seconds)
    : sqlite_(sqlite), until_(result::processor_time() + seconds) {
  // SQLite VM steps between checks; each step may build one value of maximum length.
  constexpr int steps_between = 100;
  sqlite_api::sqlite3_progress_handler(
      connection(sqlite_), steps_between,
      [](void* self) { return static_cast<const TimeLimit*>(self)->reached() ? 1 : 0; }, this);
}

TimeLimit::~TimeLimit() {
  sqlite_api::sqlite3_progress_handler(connection(sqlite_), 0, nullptr, nullptr);
}

bool TimeLimit::reached() const {
  return result::processor_time() > until_;
}

}  // namespace gpugauge::store

// The fixture of what is tested on every database.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "store/database.hpp"
#include "unit/store/histories.hpp"

namespace gpugauge::store::test {

/// A new store for each test, on each database: location_ is a file of the test's own folder, or the server.
class StoreTest : public ::testing::TestWithParam<std::string> {
 protected:
  StoreTest() : location_(GetParam().empty() ? folder_.file("history.sqlite") : GetParam()) {
    if (!GetParam().empty()) {
      Database database(location_, Access::writing);
      database.sql() << "DROP SCHEMA IF EXISTS gpugauge CASCADE";
    }
  }
  Store open(Access access = Access::writing) const { return Store::open(location_, access); }
  long long count(const std::string& table) const {
    open();
    Database database(location_, Access::reading);
    if (database.postgresql()) database.sql() << "SET search_path = gpugauge";
    long long rows = 0;
    database.sql() << "SELECT count(*) FROM " + table, soci::into(rows);
    return rows;
  }

  /// Waits until the server has noticed that a killed client is gone: what it was doing is done or undone
  /// then.
  void wait_for_the_server() const {
    Database database(location_, Access::reading);
    if (!database.postgresql()) return;
    int others = 1;
    for (int waited = 0; waited < 3000 && others > 0; ++waited) {
      database.sql() << "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> "
                        "pg_backend_pid() AND backend_type = 'client backend'",
          soci::into(others);
      ::usleep(10000);
    }
    EXPECT_EQ(others, 0);
  }

  Folder folder_;
  std::string location_;
};

/// SQLite always, PostgreSQL where GPUGAUGE_TEST_POSTGRESQL names a server.
inline std::vector<std::string> locations() {
  std::vector<std::string> out{""};
  if (const char* server = std::getenv("GPUGAUGE_TEST_POSTGRESQL"); server != nullptr)
    out.emplace_back(server);
  return out;
}

}  // namespace gpugauge::store::test

// One session with the database, and the few places where SQLite and PostgreSQL differ.
#pragma once

#include <string>
#include <vector>

#include <soci/soci.h>

#include "store/store.hpp"

namespace gpugauge::store {

class Database {
 public:
  /// Opens and configures; looks at no table. Throws result::UsageError or result::FileError.
  Database(const std::string& location, Access access);

  soci::session& sql() { return sql_; }
  bool postgresql() const { return postgresql_; }
  const std::string& name() const { return name_; }

  /// Runs `work`; what the database refuses becomes a result::FileError that names the store.
  template <typename Work>
  auto guarded(const Work& work) -> decltype(work()) {
    try {
      return work();
    } catch (const soci::soci_error& error) {
      refuse(error);
    }
  }

 private:
  [[noreturn]] void refuse(const soci::soci_error& error) const;
  void open_file(const std::string& location, Access access);

  std::string name_;
  bool postgresql_ = false;
  soci::session sql_;
};

/// A transaction that may write; SQLite's takes the writer's place at once, so that it never has to give up
/// half-way. Rolled back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  soci::session& sql_;
  bool open_ = true;
};

/// Columns of `measurement`, filled a batch at a time.
struct Measurements {
  std::vector<long long> runs;
  std::vector<long long> metrics;
  std::vector<double> medians;
  std::vector<std::string> values;
  std::size_t size() const { return runs.size(); }
};
/// One statement for all of them.
void insert(Database& database, const Measurements& rows);

/// Brings the schema up to date; several processes may do so at once.
void migrate(Database& database);

}  // namespace gpugauge::store

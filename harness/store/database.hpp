// One session with the database, and the few places where SQLite and PostgreSQL differ.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <soci/soci.h>

#include "store/store.hpp"

namespace gpugauge::store {

/// One session. Not for several threads at once.
class Database {
 public:
  /// Opens and configures; looks at no table. Throws result::UsageError or result::FileError.
  Database(const std::string& location, Access access);

  soci::session& sql() { return sql_; }              ///< for statements; call them within guarded()
  bool postgresql() const { return postgresql_; }    ///< false: SQLite
  const std::string& name() const { return name_; }  ///< where it lies, without a password

  /// Runs `work`; what the database refuses becomes a result::FileError that names the store, and so does a
  /// std::logic_error over what it holds: a word, number or id that nothing of ours writes.
  template <typename Work>
  auto guarded(const Work& work) -> decltype(work()) {
    try {
      return work();
    } catch (const soci::soci_error& error) {
      refuse(error);
    } catch (const std::logic_error& error) {
      refuse_content(error);
    }
  }

 private:
  [[noreturn]] void refuse(const soci::soci_error& error) const;
  [[noreturn]] void refuse_content(const std::logic_error& error) const;
  void open_file(const std::string& location, Access access);

  std::string location_;
  std::string name_;
  bool postgresql_ = false;
  soci::session sql_;
};

/// A transaction that may write; SQLite's takes the writer's place at once, so that it never has to give up
/// half-way. Rolled back unless committed.
class Transaction {
 public:
  /// Begins at once. `database` must live longer. Throws soci::soci_error.
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();  ///< Makes all of it permanent. Throws soci::soci_error; nothing is kept then.

 private:
  soci::session& sql_;
  bool open_ = true;
};

/// Columns of `measurement`, filled a batch at a time.
struct Measurements {
  std::vector<long long> runs;                      ///< `run`: id of the run's own row
  std::vector<long long> metrics;                   ///< `metric`: its id
  std::vector<double> medians;                      ///< over the processes, in the metric's unit
  std::vector<std::string> values;                  ///< of the processes, a JSON array of numbers
  std::size_t size() const { return runs.size(); }  ///< rows; all columns have as many
};
/// One statement for all of them.
void insert(Database& database, const Measurements& rows);

/// SQLite only: throws result::UsageError for a database of something else, which is neither read nor
/// changed, and for one with views, triggers or virtual tables: a store has none, and reading one may never
/// end.
void require_own_file(Database& database);

/// Brings the schema up to date; several processes may do so at once.
void migrate(Database& database);

/// A median as it was read. Throws std::out_of_range unless it is above 0 and finite, as every stored one is.
double sound_median(double median);

/// A time as it was read: UTC as RFC 3339 writes it, by its letters. Throws std::out_of_range for another
/// text.
const std::string& sound_time(const std::string& time);

}  // namespace gpugauge::store

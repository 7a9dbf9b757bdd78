// One session with the database, and the few places where SQLite and PostgreSQL differ.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <soci/soci.h>

#include "result/begun.hpp"
#include "result/error.hpp"
#include "store/sqlite_file.hpp"
#include "store/store.hpp"

namespace gpugauge::store {

/// The database does not take what it was given, as too long a text; another content it may take.
class RefusedContent : public result::FileError {
  using FileError::FileError;
};

/// One session. Not for several threads at once.
class Database {
 public:
  /// Opens and configures; looks at no table. What is opened for reading is not changed by any statement.
  /// Throws result::UsageError or result::FileError.
  Database(const std::string& location, Access access);
  /// A store that was made here, and failed before it held a run, is removed again.
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  soci::session& sql() { return sql_; }              ///< for statements; call them within guarded()
  bool postgresql() const { return postgresql_; }    ///< false: SQLite
  const std::string& name() const { return name_; }  ///< where it lies, without a password
  /// The name of a benchmark or metric as it is kept: PostgreSQL's indexes take none above 2704 bytes with
  /// all of its columns, so that there a longer one is its beginning and its SHA-256.
  std::string kept_name(const std::string& name) const;

  /// To be called after a commit: what went into a file that was removed or replaced meanwhile is lost.
  /// Throws result::FileError.
  void require_in_place() const;

  /// Runs `work`; what the database refuses becomes a result::FileError that names the store, and so does a
  /// std::logic_error over what it holds: a word, number or id that nothing of ours writes. So does a store
  /// that was written meanwhile where its file was opened as one that nobody changes.
  template <typename Work>
  auto guarded(const Work& work) -> decltype(work()) {
    try {
      if constexpr (std::is_void_v<decltype(work())>) {
        work();
        require_at_rest();
      } else {
        auto answer = work();
        require_at_rest();
        return answer;
      }
    } catch (const soci::soci_error& error) {
      refuse(error);
    } catch (const std::logic_error& error) {
      refuse_content(error);
    }
  }

 private:
  [[noreturn]] void refuse(const soci::soci_error& error);
  [[noreturn]] void refuse_content(const std::logic_error& error);
  int code_of(const soci::soci_error& error) const;  ///< SQLite's own, SQLITE_OK where it is none of its
  bool has_no_room(int code) const;
  bool is_content(const soci::soci_error& error) const;  ///< RefusedContent
  void require_at_rest() const;
  void open_server(Access access);
  void open_to_read();
  void open_to_write();
  bool holds_no_run();
  bool remove_if_made();

  std::string location_;
  std::string name_;
  bool postgresql_ = false;
  std::optional<FileNumber> made_;            ///< of a file that was made here
  bool failed_ = false;                       ///< some work was refused
  std::optional<result::FileState> at_rest_;  ///< WayToRead::at_rest
  std::optional<FileNumber> file_;            ///< of a file that is written
  result::Begun folders_;                     ///< made for the file; they go where it does not stay
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

/// Columns of `recorded`, likewise.
struct RecordedOnly {
  std::vector<long long> runs;      ///< `run`
  std::vector<long long> metrics;   ///< `metric`
  std::vector<std::string> values;  ///< `process_values`: Measured::recorded, a JSON array of numbers
  std::vector<std::string> notes;   ///< `note`: Measured::not_judged
};
void insert(Database& database, const RecordedOnly& rows);

/// SQLite only: throws result::UsageError for a database of something else, which is neither read nor
/// changed, and for one with views, triggers or virtual tables: a store has none, and reading one may never
/// end. Throws std::out_of_range where the tables and indexes are not word for word those of its schema: a
/// computed column costs what its maker likes, and without an index the questions do.
void require_own_file(Database& database);

/// Brings the schema up to date; several processes may do so at once. Throws result::UsageError for a newer
/// schema, result::FileError for a store that does not say which it has.
void migrate(Database& database);

/// For who only reads: the schema must be this version's, and nothing is changed. Throws likewise, and
/// result::UsageError where there is no store yet.
void require_schema(Database& database);

/// Behind every time that a store holds: the end of a span without one.
inline constexpr const char* end_of_time = "9999-12-31T24";

/// Runs that no question would find: whose time sorts behind or before all times, or whose device is not
/// there. Throws std::out_of_range. A question for every device, not for every run.
void require_sound_runs(Database& database);

/// A median as it was read. Throws std::out_of_range unless it is above 0 and finite, as every stored one is.
double sound_median(double median);

/// Values of processes as they were read. Throws std::out_of_range unless they are a JSON array of numbers
/// above 0, without blanks and no more than most_values, as every stored one is.
std::vector<double> sound_values(std::string_view text);

/// Names as they were read. Throws std::out_of_range unless they are a JSON array of texts that is sorted.
std::vector<std::string> sound_names(const std::string& text);

/// A time as it was read: as utc_time() writes it. Throws std::out_of_range for another text.
const std::string& sound_time(const std::string& time);

}  // namespace gpugauge::store

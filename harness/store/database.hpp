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

/// The database rejects this content, such as too long a text. It may accept other content.
class RefusedContent : public result::FileError {
  using FileError::FileError;
};

/// One session; not thread-safe.
class Database {
 public:
  /// Opens and configures the session; reads no table. With Access::reading no statement can change the
  /// store. Throws result::UsageError or result::FileError.
  Database(const std::string& location, Access access);
  /// Removes a store that this session made if it failed before the store held a run.
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  soci::session& sql() { return sql_; }              ///< for statements; call them within guarded()
  bool postgresql() const { return postgresql_; }    ///< false: SQLite
  const std::string& name() const { return name_; }  ///< the store's location, without a password
  /// The name of a benchmark or metric as it is stored. PostgreSQL limits an index row to 2704 bytes over all
  /// its columns. A name above 1024 bytes is therefore stored there as its beginning plus its SHA-256.
  std::string kept_name(const std::string& name) const;

  /// Call after a commit. Throws result::FileError if the file was removed or replaced meanwhile: what was
  /// written is lost.
  void require_in_place() const;

  /// Runs `work`. Turns a database error into a result::FileError that names the store. Does the same with a
  /// std::logic_error about stored content: a word, number or id that no version of ours writes. Also throws
  /// it if the store was opened as one that nobody changes and was then written.
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
  /// SQLite's own code; SQLITE_OK if the error is not SQLite's.
  int code_of(const soci::soci_error& error) const;
  bool has_no_room(int code) const;
  bool is_content(const soci::soci_error& error) const;  ///< whether it becomes a RefusedContent
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
  result::Begun folders_;                     ///< folders made for the file; they are removed if it is
  soci::session sql_;
};

/// Rolled back unless committed; an error of that is not told, so that the first one is.
class Transaction {
 public:
  /// writing: with SQLite it takes the write lock at the start, so it never has to give up half-way. With
  /// PostgreSQL each statement sees what others have committed before it.
  /// reading: one view for all statements, whatever other processes write.
  enum class Mode { writing, reading };
  /// Begins at once. `database` must live longer. Throws soci::soci_error.
  explicit Transaction(Database& database, Mode mode = Mode::writing);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();  ///< Makes all changes permanent. Throws soci::soci_error; then nothing is kept.

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
/// Inserts all rows with one statement.
void insert(Database& database, const Measurements& rows);

/// Columns of `recorded`, filled a batch at a time.
struct RecordedOnly {
  std::vector<long long> runs;      ///< `run`
  std::vector<long long> metrics;   ///< `metric`
  std::vector<std::string> values;  ///< `process_values`: Measured::recorded, a JSON array of numbers
  std::vector<std::string> notes;   ///< `note`: Measured::not_judged
};
void insert(Database& database, const RecordedOnly& rows);

/// SQLite only. Throws result::UsageError for a database that is not a store; it is not changed. Throws it
/// also for one with views, triggers or virtual tables: a store has none, and reading one may never end.
/// Throws std::out_of_range unless tables and indexes match the schema word for word. A computed column may
/// cost any amount of time, and so do queries without an index.
void require_own_file(Database& database);

/// Brings the schema up to date; several processes may call it at once. Throws result::UsageError for a newer
/// schema, and result::FileError for a store without a schema version.
void migrate(Database& database);

/// For readers: requires this version's schema and changes nothing. Throws like migrate(), and
/// result::UsageError where there is no store yet.
void require_schema(Database& database);

/// Sorts after every time a store holds; the end of an open span.
inline constexpr const char* end_of_time = "9999-12-31T24";

/// Looks for runs that no query would find: their time sorts before or after all valid times, or their device
/// is missing. Throws std::out_of_range if there is one. Costs one query per device, not per run.
void require_sound_runs(Database& database);

/// Checks a median read from the store. Throws std::out_of_range unless it is above 0 and finite, as every
/// stored one is.
double sound_median(double median);

/// Parses process values read from the store. Throws std::out_of_range unless the text is a JSON array
/// without blanks, of at most most_values numbers above 0. Every stored one is.
std::vector<double> sound_values(std::string_view text);

/// Parses names read from the store. Throws std::out_of_range unless the text is a sorted JSON array of
/// texts.
std::vector<std::string> sound_names(const std::string& text);

/// Parses a verdict on health read from the store. Throws std::out_of_range for a word that is never stored.
judge::VerdictKind sound_health(const std::string& word);

/// Checks a time read from the store. Throws std::out_of_range unless result::utc_time() could have written it.
const std::string& sound_time(const std::string& time);

}  // namespace gpugauge::store

// Opens a database session and hides the differences between SQLite and PostgreSQL.
#include "store/database.hpp"

#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <soci/postgresql/soci-postgresql.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include "baseline/digest.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "store/libpq.hpp"
#include "store/sqlite_session.hpp"

namespace gpugauge::store {
namespace {

namespace fs = std::filesystem;

bool is_url(const std::string& location) {
  return location.find("://") != std::string::npos;
}

/// Joins the lines of a text, without blanks around them: PostgreSQL's client library indents what it adds.
std::string joined_lines(const std::string& text) {
  constexpr const char* blanks = " \t\r\v\f";
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(blanks);
    if (begin == std::string::npos) continue;
    if (!out.empty()) out += std::isalnum(static_cast<unsigned char>(out.back())) != 0 ? "; " : " ";
    out += line.substr(begin, line.find_last_not_of(blanks) + 1 - begin);
  }
  return out;
}

/// A database message on one line, without the statement that SOCI appends.
std::string one_line(std::string text) {
  for (const char* const tail : {" while executing ", " while preparing ", " while binding "})
    text = text.substr(0, text.find(tail));
  // Removes SOCI's own location: "sqlite3_statement_backend::loadOne: ".
  if (const auto scope = text.find("::"),
      end = text.find(": ", scope == std::string::npos ? scope : scope + 2);
      scope != std::string::npos && end != std::string::npos && text.find(' ') > scope)
    text.erase(0, end + 2);
  constexpr std::string_view failed = "Cannot establish connection to the database. ";
  if (text.starts_with(failed)) text.replace(0, failed.size(), "it could not be opened: ");
  text = joined_lines(text);
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text;
}

/// A PostgreSQL array literal.
template <typename T>
std::string array_text(const std::vector<T>& values) {
  return fmt::format("{{{}}}", fmt::join(values, ","));
}

/// Turns the write-ahead log on and returns the resulting mode. Retries, because SQLite refuses at once while
/// others open a new store, whatever its timeout.
std::string use_write_ahead_log(soci::session& sql) {
  constexpr auto patience = std::chrono::seconds(60);
  constexpr auto interval = std::chrono::milliseconds(20);
  const auto start = std::chrono::steady_clock::now();
  while (true) {
    try {
      std::string mode;
      sql << "PRAGMA journal_mode = WAL", soci::into(mode);
      return mode;
    } catch (const soci::soci_error& error) {
      const bool locked = error.get_error_message().find("locked") != std::string::npos;
      if (!locked || std::chrono::steady_clock::now() - start > patience) throw;
    }
    std::this_thread::sleep_for(interval);
  }
}

/// Makes SQLite accept addresses with parameters. This must come before its first use. Debian's build accepts
/// them anyway.
void take_addresses() {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): SQLite's own interface
  static const int answer = sqlite_api::sqlite3_config(SQLITE_CONFIG_URI, 1);
  (void)answer;
}

}  // namespace

Database::Database(const std::string& location, Access access)
    : location_(is_url(location) ? location
                                 : result::behind_links(result::without_detours(location)).string()),
      name_(without_password(location)),
      postgresql_(is_url(location)) {
  check_location(location);
  if (postgresql_) {
    open_server(access);
    return;
  }
  const Lies lies = what_lies_at(location_, name_);
  if (lies == Lies::other)
    throw result::FileError(fmt::format("the store {}: file is not a database", name_));
  if (access == Access::writing) {
    try {
      open_to_write();
    } catch (...) {
      remove_if_made();
      throw;
    }
  } else {
    if (lies != Lies::database)
      throw result::UsageError(
          fmt::format("there is no store at {}: `gpugauge history ingest` makes one", name_));
    open_to_read();
  }
}

Database::~Database() {
  if (!failed_ || !remove_if_made()) folders_.keep();
}

/// Keeps the file if another process replaced it or stored a run in it meanwhile.
bool Database::remove_if_made() {
  if (!made_ || number_of(location_) != made_ || !holds_no_run()) return false;
  remove_store(location_);
  return true;
}

void Database::open_server(Access access) {
  if (!location_.starts_with("postgresql://") && !location_.starts_with("postgres://"))
    throw result::UsageError(
        fmt::format("the store {}: give a file for SQLite, or postgresql://user@host/database", name_));
  require_libpq();
  guarded([&] {
    // Seconds per address; connect_timeout in the URL has priority.
    ::setenv("PGCONNECT_TIMEOUT", "15", 0);
    sql_.open(soci::postgresql, location_);
    // Fail with a sentence if a lock is not granted within a minute, instead of waiting forever.
    sql_ << "SET lock_timeout = '60s'";
    sql_ << "SET client_min_messages = warning";
    if (access == Access::reading) sql_ << "SET default_transaction_read_only = on";
  });
}

void Database::open_to_read() {
  take_addresses();
  const WayToRead way = way_to_read(location_, name_);
  at_rest_ = way.at_rest;
  guarded([&] {
    sql_.open(soci::sqlite3, fmt::format("db=\"{}\" timeout=60", way.address));
    confine(sql_);
    sql_ << "PRAGMA query_only = ON";
    require_own_file(*this);
    sql_ << "PRAGMA cache_size = -65536";
  });
}

void Database::open_to_write() {
  // Absolute, because SQLite takes "file:x" for an address.
  const fs::path file = fs::absolute(location_);
  // Checks the whole path, with the working folder and after links: SOCI's text ends at a quotation mark.
  if (file.string().find('"') != std::string::npos)
    throw result::UsageError(fmt::format(
        "the store {} lies at {}, and a store is not written where the path has a quotation mark: "
        "give another place",
        name_, file.string()));
  folders_.make_folder(file.parent_path());
  require_writable(file, name_);
  made_ = make_empty(file);
  guarded([&] {
    sql_.open(soci::sqlite3, fmt::format("db=\"{}\" timeout=60", file.string()));
    confine(sql_);
    require_own_file(*this);  // before anything in it is changed
    const std::string mode = use_write_ahead_log(sql_);
    if (mode != "wal")
      throw soci::soci_error(
          "its file system takes no write-ahead log (a network share?); use a local file or PostgreSQL");
    file_ = number_of(file);
    // Committed data survives a power cut.
    sql_ << "PRAGMA synchronous = FULL";
    sql_ << "PRAGMA wal_autocheckpoint = 8192";
    sql_ << "PRAGMA cache_size = -65536";
    sql_ << "PRAGMA foreign_keys = ON";
  });
}

/// True if the store, made here, holds no run; another process may have filled it meanwhile.
bool Database::holds_no_run() {
  constexpr std::int64_t one_page = 4096;  // holds no table of ours
  try {
    int tables = 0;
    sql_ << "SELECT count(*) FROM sqlite_master WHERE name = 'run'", soci::into(tables);
    int runs = 0;
    if (tables > 0) sql_ << "SELECT EXISTS (SELECT 1 FROM run)", soci::into(runs);
    return runs == 0;
  } catch (const std::exception&) {
    const auto file = result::state_of(location_), log = result::state_of(location_ + "-wal");
    return (!file || file->bytes <= one_page) && (!log || log->bytes == 0);
  }
}

int Database::code_of(const soci::soci_error& error) const {
  const auto* const own = dynamic_cast<const soci::sqlite3_soci_error*>(&error);
  constexpr int without_detail = 0xff;
  return postgresql_ || own == nullptr ? SQLITE_OK : own->result() & without_detail;
}

bool Database::has_no_room(int code) const {
  return code == SQLITE_FULL || ((code == SQLITE_IOERR || code == SQLITE_CANTOPEN) && is_full(location_));
}

std::string Database::kept_name(const std::string& name) const {
  constexpr std::size_t longest = 1024;  // a key of metrics holds two such names
  std::size_t front = 400;
  if (!postgresql_ || name.size() <= longest) return name;
  const auto within_a_character = [&] { return (static_cast<unsigned char>(name[front]) & 0xC0U) == 0x80U; };
  while (front > 0 && within_a_character()) --front;
  return fmt::format("{} sha256:{}", name.substr(0, front), baseline::sha256(name));
}

bool Database::is_content(const soci::soci_error& error) const {
  if (const auto* const own = dynamic_cast<const soci::postgresql_soci_error*>(&error)) {
    // Data exceptions, broken constraints, program limits: errors about the content.
    const std::string kind = own->sqlstate().substr(0, 2);
    return kind == "22" || kind == "23" || kind == "54";
  }
  if (postgresql_) return false;
  const int code = code_of(error);
  // SOCI gives no code if a value cannot be bound.
  return code == SQLITE_TOOBIG || code == SQLITE_CONSTRAINT || code == SQLITE_MISMATCH ||
         error.get_error_message().starts_with("Failure to bind");
}

void Database::require_at_rest() const {
  if (!at_rest_ || is_at_rest(location_, *at_rest_)) return;
  throw result::FileError(fmt::format(
      "the store {} was written while it was read, and its folder takes no file with which readers and "
      "writers keep apart: ask again once that is done",
      name_));
}

void Database::require_in_place() const {
  if (!postgresql_ && number_of(location_) != file_)
    throw result::FileError(
        fmt::format("the store {} was removed or replaced while it was written, and what was stored is lost: "
                    "run `gpugauge "
                    "history ingest` again",
                    name_));
}

void Database::refuse(const soci::soci_error& error) {
  failed_ = true;
  require_at_rest();
  const int code = code_of(error);
  if (code == SQLITE_INTERRUPT)  // TimeLimit
    throw result::FileError(fmt::format(
        "the store {} takes longer to look at than any that GPUGauge writes, so it is damaged: make "
        "it again from the run files with `gpugauge history ingest`, in another place",
        name_));
  if (has_no_room(code))
    throw result::FileError(
        fmt::format("the store {}: no space left in {}; what was stored before stays: make room and run "
                    "`gpugauge history ingest` again, it goes on",
                    name_, fs::absolute(location_).parent_path().string()));
  const std::string said = error.get_error_message();
  if (code == SQLITE_CORRUPT)
    throw result::FileError(fmt::format(
        "the store {}: {}, so it is damaged: make it again from the run files with `gpugauge history "
        "ingest`, in another place",
        name_, one_line(said)));
  const std::string told = without_secrets_of(location_, said);
  // The client library quotes text it could not parse, often a password that was not escaped.
  const std::string sentence = fmt::format(
      "the store {}: {}{}", name_, one_line(told),
      told == said ? ""
                   : "; in a URL a password's %, /, ?, @, : and # are written %25, %2F, %3F, %40, "
                     "%3A and %23; ~/.pgpass and PGPASSWORD take it as it is");
  if (is_content(error)) throw RefusedContent(sentence);
  throw result::FileError(sentence);
}

void Database::refuse_content(const std::logic_error& error) {
  failed_ = true;
  require_at_rest();
  throw result::FileError(fmt::format(
      "the store {} holds what GPUGauge does not write ({}), so it is damaged: make it again from "
      "the run files with `gpugauge history ingest`",
      name_, error.what()));
}

Transaction::Transaction(Database& database, Mode mode) : sql_(database.sql()) {
  if (mode == Mode::reading)
    sql_ << (database.postgresql() ? "BEGIN ISOLATION LEVEL REPEATABLE READ" : "BEGIN");
  else
    sql_ << (database.postgresql() ? "BEGIN ISOLATION LEVEL READ COMMITTED" : "BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    sql_ << "ROLLBACK";
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the connection is gone, and so is it
  }
}

void Transaction::commit() {
  sql_ << "COMMIT";
  open_ = false;
}

void insert(Database& database, const Measurements& rows) {
  if (rows.size() == 0) return;
  soci::session& sql = database.sql();
  if (!database.postgresql()) {
    sql << "INSERT INTO measurement (run, metric, median, process_values) VALUES (:run, :metric, :median, "
           ":process_values)",
        soci::use(rows.runs), soci::use(rows.metrics), soci::use(rows.medians), soci::use(rows.values);
    return;
  }
  // Sends four arrays in one round trip; single rows would need one each. JSON arrays of numbers hold no
  // quotation mark or backslash, so they need no escaping.
  const std::string runs = array_text(rows.runs);
  const std::string metrics = array_text(rows.metrics);
  const std::string medians = array_text(rows.medians);
  const std::string values = fmt::format("{{\"{}\"}}", fmt::join(rows.values, "\",\""));
  sql << "INSERT INTO measurement (run, metric, median, process_values) SELECT * FROM unnest("
         "CAST(:runs AS bigint[]), CAST(:metrics AS integer[]), CAST(:medians AS double precision[]), "
         "CAST(:process_values AS text[]))",
      soci::use(runs), soci::use(metrics), soci::use(medians), soci::use(values);
}

void insert(Database& database, const RecordedOnly& rows) {
  if (rows.runs.empty()) return;
  soci::session& sql = database.sql();
  if (!database.postgresql()) {
    sql << "INSERT INTO recorded (run, metric, process_values, note) VALUES (:run, :metric, :process_values, "
           ":note)",
        soci::use(rows.runs), soci::use(rows.metrics), soci::use(rows.values), soci::use(rows.notes);
    return;
  }
  // Notes may hold any text; JSON escapes it.
  nlohmann::json table = nlohmann::json::array();
  for (std::size_t i = 0; i < rows.runs.size(); ++i)
    table.push_back({{"run", rows.runs[i]},
                     {"metric", rows.metrics[i]},
                     {"process_values", rows.values[i]},
                     {"note", rows.notes[i]}});
  const std::string text = table.dump();
  sql << "INSERT INTO recorded (run, metric, process_values, note) SELECT run, metric, process_values, note "
         "FROM json_to_recordset(CAST(:rows AS json)) AS given (run bigint, metric integer, process_values "
         "text, note text)",
      soci::use(text);
}

}  // namespace gpugauge::store

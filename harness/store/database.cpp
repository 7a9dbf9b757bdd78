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
#include <soci/postgresql/soci-postgresql.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include "result/error.hpp"
#include "store/libpq.hpp"

namespace gpugauge::store {
namespace {

namespace fs = std::filesystem;

bool is_url(const std::string& location) {
  return location.find("://") != std::string::npos;
}

/// The lines of a text behind each other, without the blanks around them: the client library of PostgreSQL
/// indents what it adds.
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

/// A message of the database on one line, without the statement that SOCI appends.
std::string one_line(std::string text) {
  for (const char* const tail : {" while executing ", " while preparing ", " while binding "})
    text = text.substr(0, text.find(tail));
  // Where in SOCI it happened: "sqlite3_statement_backend::loadOne: ".
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

/// An array as PostgreSQL reads it.
template <typename T>
std::string array_text(const std::vector<T>& values) {
  return fmt::format("{{{}}}", fmt::join(values, ","));
}

/// Turns the write-ahead log on; returns the mode that is on then. While others open a new store this is
/// refused at once, whatever SQLite's own timeout says.
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

}  // namespace

Database::Database(const std::string& location, Access access)
    : location_(location), name_(without_password(location)), postgresql_(is_url(location)) {
  check_location(location);
  if (!postgresql_) {
    open_file(location, access);
    return;
  }
  if (!location.starts_with("postgresql://") && !location.starts_with("postgres://"))
    throw result::UsageError(
        fmt::format("the store {}: give a file for SQLite, or postgresql://user@host/database", name_));
  require_libpq();
  guarded([&] {
    // Seconds for each address; connect_timeout in the URL counts more.
    ::setenv("PGCONNECT_TIMEOUT", "15", 0);
    sql_.open(soci::postgresql, location);
    // A lock that is not given within a minute is an error with a sentence; nobody waits for ever.
    sql_ << "SET lock_timeout = '60s'";
    sql_ << "SET client_min_messages = warning";
  });
}

void Database::open_file(const std::string& location, Access access) {
  std::error_code error;
  const fs::path file(location);
  if (access == Access::reading && !fs::exists(file, error))
    throw result::UsageError(
        fmt::format("there is no store at {}: `gpugauge history ingest` makes one", name_));
  if (fs::is_directory(file, error))
    throw result::UsageError(fmt::format("the store {} is a folder; give a file in it", name_));
  if (location.find('"') != std::string::npos)
    throw result::UsageError(fmt::format("the store {} has a quotation mark in its name", name_));
  if (access == Access::writing && file.has_parent_path()) {
    fs::create_directories(file.parent_path(), error);
    if (error)
      throw result::FileError(
          fmt::format("{} could not be made: {}", file.parent_path().string(), error.message()));
  }
  guarded([&] {
    sql_.open(soci::sqlite3, fmt::format("db=\"{}\" timeout=60", location));
    require_own_file(*this);  // before anything is changed in it
    const std::string mode = use_write_ahead_log(sql_);
    if (mode != "wal")
      throw soci::soci_error(
          "its file system takes no write-ahead log (a network share?); use a local file or PostgreSQL");
    // What is committed survives a power cut.
    sql_ << "PRAGMA synchronous = FULL";
    sql_ << "PRAGMA wal_autocheckpoint = 8192";
    sql_ << "PRAGMA cache_size = -65536";
    sql_ << "PRAGMA foreign_keys = ON";
  });
}

void Database::refuse(const soci::soci_error& error) const {
  const std::string said = error.get_error_message();
  const std::string told = without_secrets_of(location_, said);
  // The client library quotes what it could not read: mostly a password that was not escaped.
  throw result::FileError(fmt::format(
      "the store {}: {}{}", name_, one_line(told),
      told == said ? ""
                   : "; in a URL a password's %, /, ?, @, : and # are written %25, %2F, %3F, %40, "
                     "%3A and %23; ~/.pgpass and PGPASSWORD take it as it is"));
}

void Database::refuse_content(const std::logic_error& error) const {
  throw result::FileError(fmt::format(
      "the store {} holds what GPUGauge does not write ({}), so it is damaged: make it again from "
      "the run files with `gpugauge history ingest`",
      name_, error.what()));
}

Transaction::Transaction(Database& database) : sql_(database.sql()) {
  sql_ << (database.postgresql() ? "BEGIN" : "BEGIN IMMEDIATE");
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
  // Four arrays in one round trip: a row each would cost one each. JSON arrays of numbers hold no quotation
  // mark and no backslash.
  const std::string runs = array_text(rows.runs);
  const std::string metrics = array_text(rows.metrics);
  const std::string medians = array_text(rows.medians);
  const std::string values = fmt::format("{{\"{}\"}}", fmt::join(rows.values, "\",\""));
  sql << "INSERT INTO measurement (run, metric, median, process_values) SELECT * FROM unnest("
         "CAST(:runs AS bigint[]), CAST(:metrics AS integer[]), CAST(:medians AS double precision[]), "
         "CAST(:process_values AS text[]))",
      soci::use(runs), soci::use(metrics), soci::use(medians), soci::use(values);
}

}  // namespace gpugauge::store

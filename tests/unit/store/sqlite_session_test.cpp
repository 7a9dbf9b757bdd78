// A store that somebody else made: what its schema may hold, and how long a look at it may take.
#include "store/sqlite_session.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include "result/error.hpp"
#include "store/database.hpp"
#include "unit/store/histories.hpp"

namespace gpugauge::store {
namespace {

using test::record;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

/// Makes a store with one run and changes it as any program may: without what a session of ours forbids.
void change(const std::string& file, const std::vector<std::string>& statements) {
  Store::open(file, Access::writing).ingest({record(1, {1})});
  soci::session sql(soci::sqlite3, "db=\"" + file + "\"");
  for (const std::string& statement : statements) sql << statement;
}

TEST(SqliteSession, TablesAndIndexesAreThoseOfTheSchemaWordForWord) {
  const test::Folder folder;
  std::vector<std::string> of_first_schema = test::to_first_schema;
  of_first_schema.emplace_back("DROP INDEX run_by_device");
  const std::vector<std::pair<std::vector<std::string>, const char*>> changes{
      {{"ALTER TABLE fault ADD COLUMN more AS (hex(zeroblob(5000000)))"}, "'CREATE TABLE fault ...'"},
      {{"DROP INDEX run_by_device"}, "'CREATE INDEX run_by_device ON run ...'"},
      {{"DROP INDEX run_by_time", "CREATE INDEX run_by_time ON run (started) WHERE hex(source) > ''"},
       "'CREATE INDEX run_by_time ON run ...'"},
      {{"DROP TABLE checksum"}, "'CREATE TABLE checksum ...'"},
      {{"ALTER TABLE schema_version ADD COLUMN more AS (hex(zeroblob(5000000)))"},
       "the table schema_version is another one"},
      {of_first_schema, "'CREATE INDEX run_by_device ON run ...'"},
      {{"CREATE INDEX more ON run (hex(source))"}, "a table or an index that is none of its own"},
      {{"CREATE TABLE more (id INTEGER)"}, "a table or an index that is none of its own"}};
  int number = 0;
  for (const auto& [statements, fault] : changes) {
    const std::string file = folder.file(std::to_string(++number));
    change(file, statements);
    for (const Access access : {Access::reading, Access::writing})
      EXPECT_THAT([&] { Store::open(file, access); },
                  ThrowsMessage<result::FileError>(AllOf(HasSubstr(fault), HasSubstr("so it is damaged"))))
          << statements.front();
  }
}

TEST(SqliteSession, WhatSqliteItselfAddsOrWritesAnewIsStillAStore) {
  const test::Folder folder;
  const std::string file = folder.file("store");
  change(file, {"ANALYZE", "VACUUM", "REINDEX"});
  EXPECT_THAT(Store::open(file, Access::reading).night("2026-01-01").rounds, SizeIs(1));
  Store::open(file, Access::writing).ingest({record(2, {1})});
  EXPECT_THAT(Store::open(file, Access::reading).night("2026-01-02").rounds, SizeIs(1));
}

TEST(SqliteSession, AValueAndALookHaveAnEnd) {
  const test::Folder folder;
  Database database(folder.file("store"), Access::writing);
  long long answer = 0;
  const auto ask = [&](const char* statement) {
    database.guarded([&] { database.sql() << statement, soci::into(answer); });
  };
  EXPECT_THAT([&] { ask("SELECT length(zeroblob(20000000))"); },
              ThrowsMessage<result::FileError>(HasSubstr("too big")));
  ask("SELECT length(zeroblob(16000000))");
  EXPECT_EQ(answer, 16000000);
  {
    const TimeLimit none_left(database.sql(), 0);
    EXPECT_THAT(
        [&] {
          ask("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
        },
        ThrowsMessage<result::FileError>(AllOf(HasSubstr("takes longer"), HasSubstr("damaged"))));
  }
  ask("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000) SELECT count(*) FROM "
      "n");
  EXPECT_EQ(answer, 9000);
}

TEST(SqliteSession, AQuotationMarkInTheWholePathIsRefusedBeforeAnythingIsMade) {
  const test::Folder folder;
  const std::string inner = folder.file("with \" mark");
  std::filesystem::create_directory(inner);
  std::filesystem::create_symlink(inner + "/store", folder.file("link"));
  const auto refused = ThrowsMessage<result::UsageError>(HasSubstr("quotation mark"));
  EXPECT_THAT([&] { Store::open(folder.file("link"), Access::writing); }, refused);
  EXPECT_THAT([&] { Store::open(inner + "/store", Access::writing); }, refused);
  const auto back = std::filesystem::current_path();
  std::filesystem::current_path(inner);
  EXPECT_THAT([&] { Store::open("store", Access::writing); }, refused);
  std::filesystem::current_path(back);
  EXPECT_TRUE(std::filesystem::is_empty(inner));
  EXPECT_FALSE(std::filesystem::exists(folder.file("with ")));
  Store::open(folder.file("elsewhere"), Access::writing).ingest({record(1, {1})});
  std::filesystem::rename(folder.file("elsewhere"), inner + "/store");
  EXPECT_THAT(Store::open(folder.file("link"), Access::reading).night("2026-01-01").rounds, SizeIs(1))
      << "what is only read may lie there";
}

}  // namespace
}  // namespace gpugauge::store

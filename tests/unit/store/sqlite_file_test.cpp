// A store in a file: what is refused before it is read or changed, and what is left of it.
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <soci/sqlite3/soci-sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/error.hpp"
#include "result/file.hpp"
#include "store/database.hpp"
#include "unit/store/histories.hpp"

namespace gpugauge::store {
namespace {

using test::record;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

TEST(SqliteFile, SaysInASentenceWhatIsWrong) {
  const test::Folder folder;
  EXPECT_THAT([&] { Store::open(folder.file("none"), Access::reading); },
              ThrowsMessage<result::UsageError>(HasSubstr("`gpugauge history ingest` makes one")));
  EXPECT_THAT([&] { Store::open(folder.file(""), Access::writing); },
              ThrowsMessage<result::UsageError>(HasSubstr("is a folder")));
  std::ofstream(folder.file("text")) << std::string(5000, 'x');
  EXPECT_THAT([&] { Store::open(folder.file("text"), Access::writing); },
              ThrowsMessage<result::FileError>(HasSubstr("not a database")));
  EXPECT_THAT([&] { Store::open("mysql://host/db", Access::writing); },
              ThrowsMessage<result::UsageError>(HasSubstr("postgresql://")));
  Store::open(folder.file("with blanks = and 'signs'"), Access::writing).ingest({record(1, {1})});
  {
    Database damaged(folder.file("with blanks = and 'signs'"), Access::writing);
    damaged.sql() << "PRAGMA foreign_keys = OFF";
    damaged.sql() << "DELETE FROM fingerprint";
  }
  EXPECT_THAT(
      [&] { Store::open(folder.file("with blanks = and 'signs'"), Access::reading).night("2026-01-01"); },
      ThrowsMessage<result::FileError>(HasSubstr("the fingerprint of the run node-1-1 is missing")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("with blanks = and 'signs'")));
}

/// Makes a store with one run, and changes it past every reader of ours.
void damage(const std::string& file, const std::vector<std::string>& statements) {
  Store::open(file, Access::writing).ingest({record(1, {1})});
  Database damaged(file, Access::writing);
  damaged.sql() << "PRAGMA foreign_keys = OFF";
  for (const std::string& statement : statements) damaged.sql() << statement;
}

TEST(SqliteFile, OfSomethingElseIsNeitherReadNorChanged) {
  const test::Folder folder;
  const std::string file = folder.file("other");
  {
    soci::session sql(soci::sqlite3, "db=\"" + file + "\"");
    sql << "CREATE TABLE bookmark (id INTEGER)";
  }
  const std::string before = result::read_file(file);
  for (const Access access : {Access::reading, Access::writing})
    EXPECT_THAT([&] { Store::open(file, access); },
                ThrowsMessage<result::UsageError>(HasSubstr("is a database of something else")));
  EXPECT_EQ(result::read_file(file), before);
}

TEST(SqliteFile, OfSomethingElseStaysByWhateverNameItIsGiven) {
  const test::Folder folder;
  {
    soci::session sql(soci::sqlite3, "db=\"" + folder.file("other") + "\"");
    sql << "CREATE TABLE bookmark (id INTEGER)";
  }
  std::ofstream(folder.file("notes")) << "mine\n";
  for (const char* const name : {"other", "notes"}) {
    const std::string before = result::read_file(folder.file(name));
    EXPECT_ANY_THROW(Store::open(folder.file("missing/../") + name, Access::writing));
    EXPECT_EQ(result::read_file(folder.file(name)), before);
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("missing")));
}

TEST(SqliteFile, ThatALinkLeadsToIsMadeThereAndTheLinkStays) {
  const test::Folder folder;
  std::filesystem::create_symlink(folder.file("share/store"), folder.file("link"));
  std::filesystem::create_symlink("round", folder.file("round"));
  std::ofstream(folder.file("share")) << "not mounted\n";
  EXPECT_ANY_THROW(Store::open(folder.file("link"), Access::writing));
  EXPECT_ANY_THROW(Store::open(folder.file("round"), Access::writing));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("round")));
  ASSERT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  std::filesystem::remove(folder.file("share"));
  Store::open(folder.file("link"), Access::writing).ingest({record(1, {1})});
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_TRUE(std::filesystem::is_regular_file(folder.file("share/store")));
  EXPECT_THAT(Store::open(folder.file("missing/../link"), Access::reading).night("2026-01-01").rounds,
              SizeIs(1));
}

TEST(SqliteFile, WithAViewIsRefusedBeforeItIsAsked) {
  const test::Folder folder;
  damage(folder.file("store"),
         {"DROP TABLE fault",
          "CREATE VIEW fault AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS "
          "run, i AS position, '' AS subject, '' AS status, '' AS reason FROM n"});
  EXPECT_THAT([&] { Store::open(folder.file("store"), Access::reading); },
              ThrowsMessage<result::UsageError>(HasSubstr("views, triggers or virtual tables")));
}

TEST(SqliteFile, ThatHoldsWhatNobodyWritesIsDamaged) {
  const test::Folder folder;
  const std::vector<std::pair<const char*, const char*>> damages{
      {"UPDATE metric SET better = 'sideways'", "'sideways' is no direction"},
      {"UPDATE metric SET class = 'd2O'", "'d2O' is no class of metrics"},
      {"UPDATE metric SET id = -1", "a value of a metric 1 that is missing"},
      {"UPDATE metric SET id = 4611686018427387904", "a value of a metric 1 that is missing"},
      {"UPDATE measurement SET metric = -7", "a value of a metric -7 that is missing"},
      {"UPDATE measurement SET median = 9e999", "a median of inf"},
      {"UPDATE measurement SET median = 0", "a median of 0"},
      {"INSERT INTO health VALUES (1, 0, 'health/xid', 'fine', '')", "a verdict on health that is none"}};
  int number = 0;
  for (const auto& [statement, fault] : damages) {
    const std::string file = folder.file(std::to_string(++number));
    damage(file, {statement});
    Store store = Store::open(file, Access::reading);
    EXPECT_THAT([&] { store.night("2026-01-01"); },
                ThrowsMessage<result::FileError>(::testing::AllOf(HasSubstr(fault), HasSubstr("damaged"))))
        << statement;
  }
  const std::string file = folder.file("values");
  damage(file, {"UPDATE measurement SET process_values = '1,2'"});
  Store store = Store::open(file, Access::reading);
  const auto metrics = store.metrics();
  EXPECT_THAT([&] { store.each_row(store.devices(), metrics, {}, [](const Row&) {}); },
              ThrowsMessage<result::FileError>(HasSubstr("no array of numbers")));
}

TEST(SqliteFile, WhoseRunsNoQuestionWouldFindIsDamaged) {
  const test::Folder folder;
  const std::vector<std::pair<const char*, const char*>> damages{
      {"UPDATE run SET started = 'x'", "a time that is none"},
      {"UPDATE run SET started = ''", "a time that is none"},
      {"UPDATE run SET started = x'00'", "a time that is none"},
      {"UPDATE run SET device = 99", "runs of a device that is missing"},
      {"DELETE FROM device", "runs of a device that is missing"},
      {"DELETE FROM schema_version", "does not say which schema it has"}};
  int number = 0;
  for (const auto& [statement, fault] : damages) {
    const std::string file = folder.file(std::to_string(++number));
    damage(file, {statement});
    EXPECT_THAT([&] { Store::open(file, Access::reading); },
                ThrowsMessage<result::FileError>(::testing::AllOf(HasSubstr(fault), HasSubstr("damaged"))))
        << statement;
  }
  EXPECT_THAT([&] { Store::open(folder.file("6"), Access::writing); },
              ThrowsMessage<result::FileError>(HasSubstr("does not say which schema it has")));
}

TEST(SqliteFile, WithATimeOrAMetricOfNobodyIsDamagedWhereverItIsRead) {
  const test::Folder folder;
  int number = 0;
  for (const char* const statement :
       {"UPDATE run SET started = '2026-01-01T99:00:00Z'", "UPDATE run SET started = '2026-01-01'",
        "UPDATE measurement SET metric = 99"}) {
    const std::string file = folder.file(std::to_string(++number));
    damage(file, {statement});
    Store store = Store::open(file, Access::reading);
    const auto metrics = store.metrics();
    const auto damaged = ThrowsMessage<result::FileError>(HasSubstr("so it is damaged"));
    EXPECT_THAT([&] { store.all_series(store.devices().at(0), {}); }, damaged) << statement;
    EXPECT_THAT([&] { store.night("2026-01-01"); }, damaged) << statement;
    EXPECT_THAT([&] { store.each_row(store.devices(), metrics, {}, [](const Row&) {}); }, damaged)
        << statement;
  }
}

TEST(SqliteFile, IsNeitherMadeNorChangedByWhoReads) {
  const test::Folder folder;
  const std::string file = folder.file("store");
  std::ofstream(folder.file("empty")).flush();
  EXPECT_THAT([&] { Store::open(folder.file("empty"), Access::reading); },
              ThrowsMessage<result::UsageError>(HasSubstr("there is no store at")));
  EXPECT_EQ(std::filesystem::file_size(folder.file("empty")), 0U);
  damage(file, test::to_first_schema);
  const std::string before = result::read_file(file);
  EXPECT_THAT(
      [&] { Store::open(file, Access::reading); },
      ThrowsMessage<result::UsageError>(HasSubstr(
          "has the schema 1, this version of GPUGauge needs 5, and who only reads does not change it")));
  EXPECT_EQ(result::read_file(file), before);
  Store::open(file, Access::writing);
  Database reading(file, Access::reading);
  EXPECT_THAT([&] { reading.guarded([&] { reading.sql() << "DELETE FROM run"; }); },
              ThrowsMessage<result::FileError>(HasSubstr("readonly")));
}

TEST(SqliteFile, TheSeedOfTheFuzzerIsReadToItsEnd) {
  const test::Folder folder;
  std::filesystem::copy_file(
      std::filesystem::path(GPUGAUGE_SOURCE_DIR) / "tests/fuzz/corpus/store_file/history.sqlite",
      folder.file("history.sqlite"));
  Store store = Store::open(folder.file("history.sqlite"), Access::reading);
  const judge::PeersInput night = store.night(store.newest_night().days);
  ASSERT_THAT(night.rounds, SizeIs(1)) << "tests/fuzz/store_corpus.py makes it anew";
  EXPECT_TRUE(night.rounds[0].recorded);
}

TEST(SqliteFile, IsReadWithoutTheRightToWriteAndNeverWhileItIsWritten) {
  const test::Folder folder;
  const std::string file = folder.file("store %25 ? # 'x'");
  Store::open(file, Access::writing).ingest({record(1, {1})});
  std::filesystem::permissions(file, std::filesystem::perms(0444));
  std::filesystem::permissions(folder.file(""), std::filesystem::perms(0555));
  if (::access(file.c_str(), W_OK) == 0) GTEST_SKIP() << "root may write everything";
  {
    Store store = Store::open(file, Access::reading);
    EXPECT_THAT(store.night("2026-01-01").rounds, SizeIs(1));
    EXPECT_THAT([&] { Store::open(file, Access::writing); },
                ThrowsMessage<result::FileError>(HasSubstr("may be read and not written here")));
    std::filesystem::permissions(folder.file(""), std::filesystem::perms(0755));
    std::filesystem::permissions(file, std::filesystem::perms(0644));
    Store::open(file, Access::writing).ingest({record(2, {1})});
    EXPECT_THAT([&] { store.night("2026-01-01"); },
                ThrowsMessage<result::FileError>(HasSubstr("was written while it was read")));
  }
  std::filesystem::permissions(file, std::filesystem::perms(0444));
  std::filesystem::permissions(folder.file(""), std::filesystem::perms(0555));
  EXPECT_THAT(Store::open(file, Access::reading).night("2026-01-02").rounds, SizeIs(1));
  std::filesystem::permissions(folder.file(""), std::filesystem::perms(0755));
}

TEST(SqliteFile, ThatWasRemovedWhileItWasWrittenIsSaid) {
  const test::Folder folder;
  const std::string file = folder.file("store");
  Store store = Store::open(file, Access::writing);
  std::filesystem::rename(file, folder.file("elsewhere"));
  EXPECT_THAT([&] { store.ingest({record(1, {1})}); },
              ThrowsMessage<result::FileError>(HasSubstr("was removed or replaced while it was written")));
}

TEST(SqliteFile, ThatIsNewAndTookNothingIsRemovedAgain) {
  const test::Folder folder;
  Record broken = record(2, {1});
  broken.measured.push_back(broken.measured[0]);
  const auto fails = [&](const std::string& file) {
    EXPECT_THROW(Store::open(file, Access::writing).ingest({broken}), result::FileError);
  };
  fails(folder.file("new"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.file("")));
  Store::open(folder.file("earlier"), Access::writing);
  fails(folder.file("earlier"));
  EXPECT_TRUE(std::filesystem::exists(folder.file("earlier")));
  {
    Store mine = Store::open(folder.file("shared"), Access::writing);
    Store::open(folder.file("shared"), Access::writing).ingest({record(1, {1})});
    EXPECT_THROW(mine.ingest({broken}), result::FileError);
  }
  EXPECT_THAT(Store::open(folder.file("shared"), Access::reading).night("2026-01-01").rounds, SizeIs(1))
      << "another process filled it meanwhile";
}

TEST(SqliteFile, IsARegularFileAndNoAddress) {
  const test::Folder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  for (const Access access : {Access::reading, Access::writing})
    for (const std::string& file : {folder.file("pipe"), std::string("/dev/zero")})
      EXPECT_THAT([&] { Store::open(file, access); },
                  ThrowsMessage<result::FileError>(HasSubstr("is not a regular file")));
  const auto back = std::filesystem::current_path();
  std::filesystem::current_path(folder.file(""));
  Store::open("file:x?mode=memory", Access::writing).ingest({record(1, {1})});
  EXPECT_THAT(Store::open("file:x?mode=memory", Access::reading).night("2026-01-01").rounds, SizeIs(1));
  std::filesystem::current_path(back);
  EXPECT_TRUE(std::filesystem::exists(folder.file("file:x?mode=memory")));
}

}  // namespace
}  // namespace gpugauge::store

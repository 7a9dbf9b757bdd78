// The store against real databases: SQLite always, PostgreSQL where GPUGAUGE_TEST_POSTGRESQL names a server
// (tests/cli/history_postgresql.bats starts one and runs these tests).
#include "store/store.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "result/error.hpp"
#include "store/database.hpp"
#include "unit/store/histories.hpp"
#include "unit/store/on_databases.hpp"

namespace gpugauge::store {
namespace {

using test::record;
using test::StoreTest;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

INSTANTIATE_TEST_SUITE_P(On, StoreTest, ::testing::ValuesIn(test::locations()), [](const auto& parameter) {
  return parameter.param.empty() ? std::string("SQLite") : std::string("PostgreSQL");
});

TEST_P(StoreTest, GivesBackWhatItTookBitForBit) {
  Store store = open();
  const std::vector<double> values{.1 + .2, 1e-300, 123456789012345678.0, 4.9e-5};
  EXPECT_THAT(store.ingest({record(1, values)}), ElementsAre(Outcome::stored));
  std::vector<Row> rows;
  const auto metrics = store.metrics();
  store.each_row(store.devices(), metrics, {}, [&](const Row& row) { rows.push_back(row); });
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(nlohmann::json::parse(rows[0].values).get<std::vector<double>>(), values);
  EXPECT_EQ(rows[0].median, judge::median(values));
  EXPECT_EQ(rows[0].node, "node-1");
  EXPECT_EQ(rows[0].source, "node-1/1.json");
  const auto points = store.series(store.devices().at(0), metrics.at(0), {});
  ASSERT_THAT(points, SizeIs(1));
  EXPECT_EQ(points[0].started, "2026-01-01T03:00:00Z");
  EXPECT_EQ(store.fingerprint(points[0].fingerprint), test::facts());
  EXPECT_THROW(store.fingerprint(4711), result::FileError);
}

TEST_P(StoreTest, KnowsTheSameBytesAndNoticesChangedOnes) {
  Store store = open();
  Record twin = record(1, {5});
  EXPECT_THAT(store.ingest({record(1, {5}), twin}), ElementsAre(Outcome::stored, Outcome::known));
  EXPECT_THAT(open().ingest({twin}), ElementsAre(Outcome::known));
  twin.content_hash = std::string(64, 'b');
  EXPECT_THAT(store.ingest({twin, record(2, {6})}), ElementsAre(Outcome::changed, Outcome::stored));
  EXPECT_EQ(count("run"), 2);
  EXPECT_EQ(count("measurement"), 2);
  EXPECT_THAT(store.content_hashes(), SizeIs(2));
}

TEST_P(StoreTest, TwoMachinesInFoldersOfOneNameAreNotMadeOne) {
  Store store = open();
  const auto of_folder = [](int day, const std::string& id, const std::string& boot) {
    Record out = record(day, {1});
    out.named_by_folder = true;
    out.boot_id = boot;
    out.wall_seconds = 60;
    out.peer.id = id;
    out.content_hash = baseline::sha256(id);
    return out;
  };
  const Record first = of_folder(2, "first", "boot-a"), other = of_folder(2, "other", "boot-b");
  EXPECT_THAT(store.ingest({first, other}), ElementsAre(Outcome::stored, Outcome::other_machine));
  EXPECT_THAT(store.ingest({other, first}), ElementsAre(Outcome::other_machine, Outcome::known));
  EXPECT_THAT(store.ingest({of_folder(3, "next", "boot-c")}), ElementsAre(Outcome::stored)) << "a reboot";
  Record said = other;
  said.named_by_folder = false;
  EXPECT_THAT(store.ingest({said}), ElementsAre(Outcome::stored)) << "somebody said which node it is";
  EXPECT_THAT(store.ingest({first, other}), ElementsAre(Outcome::known, Outcome::known));
  EXPECT_EQ(count("run"), 3);
}

/// A run of the host, as its file came without a word on its node.
Record unnamed(const std::string& id, const std::string& boot, const std::string& host_name = "") {
  Record out = record(2, {1}, "");
  out.identity = out.peer.device = "host";
  out.named_by_folder = true;
  out.boot_id = boot;
  out.host_name = host_name;
  out.wall_seconds = 60;
  out.peer.id = id;
  out.content_hash = baseline::sha256(id);
  return out;
}

TEST_P(StoreTest, TwoHostsWithoutANameAreNotMadeOne) {
  Store store = open();
  EXPECT_THAT(store.ingest({unnamed("a", "boot-a"), unnamed("b", "boot-b"), unnamed("c", "boot-a")}),
              ElementsAre(Outcome::stored, Outcome::other_machine, Outcome::stored));
  Record card = unnamed("d", "boot-d");
  card.identity = card.peer.device = "GPU-2";
  EXPECT_THAT(store.ingest({card}), ElementsAre(Outcome::stored)) << "a card has a name of its own";
  EXPECT_THAT(open().ingest({unnamed("b", "boot-b"), unnamed("e", "")}),
              ElementsAre(Outcome::other_machine, Outcome::stored));
}

TEST_P(StoreTest, FilesOfOtherProgramsAreOfOneMachineUnlessTheySayOtherwise) {
  Store store = open();
  const auto foreign = [](const std::string& id, const std::string& host_name) {
    Record out = unnamed(id, "", host_name);
    result::Fingerprint said;
    said.device["host.name"] = host_name;
    said.suite["suite.profile"] = "google-benchmark";
    out.facts = facts_text(said);
    out.facts_hash = baseline::sha256(out.facts);
    return out;
  };
  EXPECT_THAT(store.ingest({foreign("a", "x"), foreign("b", "x"), foreign("c", "y")}),
              ElementsAre(Outcome::stored, Outcome::stored, Outcome::other_machine));
  EXPECT_THAT(store.ingest({foreign("d", "x"), foreign("e", "y")}),
              ElementsAre(Outcome::stored, Outcome::other_machine));
}

TEST_P(StoreTest, WhatTheDatabaseDoesNotTakeCostsNothingElse) {
  Store store = open();
  Record large = record(2, {1});
  large.measured[0].form.unit = std::string(17 << 20, 'k');
  for (std::size_t i = 0; i < large.measured[0].form.unit.size(); ++i)  // nothing packs it
    large.measured[0].form.unit[i] = static_cast<char>('a' + (i * i / 7 + i * 31) % 26);
  std::map<std::size_t, std::string> refusals;
  EXPECT_THAT(store.ingest({record(1, {1}), large, record(3, {1})}, &refusals),
              ElementsAre(Outcome::stored, Outcome::refused, Outcome::stored));
  ASSERT_THAT(refusals, SizeIs(1));
  EXPECT_THAT(refusals.at(1), HasSubstr("the store "));
  large = record(4, {1});
  large.peer.faults = {{"gemm/a", result::Status::failed, std::string(17 << 20, 'r')}};
  if (GetParam().empty()) {
    EXPECT_THAT(store.ingest({large, record(5, {1})}, &refusals),
                ElementsAre(Outcome::refused, Outcome::stored));
  }
  EXPECT_THAT(store.ingest({record(1, {1}), record(6, {1})}), ElementsAre(Outcome::known, Outcome::stored));
}

TEST_P(StoreTest, OrdersAndBoundsASeriesByTime) {
  Store store = open();
  Record repeated = record(2, {9});
  repeated.round = 2;
  repeated.peer.id = "repeated";
  repeated.content_hash = std::string(64, 'c');
  store.ingest({record(3, {3}), record(1, {1}), repeated, record(2, {2}), record(4, {4}, "node-2")});
  const auto devices = store.devices();
  ASSERT_THAT(devices, SizeIs(2));
  const auto metric = store.metrics().at(0);
  const auto medians = [&](const Device& device, const Span& span) {
    std::vector<double> out;
    for (const Point& point : store.series(device, metric, span)) out.push_back(point.median);
    return out;
  };
  EXPECT_THAT(medians(devices[0], {}), ElementsAre(1, 2, 3)) << "a repeated round is no point of a series";
  EXPECT_THAT(medians(devices[0], {"2026-01-02", ""}), ElementsAre(2, 3));
  EXPECT_THAT(medians(devices[0], {"", "2026-01-03"}), ElementsAre(1, 2));
  EXPECT_THAT(medians(devices[1], {}), ElementsAre(4));
  const auto all = store.all_series(devices[0], {"2026-01-02", ""});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all.at(metric.id), SizeIs(2));
  EXPECT_EQ(all.at(metric.id)[1].median, 3);
}

TEST_P(StoreTest, AFingerprintThatWasForgottenIsReadAgain) {
  Store store = open();
  store.ingest({record(1, {1})});
  const std::int64_t id = store.all_series(store.devices().at(0), {}).begin()->second.at(0).fingerprint;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(store.fingerprint(id).stack.at("driver.version"), "570.86");
    store.forget_fingerprints();
  }
}

TEST_P(StoreTest, TheMetricsThatAreWatchedAreThoseOfTheDevice) {
  Store store = open();
  Record wide = record(2, {2}, "node-2");
  for (const char* const key : {"memory/triad/b:bandwidth", "memory/triad/c:bandwidth"}) {
    wide.measured.push_back(wide.measured[0]);
    wide.measured.back().form.key = key;
  }
  store.ingest({record(1, {1}), wide, record(3, {3}, "node-2")});
  const auto devices = store.devices();
  ASSERT_THAT(devices, SizeIs(2));
  for (const Span& span : {Span{}, Span{"2026-01-02", ""}, Span{"2026-01-03", ""}})
    for (const Device& device : devices)
      EXPECT_EQ(store.watched(device, span), std::max<std::size_t>(1, store.all_series(device, span).size()))
          << device.node << span.since;
  EXPECT_EQ(store.watched(devices[0], {}), 1);
  EXPECT_EQ(store.watched(devices[1], {}), 3);
}

TEST_P(StoreTest, ReadsMoreRowsThanOneBatch) {
  Store store = open();
  Record wide = record(1, {1});
  for (int m = 0; m < 9000; ++m) {
    wide.measured.push_back(wide.measured[0]);
    wide.measured.back().form.key = fmt::format("memory/triad/{:05}:bandwidth", m);
    wide.measured.back().median = m + 1;
  }
  EXPECT_THAT(store.ingest({wide}), Each(Outcome::stored));
  const auto all = store.all_series(store.devices().at(0), {});
  EXPECT_THAT(all, SizeIs(9001));
  std::size_t rows = 0;
  const auto metrics = store.metrics();
  store.each_row(store.devices(), metrics, {}, [&](const Row&) { ++rows; });
  EXPECT_EQ(rows, 9001U);
  const auto night = store.night("2026-01-01");
  ASSERT_THAT(night.rounds, SizeIs(1));
  EXPECT_THAT(night.rounds[0].values, SizeIs(9001));
}

TEST_P(StoreTest, PostgresqlCountsItsRowsOnceManyAreNew) {
  Store store = open();
  Record wide = record(1, {1});
  for (int m = 1; m < 100; ++m) {
    wide.measured.push_back(wide.measured[0]);
    wide.measured.back().form.key = fmt::format("memory/triad/{:03}:bandwidth", m);
  }
  store.ingest({wide});
  store.count_rows(100);
  const auto counted = [&] {
    Database database(location_, Access::reading);
    double rows = 0;
    if (database.postgresql())
      database.sql() << "SELECT reltuples FROM pg_class WHERE oid = to_regclass('gpugauge.measurement')",
          soci::into(rows);
    return rows;
  };
  const double all = GetParam().empty() ? 0 : 100;
  EXPECT_EQ(counted(), all);
  store.ingest({record(2, {1})});
  store.count_rows(1);
  EXPECT_EQ(counted(), all) << "one in a hundred changes no plan";
}

TEST_P(StoreTest, AStoreOfTheFirstVersionIsBroughtUpToDate) {
  { open().ingest({record(5, {3})}); }
  {
    Database database(location_, Access::writing);
    if (database.postgresql()) database.sql() << "SET search_path = gpugauge";
    for (const std::string& statement : test::to_first_schema) database.sql() << statement;
  }
  EXPECT_THROW(open(Access::reading), OlderStore);
  Store store = open();
  EXPECT_FALSE(store.night("2026-01-05").rounds.at(0).choice_known) << "nobody kept it";
  EXPECT_TRUE(store.metrics().at(0).form.judged) << "no other was kept";
  Record next = record(6, {4});
  next.peer.checksums = {{"integrity/gemm/short", {"aa"}}};
  EXPECT_THAT(store.ingest({next}), ElementsAre(Outcome::stored));
  EXPECT_THAT(store.night("2026-01-05").rounds, SizeIs(1)) << "what was there stays";
  EXPECT_THAT(store.night("2026-01-06").rounds.at(0).checksums, SizeIs(1));
  EXPECT_TRUE(store.night("2026-01-06").rounds.at(0).choice_known);
  EXPECT_TRUE(store.metrics().at(0).form.judged);
  EXPECT_EQ(count("schema_version"), 5);
}

TEST_P(StoreTest, AFileIsThereWholeOrNotAtAll) {
  Store store = open();
  Record broken = record(2, {1});
  broken.measured.push_back(broken.measured[0]);  // one metric twice: the database refuses the second
  EXPECT_THROW(store.ingest({record(1, {1}), broken}), result::FileError);
  EXPECT_EQ(count("run"), 0);
  EXPECT_EQ(count("measurement"), 0);
  EXPECT_THAT(store.ingest({record(1, {1})}), ElementsAre(Outcome::stored)) << "the session goes on";
}

TEST_P(StoreTest, RefusesASchemaOfANewerVersion) {
  open();
  {
    Database database(location_, Access::writing);
    if (database.postgresql()) database.sql() << "SET search_path = gpugauge";
    database.sql() << "INSERT INTO schema_version (version, applied, gpugauge) VALUES (99, 'later', '9.0')";
  }
  EXPECT_THAT([&] { open(); }, ThrowsMessage<result::UsageError>(HasSubstr("has the schema 99")));
}

TEST_P(StoreTest, ManyMayMakeAStoreAtOnce) {
  std::vector<std::jthread> threads;
  threads.reserve(6);
  std::atomic<int> failures = 0;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&] {
      try {
        open();
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
        ++failures;
      }
    });
  threads.clear();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(count("schema_version"), 5) << "each migration once";
}

TEST_P(StoreTest, WritersWithTheSameRunsInAnyOrderStoreEachOnce) {
  constexpr int writers = 6, runs = 28;
  std::atomic<int> stored = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(writers);
    for (int w = 0; w < writers; ++w)
      threads.emplace_back([&, w] {
        try {
          Store store = open();
          for (int i = 0; i < runs; i += 4) {
            std::vector<Record> batch;
            batch.reserve(4);
            for (int j = 0; j < 4; ++j)
              batch.push_back(record((i + j) * (w % 2 == 0 ? 1 : -1) + (w % 2 == 0 ? 1 : runs), {1.0 + w}));
            for (const Outcome outcome : store.ingest(batch)) stored += outcome == Outcome::stored ? 1 : 0;
          }
        } catch (const std::exception& error) {
          ADD_FAILURE() << error.what();
        }
      });
  }
  EXPECT_EQ(stored, runs);
  EXPECT_EQ(count("run"), runs);
  EXPECT_EQ(count("measurement"), runs);
}

TEST_P(StoreTest, AKilledWriterLeavesWholeRunsOnly) {
  constexpr int rounds = 4, metrics = 200;
  const auto many = [&](int from, int to) {
    std::vector<Record> out;
    for (int i = from; i < to; ++i) {
      Record one = record(1 + i % 28, {1, 2}, fmt::format("node-{}", i / 28));
      for (int m = 1; m < metrics; ++m) {
        one.measured.push_back(one.measured[0]);
        one.measured.back().form.key = fmt::format("memory/triad/{:03}:bandwidth", m);
      }
      out.push_back(std::move(one));
    }
    return out;
  };
  open();
  long long last = 0;
  for (int round = 0; round < rounds; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        Store store = open();
        for (int i = 0; i < 2000; i += 8) store.ingest(many(i, i + 8));
      } catch (...) {
      }
      ::_exit(0);
    }
    for (int waited = 0; waited < 3000 && count("run") <= last; ++waited) ::usleep(10000);
    ::usleep(static_cast<useconds_t>(7000 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it was done before it was killed";
    wait_for_the_server();
    const long long runs = count("run");
    EXPECT_EQ(count("measurement"), runs * metrics);
    EXPECT_GT(runs, last) << "what was committed stays, and the next writer adds to it";
    last = runs;
  }
  Store store = open();
  const auto all = many(0, static_cast<int>(last) + 8);
  const auto outcomes = store.ingest(all);
  EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), Outcome::known), last);
  EXPECT_EQ(count("run"), last + 8);
  EXPECT_EQ(count("measurement"), (last + 8) * metrics);
}

TEST(PostgresqlServer, ThatIsNotThereIsASentenceWithoutAPassword) {
  const test::Folder folder;
  const std::string url = "postgresql://me:secret@/db?host=" + folder.file("");
  try {
    Store::open(url, Access::writing);
    FAIL() << "there is no server";
  } catch (const result::FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the store postgresql://me@/db"));
    EXPECT_THAT(error.what(), ::testing::Not(HasSubstr("secret")));
    EXPECT_THAT(error.what(), ::testing::Not(HasSubstr("\n")));
    EXPECT_THAT(error.what(), ::testing::Not(HasSubstr("\t"))) << "PostgreSQL's library indents its hint";
    EXPECT_THAT(error.what(), HasSubstr("; Is the server running"));
  }
}

}  // namespace
}  // namespace gpugauge::store

// Runs reduced to records; times; places without passwords.
#include "store/record.hpp"

#include <gmock/gmock.h>

#include "result/error.hpp"
#include "store/store.hpp"
#include "unit/store/histories.hpp"

namespace gpugauge::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

result::BenchmarkResult benchmark(double value, bool right = true) {
  result::BenchmarkResult out;
  out.id = "memory/triad/a";
  result::Metric metric;
  metric.name = "bandwidth";
  metric.unit = "byte/second";
  metric.metric_class = "hbm";
  metric.statistic = "median";
  metric.value = value;
  out.metrics = {metric};
  metric.name = "said";
  metric.judged = false;
  out.metrics.push_back(metric);
  out.verifications = {{"all", right, 0.0, 1.0}};
  return out;
}

result::Run run_of(const std::vector<result::BenchmarkResult>& processes) {
  result::Run run;
  run.id = "01RUN";
  run.complete = true;
  run.started = "2026-01-31T23:30:00-01:00";
  run.profile = "quick";
  run.device = "GPU-1";
  run.boot_id = "boot";
  run.fingerprint = test::facts();
  for (const auto& result : processes) {
    result::Process process;
    process.family = "memory";
    process.samples.emplace();
    process.samples->family = "memory";
    process.samples->benchmarks = {result};
    run.processes.push_back(process);
  }
  return run;
}

TEST(Record, KeepsTheValueOfEachProcessInItsOrder) {
  const Record record =
      record_of(run_of({benchmark(3), benchmark(1), benchmark(2)}), "bytes", "a.json", "n1");
  ASSERT_THAT(record.measured, SizeIs(2));
  EXPECT_EQ(record.measured[0].form.key, "memory/triad/a:bandwidth");
  EXPECT_TRUE(record.measured[0].form.judged);
  EXPECT_EQ(record.measured[0].statistic, "median");
  EXPECT_THAT(record.measured[0].values, ElementsAre(3, 1, 2));
  EXPECT_THAT(record.measured[0].recorded, IsEmpty());
  EXPECT_EQ(record.measured[0].median, 2);
  EXPECT_EQ(record.content_hash, "bytes");
  EXPECT_EQ(record.started, "2026-02-01T00:30:00Z");
  EXPECT_EQ(record.identity, "GPU-1");
  EXPECT_EQ(record.node, "n1");
  EXPECT_EQ(fingerprint_from(record.facts, "facts"), test::facts());
}

TEST(Record, KeepsWhatIsRecordedOnlyApartFromWhatCounts) {
  std::vector<result::BenchmarkResult> processes{benchmark(3), benchmark(1), benchmark(2)};
  processes[1].metrics[0].judged = false;
  processes[1].metrics[0].note = "99 batches are too few";
  for (result::BenchmarkResult& process : processes) process.metrics[1].note = "only said";
  processes[0].metrics[1].value = 0;
  result::Run run = run_of(processes);
  run.only = {"memory/triad/a", "gemm/b"};
  const Record record = record_of(run, "b", "a.json", "");
  ASSERT_THAT(record.measured, SizeIs(2));
  const Measured& some = record.measured[0];
  EXPECT_TRUE(some.form.judged);
  EXPECT_THAT(some.values, ElementsAre(3, 2));
  EXPECT_EQ(some.median, 2.5);
  EXPECT_THAT(some.recorded, ElementsAre(3, 2, 1)) << "those that count, then the others";
  EXPECT_EQ(some.not_judged, "99 batches are too few");
  const Measured& none = record.measured[1];
  EXPECT_EQ(none.form.key, "memory/triad/a:said");
  EXPECT_FALSE(none.form.judged);
  EXPECT_THAT(none.values, IsEmpty());
  EXPECT_THAT(none.recorded, ElementsAre(1, 2)) << "0 is no measurement";
  EXPECT_EQ(none.not_judged, "only said");
  EXPECT_EQ(none.median, 0);
  EXPECT_THAT(record.peer.only, ElementsAre("gemm/b", "memory/triad/a"));
}

TEST(Record, AWrongResultIsAFaultAndNoValue) {
  const Record record = record_of(run_of({benchmark(3), benchmark(9, false)}), "b", "a.json", "");
  ASSERT_THAT(record.measured, SizeIs(2));
  EXPECT_THAT(record.measured[0].values, ElementsAre(3));
  ASSERT_THAT(record.peer.faults, SizeIs(1));
  EXPECT_EQ(record.peer.faults[0].what, "memory/triad/a");
}

TEST(Record, AHostKeepsItsNameFromBootToBoot) {
  result::Run run = run_of({benchmark(1)});
  run.device = "host";
  const Record record = record_of(run, "b", "a.json", "n1");
  EXPECT_EQ(record.identity, "host");
  EXPECT_EQ(record.peer.node, "host of boot boot");
}

TEST(Record, WhatTheJudgeDoesNotCompareIsOfTwoProfiles) {
  result::Run run = run_of({benchmark(1)});
  EXPECT_EQ(record_of(run, "b", "a.json", "").profile, "quick");
  run.fingerprint.suite["suite.version"] = "2";
  run.fingerprint.suite["suite.sustained_seconds"] = "60";
  run.fingerprint.suite["suite.devices_together"] = "8";
  EXPECT_EQ(record_of(run, "b", "a.json", "").profile, "quick, devices_together 8, sustained_seconds 60");
  run = run_of({benchmark(1)});
  run.fingerprint.settings["executable"] = "./build/bench_sum";
  EXPECT_EQ(record_of(run, "b", "a.json", "").profile, "quick");
  run.profile = run.fingerprint.suite["suite.profile"] = "google-benchmark";
  EXPECT_EQ(record_of(run, "b", "a.json", "").profile, "google-benchmark of bench_sum");
  run.fingerprint.settings.clear();
  EXPECT_EQ(record_of(run, "b", "a.json", "").profile, "google-benchmark");
}

TEST(Record, RefusesWhatHasNoPlaceInTimeOrNothingToKeep) {
  result::Run run = run_of({benchmark(1)});
  run.started = "yesterday";
  EXPECT_THAT([&] { record_of(run, "b", "a.json", ""); },
              ThrowsMessage<result::FormatError>(HasSubstr("a.json: it started at 'yesterday'")));
  EXPECT_THAT([&] { record_of(run_of({}), "b", "a.json", ""); },
              ThrowsMessage<result::FormatError>(HasSubstr("neither a value nor a fault")));
}

TEST(Record, AChecksumFitsIntoAKey) {
  result::BenchmarkResult one = benchmark(1);
  one.id = "integrity/gemm/long";
  one.notes["checksum"] = std::string(5000, 'a');
  result::BenchmarkResult other = one;
  other.notes["checksum"].back() = 'b';
  const Record record = record_of(run_of({one, other, one}), "b", "a.json", "");
  ASSERT_TRUE(record.peer.checksums.contains("integrity/gemm/long"));
  const std::vector<std::string>& values = record.peer.checksums.at("integrity/gemm/long");
  ASSERT_THAT(values, SizeIs(2)) << "what differs stays different";
  EXPECT_NE(values[0], values[1]);
  for (const std::string& value : values) EXPECT_EQ(value.size(), 71U) << value;
  one.notes["checksum"] = "0xaa";
  EXPECT_THAT(record_of(run_of({one}), "b", "a.json", "").peer.checksums.at("integrity/gemm/long"),
              ElementsAre("0xaa"));
}

TEST(Record, TextThatNoDatabaseTakesIsReplaced) {
  result::Run run = run_of({benchmark(1)});
  run.boot_id = std::string("a\0b", 3);
  EXPECT_EQ(record_of(run, "b", "a.json", std::string("n\0", 2)).boot_id, "a?b");
  EXPECT_EQ(record_of(run, "b", "a.json", std::string("n\0", 2)).node, "n?");
}

TEST(Record, NamesThatAreNoUtf8StayTwo) {
  const result::Run run = run_of({benchmark(1)});
  const Record record = record_of(run, "b", "node-\xff\xc3/\xc3\xa9.json", "node-\xff\xc3");
  EXPECT_EQ(record.node, "node-\\xff\\xc3");
  EXPECT_EQ(record.source, "node-\\xff\\xc3/\xc3\xa9.json");
  EXPECT_EQ(record.peer.label, record.node);
  EXPECT_EQ(record_of(run, "b", "a.json", "node-\xfe").node, "node-\\xfe");
}

TEST(Record, RefusesWhatIsLongerThanEveryDatabaseTakes) {
  const auto refused = [](const result::Run& run, const std::string& node = "") -> std::string {
    try {
      record_of(run, "b", "a.json", node);
      return "";
    } catch (const result::FormatError& error) {
      return error.what();
    }
  };
  result::Run run = run_of({benchmark(1)});
  EXPECT_EQ(refused(run, std::string(512, 'n')), "");
  EXPECT_THAT(refused(run, std::string(513, 'n')),
              HasSubstr("a.json: its node is 513 bytes long, and a history keeps 512 at most (nnn"));
  run.id = std::string(6000, 'A');
  EXPECT_THAT(refused(run), HasSubstr("a.json: its id is 6000 bytes long"));
  run = run_of({benchmark(1)});
  const std::string name = "memory/" + std::string(2500, 'x');
  run.processes[0].samples->benchmarks[0].id = name;
  EXPECT_EQ(refused(run), "");
  EXPECT_EQ(record_of(run, "b", "a.json", "").measured[0].form.key, name + ":bandwidth");
  run.processes[0].samples->benchmarks[0].id = "memory/" + std::string(1 << 20, 'x');
  EXPECT_THAT(refused(run), HasSubstr("a.json: its metric is 1048593 bytes long"));
  run = run_of({benchmark(1)});
  run.partial_reason = std::string((1 << 20) + 1, 'r');
  EXPECT_THAT(refused(run), HasSubstr("a.json: its partial_reason is 1048577 bytes long"));
  run = run_of({benchmark(1)});
  run.fingerprint.settings["long"] = std::string(17 << 20, 's');
  EXPECT_THAT(refused(run), HasSubstr("a.json: its fingerprint is 17"));
}

TEST(Location, IsPrintedWithoutItsPassword) {
  EXPECT_EQ(without_password("postgresql://me:secret@host:5432/db"), "postgresql://me@host:5432/db");
  EXPECT_EQ(without_password("postgresql://me:s@cret@host/db"), "postgresql://me@host/db");
  EXPECT_EQ(without_password("postgresql:///db?host=/tmp&password=secret&user=me"),
            "postgresql:///db?host=/tmp&user=me");
  EXPECT_EQ(without_password("postgresql:///db?password=secret"), "postgresql:///db");
  // A '/' in a password that nobody escaped: rather too little is shown than a password.
  EXPECT_EQ(without_password("postgresql://ci:aB/c9@db/gauge"), "postgresql://ci@db/gauge");
  EXPECT_EQ(without_password("postgresql://host:5432/a@b"), "postgresql://host@b");
  EXPECT_EQ(without_password("here/history.sqlite"), "here/history.sqlite");
  EXPECT_EQ(without_password("--report=html=x.html"), "--report=html=x.html");
  EXPECT_EQ(without_password("driver=580,torch=2.8"), "driver=580,torch=2.8");
  EXPECT_EQ(without_password("--store=postgresql://me:secret@h/db"), "--store=postgresql://me@h/db");
}

TEST(Location, IsPrintedWithWhereAndAsWhomOnly) {
  EXPECT_EQ(without_password("postgresql://a:1,[::1]:5433,c/db?user=me&sslmode=require&pass%77ord=x"),
            "postgresql://a:1,[::1]:5433,c/db?user=me&sslmode=require");
  EXPECT_EQ(without_password("postgresql://h/db?host=a%20b&port=1&dbname=d&passwrd=s3&options=-c%20x&s3"),
            "postgresql://h/db?host=a%20b&port=1&dbname=d");
  EXPECT_EQ(without_password("postgresql://h/db?PASSWORD=s3"), "postgresql://h/db");
  EXPECT_EQ(without_password("postgresql://me@h/db?application_name=x&host=y"),
            "postgresql://me@h/db?host=y");
  EXPECT_EQ(without_password("host=h user=me password=s3cr3t"), "withheld");
  EXPECT_EQ(without_password("postgresql:me:s3cr3t@h/db"), "withheld");
}

TEST(Location, ShowsRatherTooLittle) {
  for (const std::string location :
       {"postgresql://me:s3cr3t/db", "postgresql://me:s3/cr3t", "postgresql://me:s3/cr3t@h/db",
        "postgresql://me:s3?cr3t@h/db", "postgresql://me:s3@cr3t@h/db", "postgresql://me:s3@cr/3t@h/db",
        "postgresql://me@h:5432/db?password=s3@cr3t", "postgresql://h/db?password=s3@cr3t",
        "postgresql://h/db?a=b@s3&password=cr3t", "postgresql://me:s3@x?cr3t@h",
        "postgresql://me:s3cr3t@[bad/db", "postgresql://me:s3%cr3t@h/db", "postgresql://me:s3,cr3t/db"}) {
    const std::string shown = without_password(location);
    EXPECT_THAT(shown, testing::StartsWith("postgresql://")) << location;
    for (const char* const secret : {"s3", "cr3t", "3t"})
      EXPECT_THAT(shown, testing::Not(testing::HasSubstr(secret))) << location;
  }
}

TEST(Location, ItsSecretsAreTakenOutOfWhatTheDatabaseSays) {
  const auto told = [](const std::string& location, const std::string& text) {
    return without_secrets_of(location, text);
  };
  EXPECT_EQ(told("postgresql://me:s3%cr3t@h/db", R"(invalid percent-encoded token: "s3%cr3t")"),
            R"(invalid percent-encoded token: "withheld")");
  EXPECT_EQ(told("postgresql://me:s3cr3t@[bad/db",
                 R"(end of string reached in URI: "postgresql://me:s3cr3t@[bad/db")"),
            R"(end of string reached in URI: "postgresql://me@[bad/db")");
  EXPECT_EQ(
      told("postgresql://me:s3/cr3t@h/db", R"(invalid integer value "s3" for connection option "port")"),
      R"(invalid integer value "withheld" for connection option "port")");
  EXPECT_EQ(told("postgresql://me:a%40bc@h/db", "said a@bc, and a%40bc"), "said withheld, and withheld")
      << "decoded too";
  EXPECT_EQ(told("postgresql://h/db?pass%77ord=s3cr3t", R"(no "s3cr3t", no s3cr3t)"),
            R"(no "withheld", no withheld)");
  EXPECT_EQ(told("postgresql://h/db?passwrd=s3", R"(invalid URI query parameter: "passwrd")"),
            R"(invalid URI query parameter: "withheld")");
  const std::string useful =
      R"(connection to server at "db7" (10.0.0.7), port 5432 failed: FATAL: database "nights" does not exist)";
  EXPECT_EQ(told("postgresql://me:s3cr3t@db7:5432/nights", useful), useful) << "where and as whom is kept";
  const std::string elsewhere =
      R"(connection to server on socket "/var/run/x" failed: role "root" does not exist)";
  EXPECT_EQ(told("postgresql:///db?password=s3cr3t", elsewhere), elsewhere);
  EXPECT_EQ(told("here/history.sqlite", R"(no "here")"), R"(no "here")");
}

TEST(Location, KeywordsAreRefusedAndNotRepeated) {
  for (const std::string location : {"host=h password=s3cr3t", " dbname = x", "password='s3cr3t'",
                                     "postgresql:me:s3cr3t@h/db", "postgres:/me:s3cr3t@h/db"}) {
    EXPECT_TRUE(is_connection_text(location)) << location;
    try {
      check_location(location);
      ADD_FAILURE() << location << " was taken";
    } catch (const result::UsageError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("write postgresql://"));
      EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("s3cr3t")));
    }
  }
  for (const std::string location :
       {"postgresql://h/db?user=me", "./host=h", "history.sqlite", "a b=c", "=", "", "/x/y=z"}) {
    EXPECT_FALSE(is_connection_text(location)) << location;
    EXPECT_NO_THROW(check_location(location));
  }
}

}  // namespace
}  // namespace gpugauge::store

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
  ASSERT_THAT(record.measured, SizeIs(1));
  EXPECT_EQ(record.measured[0].form.key, "memory/triad/a:bandwidth");
  EXPECT_THAT(record.measured[0].values, ElementsAre(3, 1, 2));
  EXPECT_EQ(record.measured[0].median, 2);
  EXPECT_EQ(record.content_hash, "bytes");
  EXPECT_EQ(record.started, "2026-02-01T00:30:00Z");
  EXPECT_EQ(record.identity, "GPU-1");
  EXPECT_EQ(record.node, "n1");
  EXPECT_EQ(fingerprint_from(record.facts, "facts"), test::facts());
}

TEST(Record, AWrongResultIsAFaultAndNoValue) {
  const Record record = record_of(run_of({benchmark(3), benchmark(9, false)}), "b", "a.json", "");
  ASSERT_THAT(record.measured, SizeIs(1));
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

TEST(Record, RefusesWhatHasNoPlaceInTimeOrNothingToKeep) {
  result::Run run = run_of({benchmark(1)});
  run.started = "yesterday";
  EXPECT_THAT([&] { record_of(run, "b", "a.json", ""); },
              ThrowsMessage<result::FormatError>(HasSubstr("a.json: it started at 'yesterday'")));
  EXPECT_THAT([&] { record_of(run_of({}), "b", "a.json", ""); },
              ThrowsMessage<result::FormatError>(HasSubstr("neither a judged value nor a fault")));
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

TEST(Time, IsReadFromAnyZone) {
  EXPECT_EQ(utc_time("2026-03-01T00:10:00+02:00"), "2026-02-28T22:10:00Z");
  EXPECT_EQ(utc_time("2024-02-28T23:59:59.123-00:30"), "2024-02-29T00:29:59Z");
  EXPECT_EQ(utc_time("2026-01-01 00:00:00Z"), "2026-01-01T00:00:00Z");
  for (const char* const bad :
       {"", "2026-02-30T00:00:00Z", "2026-01-01", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00",
        "2026-01-01T00:00:00Zz", "2026-01-01T00:00:00+0100", "-026-01-01T00:00:00Z", "2026-01-01T00:00:00.Z",
        "9999-12-31T23:59:60Z", "0000-01-01T00:00:00+00:01"})
    EXPECT_EQ(utc_time(bad), std::nullopt) << bad;
}

TEST(Time, DaysFollowEachOther) {
  EXPECT_EQ(day_after("2026-02-28"), "2026-03-01");
  EXPECT_EQ(day_after("2024-02-28"), "2024-02-29");
  EXPECT_EQ(day_after("2026-12-31"), "2027-01-01");
  EXPECT_TRUE(is_day("2026-12-31"));
  EXPECT_FALSE(is_day("2026-13-01"));
  EXPECT_FALSE(is_day("2026-12-31T00"));
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
}

}  // namespace
}  // namespace gpugauge::store

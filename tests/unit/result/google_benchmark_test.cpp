// Google Benchmark's JSON as a run.
#include "result/google_benchmark.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result/error.hpp"

namespace gpugauge::result {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string file(const std::string& benchmarks) {
  return R"({"context": {"date": "2026-11-21T10:00:00+00:00", "host_name": "node7", "num_cpus": 8, "mhz_per_cpu": 2400,
    "cpu_scaling_enabled": true, "library_build_type": "debug", "load_avg": [2.5, 1, 1]}, "benchmarks": [)" +
         benchmarks + "]}";
}
std::string repetition(const std::string& name, double time, const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "run_name": ")" + name +
         R"(", "run_type": "iteration", "iterations": 100,
    "real_time": )" +
         std::to_string(time) + R"(, "cpu_time": 1, "time_unit": "us")" + more + "}";
}

TEST(GoogleBenchmark, EveryRepetitionIsKeptAndTheMedianJudged) {
  const result::Run run = parse_google_benchmark(
      file(repetition("BM_a/8", 3) + "," + repetition("BM_a/8", 1) + "," + repetition("BM_a/8", 2)),
      "a.json");
  const BenchmarkResult& found = run.processes.front().samples->benchmarks.front();
  EXPECT_EQ(found.id, "BM_a/8");
  ASSERT_EQ(found.metrics.size(), 1U);
  EXPECT_NEAR(found.metrics[0].value, 2e-6, 1e-15);
  EXPECT_EQ(found.metrics[0].unit, "second");
  EXPECT_EQ(found.metrics[0].better, Direction::lower);
  EXPECT_THAT(found.batches.seconds_per_operation, ElementsAre(3e-6, 1e-6, 2e-6));
  EXPECT_EQ(run.fingerprint.device.at("host.name"), "node7");
  EXPECT_EQ(run.fingerprint.device.at("host.processors"), "8");
}

TEST(GoogleBenchmark, SaysWhatMakesItsNumbersDoubtful) {
  const result::Run run =
      parse_google_benchmark(file(repetition("a", 1, R"(, "bytes_per_second": 5e9, "mine": 3)")), "a.json");
  EXPECT_THAT(run.remarks, Contains(HasSubstr("cpu_scaling_enabled")));
  EXPECT_THAT(run.remarks, Contains(HasSubstr("debug build")));
  EXPECT_THAT(run.remarks, Contains(HasSubstr("load 2.5")));
  EXPECT_THAT(run.remarks, Contains(HasSubstr("2 counter values are not judged")));
}

TEST(GoogleBenchmark, TakesTheMedianWhereOnlyAggregatesAreThere) {
  const auto aggregate = [](const char* kind, double time) {
    return R"({"name": "a_)" + std::string(kind) +
           R"(", "run_name": "a", "run_type": "aggregate", "aggregate_name": ")" + kind +
           R"(", "aggregate_unit": "time", "iterations": 3, "real_time": )" + std::to_string(time) +
           R"(, "time_unit": "ms"})";
  };
  const result::Run run = parse_google_benchmark(
      file(aggregate("mean", 2) + "," + aggregate("median", 1) + "," + aggregate("stddev", 9)), "a.json");
  const Metric& metric = run.processes.front().samples->benchmarks.front().metrics.front();
  EXPECT_NEAR(metric.value, 1e-3, 1e-12);
  EXPECT_THAT(metric.note, HasSubstr("aggregate"));
}

TEST(GoogleBenchmark, ABenchmarkThatFailedIsFailed) {
  const result::Run run = parse_google_benchmark(
      file(
          R"({"name": "a", "run_name": "a", "run_type": "iteration", "error_occurred": true, "error_message": "no device"})"),
      "a.json");
  const BenchmarkResult& found = run.processes.front().samples->benchmarks.front();
  EXPECT_EQ(found.status, Status::failed);
  EXPECT_EQ(found.reason, "no device");
}

TEST(GoogleBenchmark, ARepetitionThatFailedIsNotForgottenForOthers) {
  const std::string failed =
      R"({"name": "a", "run_name": "a", "run_type": "iteration", "error_occurred": true, "error_message": "no device"})";
  const std::string skipped =
      R"({"name": "a", "run_name": "a", "run_type": "iteration", "skipped": true, "skip_message": "too small"})";
  const std::string passed = repetition("a", 1);
  const std::vector<std::pair<std::string, std::string>> orders = {
      {passed, failed}, {failed, passed}, {failed, skipped}, {skipped, failed}};
  for (const auto& [first, second] : orders) {
    const std::string text = file(fmt::format("{},{}", first, second));
    const result::Run run = parse_google_benchmark(text, "a.json");
    const BenchmarkResult& found = run.processes.front().samples->benchmarks.front();
    EXPECT_EQ(found.status, Status::failed) << text;
    EXPECT_EQ(found.reason, "no device") << text;
    EXPECT_TRUE(found.metrics.empty());
  }
  const result::Run run = parse_google_benchmark(file(skipped), "a.json");
  EXPECT_EQ(run.processes.front().samples->benchmarks.front().status, Status::skipped);
}

TEST(GoogleBenchmark, TimeUnitsMayDifferFromBenchmarkToBenchmark) {
  const auto entry = [](const char* name, const char* time, const char* unit) {
    return fmt::format(
        R"({{"name": "{0}", "run_name": "{0}", "run_type": "iteration", "iterations": 1, "real_time": {1}, "time_unit": "{2}"}})",
        name, time, unit);
  };
  const result::Run run =
      parse_google_benchmark(file(entry("a", "1500", "us") + "," + entry("a", "1.5", "ms") + "," +
                                  entry("a", "1500000", "ns") + "," + entry("b", "2", "s")),
                             "a.json");
  const auto& found = run.processes.front().samples->benchmarks;
  ASSERT_EQ(found.size(), 2U);
  for (const double seconds : found[0].batches.seconds_per_operation) EXPECT_NEAR(seconds, 1.5e-3, 1e-15);
  EXPECT_EQ(found[1].metrics[0].value, 2);
}

TEST(GoogleBenchmark, AComplexityFitIsNoMeasurement) {
  const std::string fit =
      R"({"name": "a_BigO", "run_name": "a", "run_type": "aggregate", "aggregate_name": "BigO", "aggregate_unit": "time",
          "cpu_coefficient": 1.2, "real_coefficient": 1.2, "big_o": "N", "time_unit": "ns"})";
  const result::Run run = parse_google_benchmark(file(repetition("a/8", 1) + "," + fit), "a.json");
  ASSERT_EQ(run.processes.front().samples->benchmarks.size(), 1U);
  EXPECT_EQ(run.processes.front().samples->benchmarks.front().id, "a/8");
}

TEST(GoogleBenchmark, ACounterThatIsNotFiniteCostsNothing) {
  const result::Run run = parse_google_benchmark(
      file(repetition("a", 1, R"(, "rate": NaN, "share":Infinity, "label": "is NaN, \"NaN, \\ ")") + "," +
           R"({"name": "a_rms", "run_name": "a", "run_type": "aggregate", "aggregate_name": "RMS",
               "aggregate_unit": "percentage", "rms": -Infinity})" +
           "," + repetition("b", 2, R"(, "last": NaN)")),
      "a.json");
  const auto& found = run.processes.front().samples->benchmarks;
  ASSERT_EQ(found.size(), 2U);
  for (const BenchmarkResult& one : found) EXPECT_EQ(one.status, Status::ok) << one.reason;
  EXPECT_THAT(run.remarks, Contains(HasSubstr("3 counter values are not judged")));
}

TEST(GoogleBenchmark, ATimeThatCannotBeOneFailsItsBenchmarkAlone) {
  const auto timed = [](const std::string& time) {
    return R"({"name": "BM_none", "run_type": "iteration", "iterations": 1, "real_time": )" + time +
           R"(, "time_unit": "ns"})";
  };
  for (const char* time : {"0", "0.0", "-1", "NaN", "Infinity", "-Infinity", "null", "1e300"}) {
    const result::Run run =
        parse_google_benchmark(file(repetition("a", 1) + "," + timed("5") + "," + timed(time)), "a.json");
    const auto& found = run.processes.front().samples->benchmarks;
    ASSERT_EQ(found.size(), 2U) << time;
    EXPECT_EQ(found[0].id, "BM_none");
    EXPECT_EQ(found[0].status, Status::failed) << time;
    EXPECT_THAT(found[0].reason, HasSubstr("its real_time is")) << time;
    EXPECT_TRUE(found[0].metrics.empty());
    EXPECT_EQ(found[1].status, Status::ok);
  }
}

TEST(GoogleBenchmark, OnlyWholeWordsOutsideStringsAreNotFinite) {
  for (const char* broken : {"NaNo", "nan", "-NaN", "Infinity7", "+Infinity"})
    EXPECT_THROW(
        parse_google_benchmark(file(repetition("a", 1, std::string(R"(, "x": )") + broken)), "a.json"),
        FormatError)
        << broken;
  const result::Run run = parse_google_benchmark(file(repetition("NaN,", 1)), "a.json");
  EXPECT_EQ(run.processes.front().samples->benchmarks.front().id, "NaN,");
}

TEST(GoogleBenchmark, ATimeThatNoSumCouldHoldFails) {
  // Two of them have no median, and each times its iterations is no number.
  const std::string one =
      R"({"name": "a", "iterations": 9223372036854775807, "real_time": 1.7e308, "time_unit": "s"})";
  const result::Run run = parse_google_benchmark(file(one + "," + one), "a.json");
  EXPECT_EQ(run.processes.front().samples->benchmarks.front().status, Status::failed);
  const std::string long_one =
      R"({"name": "a", "iterations": 9223372036854775807, "real_time": 9e20, "time_unit": "ns"})";
  EXPECT_LT(parse_google_benchmark(file(long_one + "," + long_one), "a.json").wall_seconds, 1e33);
}

TEST(GoogleBenchmark, OneNameOfTwoBenchmarksTellsOfNeither) {
  const auto at = [](const char* name, double time, int family, int instance) {
    return repetition(
        name, time,
        fmt::format(R"(, "family_index": {}, "per_family_instance_index": {})", family, instance));
  };
  const auto first = [](const std::string& benchmarks) {
    return parse_google_benchmark(file(benchmarks), "a.json").processes.front().samples->benchmarks.front();
  };
  for (const auto& [family, instance] : {std::pair{1, 0}, std::pair{0, 1}}) {
    const BenchmarkResult both = first(at("a", 1, 0, 0) + "," + at("a", 9, family, instance));
    EXPECT_EQ(both.status, Status::skipped);
    EXPECT_THAT(both.reason, HasSubstr("stands for two benchmarks"));
    EXPECT_TRUE(both.metrics.empty());
  }
  // A fit to a curve stands under the bare name of its family, whatever else is called so.
  const std::string fit =
      R"({"name": "a_BigO", "run_name": "a", "run_type": "aggregate", "aggregate_name": "BigO", "real_coefficient": 1,
          "family_index": 1, "per_family_instance_index": 0})";
  EXPECT_EQ(first(at("a", 1, 0, 0) + "," + fit).status, Status::ok);
  EXPECT_EQ(first(fit + "," + at("a", 1, 0, 0)).status, Status::ok);
  // Repetitions stand at one place, and older writers tell none.
  EXPECT_EQ(first(at("a", 1, 0, 0) + "," + at("a", 2, 0, 0)).status, Status::ok);
  EXPECT_EQ(first(at("a", 1, 0, 0) + "," + repetition("a", 2)).status, Status::ok);
}

TEST(GoogleBenchmark, ItsDateIsReadAsUtc) {
  const auto started = [](const std::string& date) {
    return parse_google_benchmark(
               R"({"context": {"date": ")" + date + R"("}, "benchmarks": [)" + repetition("a", 1) + "]}",
               "a.json")
        .started;
  };
  EXPECT_EQ(started("2026-06-01T10:00:00-08:00"), "2026-06-01T18:00:00Z");
  EXPECT_EQ(started("2026-01-01T00:30:00+01:00"), "2025-12-31T23:30:00Z");
  EXPECT_EQ(started("2019-06-01 10:00:00"), "2019-06-01 10:00:00") << "of an unknown zone";
}

TEST(GoogleBenchmark, CountsOneCounterAsOne) {
  const result::Run run = parse_google_benchmark(file(repetition("a", 1, R"(, "mine": 3)")), "a.json");
  EXPECT_THAT(run.remarks, Contains("1 counter value is not judged: the file does not say which way it is "
                                    "better."));
}

TEST(GoogleBenchmark, IsToldFromARunFile) {
  EXPECT_TRUE(is_google_benchmark(file(repetition("a", 1))));
  EXPECT_FALSE(is_google_benchmark(R"({"schema": "gpugauge.run/1", "context": {}, "benchmarks": []})"));
  EXPECT_FALSE(is_google_benchmark("{}"));
}

TEST(GoogleBenchmark, TheSameFileHasTheSameIdAndAnotherAnother) {
  const std::string a = file(repetition("a", 1));
  EXPECT_EQ(parse_google_benchmark(a, "x").id, parse_google_benchmark(a, "y").id);
  EXPECT_NE(parse_google_benchmark(a, "x").id, parse_google_benchmark(file(repetition("a", 2)), "x").id);
  EXPECT_EQ(parse_google_benchmark(a, "x").id.size(), 26U);
}

TEST(GoogleBenchmark, EachFaultIsNamedWithItsPlace) {
  const auto fault = [](const std::string& text) -> std::string {
    try {
      parse_google_benchmark(text, "a.json");
    } catch (const FormatError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(fault(file("")), HasSubstr("holds no measured benchmark"));
  EXPECT_THAT(fault(file("3")), HasSubstr("benchmarks[0]: should be an object"));
  EXPECT_THAT(fault(file(R"({"run_type": "iteration"})")), HasSubstr("has no name"));
  EXPECT_THAT(fault(file(R"({"name": "a", "real_time": "fast"})")), HasSubstr("no real_time"));
  EXPECT_THAT(fault(file(R"({"name": "a", "real_time": 1, "time_unit": "h"})")), HasSubstr("'h'"));
  EXPECT_THAT(fault(file(R"({"name": "a", "real_time": 1})")), HasSubstr("benchmarks[0]: has no time_unit"));
  EXPECT_THAT(fault(file(R"({"name": "a", "real_time": 1, "time_unit": 7})")),
              HasSubstr("benchmarks[0].time_unit: should be text: ns, us, ms or s"));
  EXPECT_THAT(fault(file(R"({"name": "a", "real_time": 0x3})")), HasSubstr("not JSON at byte"));
  EXPECT_THAT(fault(R"({"context": {}})"), HasSubstr("benchmarks"));
}

}  // namespace
}  // namespace gpugauge::result

#include "support/recorder.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "result/file.hpp"
#include "result/temporary_directory.hpp"

namespace {

using namespace gpugauge;

/// A family that was begun and has measured nothing yet.
result::Samples known() {
  result::Samples samples;
  samples.family = "host";
  return samples;
}

TEST(Recorder, KeepsTheBenchmarkThatIsMeasuredAsInterrupted) {
  const result::TemporaryDirectory folder;
  const auto file = folder.path() / "host.json";
  bench::Recorder recorder(known(), file);
  recorder.begin("host/one", {});
  recorder.begin("host/two", {});
  const auto kept = result::parse_samples(result::read_file(file), "host.json");
  ASSERT_EQ(kept.benchmarks.size(), 1U);
  EXPECT_EQ(kept.benchmarks.front().id, "host/two");
  EXPECT_EQ(kept.benchmarks.front().status, result::Status::interrupted);
  EXPECT_EQ(kept.status, result::Status::failed);
}

result::BenchmarkResult finished(const std::string& id) {
  result::BenchmarkResult one;
  one.id = id;
  one.status = result::Status::ok;
  return one;
}

result::Samples kept_in(const std::filesystem::path& file) {
  return result::parse_samples(result::read_file(file), "host.json");
}

/// Whoever dies between two benchmarks dies in neither.
TEST(Recorder, BlamesNoBenchmarkThatIsFinished) {
  const result::TemporaryDirectory folder;
  const auto file = folder.path() / "host.json";
  bench::Recorder recorder(known(), file);
  recorder.begin("host/one", {});
  recorder.add(finished("host/one"));
  const auto kept = kept_in(file);
  ASSERT_EQ(kept.benchmarks.size(), 1U);
  EXPECT_EQ(kept.benchmarks.front().status, result::Status::ok);
  EXPECT_EQ(kept.status, result::Status::failed);
  EXPECT_EQ(kept.reason, "the process ended before everything was measured");
}

/// The file of the benchmark before would blame that one for the end of the process.
TEST(Recorder, LeavesNoFileThatBlamesAnEarlierBenchmarkWhereItCannotWrite) {
  const result::TemporaryDirectory folder;
  const auto file = folder.path() / "host.json";
  bench::Recorder recorder(known(), file);
  recorder.begin("host/one", {});
  ASSERT_TRUE(std::filesystem::exists(file));
  const auto full = folder.path() / "host.json.part";
  std::filesystem::create_symlink("/dev/full", full);
  recorder.begin("host/two", {});
  EXPECT_FALSE(std::filesystem::exists(file));
  recorder.begin("host/three", {});
  EXPECT_EQ(kept_in(file).benchmarks.front().id, "host/three");
}

TEST(Recorder, KeepsTheResultsSoFarWhereItCannotWriteForAMoment) {
  const result::TemporaryDirectory folder;
  const auto file = folder.path() / "host.json";
  bench::Recorder recorder(known(), file);
  recorder.begin("host/one", {});
  recorder.add(finished("host/one"));
  const auto full = folder.path() / "host.json.part";
  std::filesystem::create_symlink("/dev/full", full);
  recorder.begin("host/two", {});
  ASSERT_EQ(kept_in(file).benchmarks.size(), 1U);
  EXPECT_EQ(kept_in(file).benchmarks.front().id, "host/one");
  EXPECT_EQ(kept_in(file).benchmarks.front().status, result::Status::ok);
  recorder.add(finished("host/two"));
  EXPECT_EQ(kept_in(file).benchmarks.size(), 2U);
}

TEST(Recorder, LeavesNoFileOfAnEarlierBenchmarkWhereItCannotRename) {
  const result::TemporaryDirectory folder;
  const auto file = folder.path() / "host.json";
  bench::Recorder recorder(known(), file);
  std::filesystem::create_directory(file);
  recorder.begin("host/one", {});
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "host.json.part"));
}

}  // namespace

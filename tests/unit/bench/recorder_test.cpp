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

/// The file of the benchmark before would blame that one for the end of the process.
TEST(Recorder, LeavesNoFileOfAnEarlierBenchmarkWhereItCannotWrite) {
  const result::TemporaryDirectory folder;
  const auto file = folder.path() / "host.json";
  bench::Recorder recorder(known(), file);
  recorder.begin("host/one", {});
  ASSERT_TRUE(std::filesystem::exists(file));
  std::filesystem::create_symlink("/dev/full", folder.path() / "host.json.part");
  recorder.begin("host/two", {});
  EXPECT_FALSE(std::filesystem::exists(file));
  recorder.begin("host/three", {});
  EXPECT_EQ(result::parse_samples(result::read_file(file), "host.json").benchmarks.front().id, "host/three");
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

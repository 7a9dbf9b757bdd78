// Which files of NVIDIA's libraries a run's fingerprint names: those that its processes mapped.
#include "conductor/node_fingerprint.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result/file.hpp"
#include "result/temporary_directory.hpp"

namespace gpugauge::conductor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A run whose fingerprint names one file of cuBLAS, and whose processes mapped these.
result::Run run_with(const std::string& named, const std::vector<std::string>& mapped) {
  result::Run out;
  out.fingerprint.stack = {{"cublas.path", named}, {"cublas.version", "of the name"}};
  for (const std::string& path : mapped) {
    result::Process process;
    process.samples.emplace();
    if (!path.empty()) process.samples->context["library.libcublas"] = path;
    out.processes.push_back(std::move(process));
  }
  out.processes.emplace_back();  // one that left nothing
  return out;
}

TEST(AddMappedLibraries, ReplacesWhatWasNotLoaded) {
  result::Run run = run_with("/usr/lib/libcublas.so.13", {"", "/opt/cuda/libcublas.so.13.1.0.3"});
  add_mapped_libraries(run, {});
  EXPECT_EQ(run.fingerprint.stack.at("cublas.path"), "/opt/cuda/libcublas.so.13.1.0.3");
  EXPECT_EQ(run.fingerprint.stack.at("cublas.version"), "13.1.0.3");
  EXPECT_THAT(run.remarks, IsEmpty());
}

TEST(AddMappedLibraries, LeavesTheNameOfTheSameFile) {
  const result::TemporaryDirectory folder;
  const auto real = std::filesystem::canonical(folder.path()) / "libcublas.so.13.1.0.3";
  result::write_file(real, "");
  std::filesystem::create_symlink(real, folder.path() / "libcublas.so.13");
  const std::string named = (folder.path() / "libcublas.so.13").string();
  result::Run run = run_with(named, {real.string()});
  add_mapped_libraries(run, {});
  EXPECT_EQ(run.fingerprint.stack.at("cublas.path"), named) << "or rounds without the family would differ";
  EXPECT_EQ(run.fingerprint.stack.at("cublas.version"), "of the name");
}

TEST(AddMappedLibraries, SaysThatTwoProcessesLoadedTwo) {
  result::Run run = run_with("absent", {"/a/libcublas.so.13.1.0.3", "/b/libcublas.so.13.0.0.19"});
  add_mapped_libraries(run, {});
  EXPECT_EQ(run.fingerprint.stack.at("cublas.version"), "13.1.0.3, 13.0.0.19");
  ASSERT_EQ(run.remarks.size(), 1U);
  EXPECT_THAT(run.remarks[0],
              HasSubstr("did not load one cublas: /a/libcublas.so.13.1.0.3, /b/libcublas.so.13.0.0.19"));
}

TEST(AddMappedLibraries, LeavesARunThatMappedNone) {
  result::Run run = run_with("absent", {"", ""});
  const result::Fingerprint before = run.fingerprint;
  add_mapped_libraries(run, {});
  EXPECT_EQ(run.fingerprint.stack.at("cublas.path"), before.stack.at("cublas.path"));
  EXPECT_EQ(run.fingerprint.stack, before.stack) << "no fact is made up";
}

TEST(AddMappedLibraries, ANarrowedRoundIsOfTheStackThatTheOneBeforeWasOf) {
  result::Run first = run_with("/usr/lib/libcublas.so.13", {"/opt/cuda/libcublas.so.13.1.0.3"});
  add_mapped_libraries(first, {});
  result::Run narrowed = run_with("/usr/lib/libcublas.so.13", {""});
  add_mapped_libraries(narrowed, library_facts(first));
  EXPECT_EQ(narrowed.fingerprint.stack, first.fingerprint.stack);
}

TEST(AddMappedLibraries, ANarrowedRoundThatLoadedOneOfTwoIsOfTheSameStack) {
  result::Run first = run_with("absent", {"/a/libcublas.so.13.1.0.3", "/b/libcublas.so.13.0.0.19"});
  add_mapped_libraries(first, {});
  result::Run narrowed = run_with("absent", {"/b/libcublas.so.13.0.0.19", ""});
  add_mapped_libraries(narrowed, library_facts(first));
  EXPECT_EQ(narrowed.fingerprint.stack, first.fingerprint.stack);
  EXPECT_THAT(narrowed.remarks, IsEmpty());
  result::Run replaced = run_with("absent", {"/b/libcublas.so.13.0.0.19", "/b/libcublas.so.13.0.0.1"});
  add_mapped_libraries(replaced, library_facts(first));
  EXPECT_EQ(replaced.fingerprint.stack.at("cublas.version"), "13.0.0.1, 13.0.0.19");
}

TEST(AddMappedLibraries, AVersionStandsOnce) {
  result::Run run = run_with("absent", {"/a/libcublas.so.13.1.0.3", "/b/libcublas.so.13.1.0.3"});
  add_mapped_libraries(run, {});
  EXPECT_EQ(run.fingerprint.stack.at("cublas.path"), "/a/libcublas.so.13.1.0.3, /b/libcublas.so.13.1.0.3");
  EXPECT_EQ(run.fingerprint.stack.at("cublas.version"), "13.1.0.3");
}

}  // namespace
}  // namespace gpugauge::conductor

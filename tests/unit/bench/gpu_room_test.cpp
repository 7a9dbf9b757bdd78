// Who is to blame where a GPU has too little memory.
#include "support/gpu_room.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "result/occupied.hpp"
#include "result/temporary_directory.hpp"
#include "support/environment.hpp"
#include "support/family.hpp"

namespace gpugauge::bench {
namespace {

constexpr std::size_t gibibyte = std::size_t{1} << 30;

GpuMemory of(std::size_t total, std::size_t free) {
  return {.total = total * gibibyte, .free = free * gibibyte};
}

TEST(GpuRoom, IsThreeQuartersOfAGpuLessItsTenth) {
  EXPECT_TRUE(has_room(of(80, 0), 52 * gibibyte));
  EXPECT_FALSE(has_room(of(80, 80), 53 * gibibyte));
  GpuMemory shared = of(80, 0);
  shared.shared_with_host = true;
  EXPECT_FALSE(has_room(shared, 1)) << "the host's files and programs are not somebody else's";
}

TEST(GpuRoom, WhatAGpuOfItsSizeHasIsHeldByOthers) {
  EXPECT_TRUE(held_by_others(OutOfGpuMemory("x", gibibyte), of(80, 70)))
      << "whoever held it may have gone meanwhile";
  EXPECT_TRUE(held_by_others(OutOfGpuMemory("x", 60 * gibibyte), of(80, 40)));
  EXPECT_FALSE(held_by_others(OutOfGpuMemory("x", 90 * gibibyte), of(80, 79)));
}

TEST(GpuRoom, OfWhatALibraryAskedForTheFreeMemoryTells) {
  EXPECT_TRUE(held_by_others(OutOfGpuMemory("x"), of(80, 40)));
  EXPECT_FALSE(held_by_others(OutOfGpuMemory("x"), of(80, 79)));
  GpuMemory shared = of(80, 1);
  shared.shared_with_host = true;
  EXPECT_FALSE(held_by_others(OutOfGpuMemory("x"), shared));
}

TEST(GpuRoom, ALibraryThatDoesNotSayWhyItWasNotSetUpLacksMemoryWhereLittleIsFree) {
  GpuMemory gpu = of(80, 1);
  gpu.free = library_bytes;
  EXPECT_NO_THROW(require_library_room(gpu, "creating a handle: no reason."));
  gpu.free = library_bytes - 1;
  try {
    require_library_room(gpu, "creating a handle: no reason.");
    FAIL() << "one byte less than it needs";
  } catch (const OutOfGpuMemory& lack) {
    EXPECT_STREQ(lack.what(), "creating a handle: no reason; only 511 MiB of GPU memory are free");
    EXPECT_TRUE(held_by_others(lack, gpu));
    EXPECT_FALSE(held_by_others(lack, of(80, 79))) << "it was the benchmark's own";
  }
}

TEST(GpuRoom, OfSeveralGpusTheOneThatTellsNothingOrHasTheLeastFreeIsHeld) {
  const OutOfGpuMemory lack("x", gibibyte);
  EXPECT_EQ(held_one(lack, {of(80, 79), of(80, 1)}), 1U);
  EXPECT_EQ(held_one(lack, {of(80, 1), of(80, 79)}), 0U);
  EXPECT_EQ(held_one(lack, {of(80, 1), std::nullopt}), 1U) << "it has not even room for a context";
  EXPECT_EQ(held_one(lack, {of(80, 8), of(80, 9)}), 0U);
  EXPECT_EQ(held_one(lack, {of(80, 9), of(80, 79)}), std::nullopt) << "whoever held it has gone";
  EXPECT_EQ(held_one(OutOfGpuMemory("x"), {of(80, 79), of(80, 40)}), 1U);
  EXPECT_EQ(held_one(OutOfGpuMemory("x"), {of(80, 79), of(80, 78)}), std::nullopt);
  EXPECT_EQ(held_one(OutOfGpuMemory("x", 90 * gibibyte), {of(80, 79), of(80, 79)}), std::nullopt);
  GpuMemory shared = of(80, 1);
  shared.shared_with_host = true;
  EXPECT_EQ(held_one(lack, {shared, shared}), std::nullopt);
}

TEST(GpuRoom, TheJudgeKnowsWhatIsOnlyHeld) {
  const Skipped held = without_room("allocating GPU memory: too little.", true);
  EXPECT_TRUE(held.occupied);
  EXPECT_TRUE(result::occupied(held.status, held.reason)) << "a history keeps the words alone";
  EXPECT_THAT(held.reason, testing::StartsWith("allocating GPU memory: too little: something else holds"));
  const Skipped never = without_room("needs 90 GiB", false);
  EXPECT_EQ(never.status, result::Status::skipped);
  EXPECT_FALSE(never.occupied);
  EXPECT_EQ(never.reason, "needs 90 GiB");
}

const Registration short_of_memory{define("gpu_room", "short")
                                       .isolates("x")
                                       .bad_value("y")
                                       .quantity(Quantity::latency, "host_cpu")
                                       .body([](Trial&) { throw OutOfGpuMemory("allocating: too little"); })};

/// What a family's process says of it. In a child, as Google Benchmark runs only once in a process.
result::BenchmarkResult measured_with(std::optional<GpuMemory> memory) {
  const result::TemporaryDirectory folder;
  const std::filesystem::path file = folder.path() / "samples.json";
  const pid_t child = fork();
  if (child == 0) {
    set_environment({.unavailable = {},
                     .compute_capability = {},
                     .devices = {},
                     .gpu_memory = [memory] { return memory; },
                     .describe = {}});
    std::vector<std::string> words{"gpugauge-bench-gpu_room", "--benchmark_filter=gpu_room/short",
                                   "--gpugauge_window=0.01", "--gpugauge_samples=" + file.string()};
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    _exit(run_family({"gpu_room", "0123", 0.5, 0.25}, static_cast<int>(words.size()), arguments.data()));
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  return result::read_samples(file).benchmarks.at(0);
}

TEST(GpuRoom, WhatRunsShortOfItIsUnavailableWhileSomethingElseHoldsIt) {
  const result::BenchmarkResult held = measured_with(of(80, 40));
  EXPECT_EQ(held.notes, (result::Facts{{result::occupied_note, "true"}})) << held.reason;
  EXPECT_THAT(held.reason, testing::StartsWith("allocating: too little: something else holds the rest"));
  EXPECT_EQ(measured_with(of(80, 79)).status, result::Status::skipped);
  EXPECT_TRUE(measured_with(of(80, 79)).notes.empty());
  EXPECT_EQ(measured_with(std::nullopt).status, result::Status::skipped) << "nobody knows the GPU's memory";
}

}  // namespace
}  // namespace gpugauge::bench

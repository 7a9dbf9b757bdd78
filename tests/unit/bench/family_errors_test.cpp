// What a family process answers where an error is in none of its benchmarks.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/environment.hpp"
#include "support/family.hpp"

namespace gpugauge::bench {
namespace {
namespace family_errors {

namespace fs = std::filesystem;

const Registration measurable{define("family_errors", "measurable")
                                  .isolates("x")
                                  .bad_value("y")
                                  .quantity(Quantity::latency, "host_cpu")
                                  .body([](Trial& trial) { trial.verify("always right", 0, 0); })};

/// How a process ended and what it wrote to standard error.
struct End {
  int code = 0;  ///< minus the signal that ended it
  std::string said;
};

/// In a child, as Google Benchmark runs only once in a process.
End run_with(Environment environment, const std::string& flag = "--gpugauge_seed=1") {
  const fs::path folder = fs::path(testing::TempDir()) / fmt::format("gpugauge_family_errors_{}", getpid());
  fs::create_directories(folder);
  const pid_t child = fork();
  if (child == 0) {
    set_environment(std::move(environment));
    if (std::freopen((folder / "said").c_str(), "w", stderr) == nullptr) _exit(99);
    std::vector<std::string> words{"gpugauge-bench-family_errors", "--gpugauge_window=0.01",
                                   "--benchmark_filter=family_errors/measurable", flag,
                                   "--gpugauge_samples=" + (folder / "samples.json").string()};
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const int code =
        run_family({"family_errors", "0123", 0.5, 0.25}, static_cast<int>(words.size()), arguments.data());
    std::fflush(stderr);
    _exit(code);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  std::ifstream text(folder / "said");
  End end{WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
          {std::istreambuf_iterator<char>(text), {}}};
  fs::remove_all(folder);
  return end;
}

Environment describing(std::function<void(result::Facts&)> describe) {
  Environment environment;
  environment.describe = std::move(describe);
  return environment;
}

TEST(FamilyErrors, OfTheMachineAreNoMistakeOfTheUser) {
  const End end =
      run_with(describing([](result::Facts&) { throw std::runtime_error("the driver has no version"); }));
  EXPECT_EQ(end.code, exit_family_failed);
  EXPECT_EQ(end.said, "gpugauge-bench-family_errors: the driver has no version\n");
}

TEST(FamilyErrors, OfAnUnknownTypeAreCaughtToo) {
  const End end = run_with(describing([](result::Facts&) { throw 7; }));
  EXPECT_EQ(end.code, exit_family_failed);
  EXPECT_EQ(end.said, "gpugauge-bench-family_errors: an exception of an unknown type\n");
}

TEST(FamilyErrors, BehindTheMeasurementsAreNoMistakeOfTheUser) {
  Environment environment;
  environment.finish = [] { throw std::runtime_error("nobody waits for the end"); };
  const End end = run_with(std::move(environment));
  EXPECT_EQ(end.code, exit_family_failed);
  EXPECT_THAT(end.said, testing::HasSubstr("nobody waits for the end"));
}

TEST(FamilyErrors, OfAFileThatCannotBeReadAreNoMistakeOfAFlag) {
  const End end = run_with({}, "--gpugauge_only=/no/such/file");
  EXPECT_EQ(end.code, exit_family_failed);
  EXPECT_THAT(end.said, testing::HasSubstr("/no/such/file"));
  EXPECT_EQ(run_with({}, "--gpugauge_windows=1").code, exit_usage);
}

}  // namespace family_errors
}  // namespace
}  // namespace gpugauge::bench

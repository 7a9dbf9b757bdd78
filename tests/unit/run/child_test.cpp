#include "run/child.hpp"

#include <csignal>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_family.hpp"
#include "run/processes.hpp"

namespace gpugauge::run {
namespace {

using ::testing::HasSubstr;

constexpr auto stubborn = "trap '' TERM; echo ready; while :; do sleep 100; done";

class ChildTest : public ::testing::Test {
 protected:
  ChildEnd run(const std::string& body, double limit_seconds = 20) const {
    ChildOptions options;
    options.limit_seconds = limit_seconds;
    options.grace_seconds = .2;
    return run_child({fakes_.script("child", body), {"one", "two words"}, environment_}, options);
  }

  /// The process whose id a script wrote, once it did.
  pid_t pid_in(const std::string& name) const { return std::stoi(read_text(fakes_.path() / name)); }

  static bool is_alive(pid_t process) { return kill(process, 0) == 0; }

  Fakes fakes_;
  std::map<std::string, std::string> environment_;
};

TEST_F(ChildTest, EndsWell) {
  const auto end = run("exit 0");
  EXPECT_TRUE(end.started);
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.signal, std::nullopt);
  EXPECT_EQ(end.fault, "");
  EXPECT_EQ(end.left_behind, 0);
}

TEST_F(ChildTest, KeepsTheExitCode) {
  const auto end = run("exit 3");
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_EQ(end.fault, "ended with exit code 3");
}

TEST_F(ChildTest, NamesTheSignalOfACrash) {
  EXPECT_EQ(run("kill -SEGV $$").fault, "was ended by signal 11 (SIGSEGV)");
  const auto end = run("kill -ABRT $$");
  EXPECT_EQ(end.signal, SIGABRT);
  EXPECT_EQ(end.exit_code, std::nullopt);
  EXPECT_EQ(end.fault, "was ended by signal 6 (SIGABRT)");
}

TEST_F(ChildTest, GetsItsArgumentsAsTheyAre) {
  EXPECT_EQ(run("printf '%s|' \"$@\"").output, "one|two words|");
}

TEST_F(ChildTest, InheritsTheEnvironmentAndGetsChanges) {
  setenv("GPUGAUGE_TEST_INHERITED", "yes", 1);
  setenv("GPUGAUGE_TEST_CHANGED", "before", 1);
  environment_ = {{"GPUGAUGE_TEST_CHANGED", "after=1"}};
  EXPECT_EQ(run("echo $GPUGAUGE_TEST_INHERITED $GPUGAUGE_TEST_CHANGED; env | grep -c TEST_CHANGED").output,
            "yes after=1\n1\n");
  unsetenv("GPUGAUGE_TEST_INHERITED");
  unsetenv("GPUGAUGE_TEST_CHANGED");
}

TEST_F(ChildTest, ReadsNothingFromStandardInput) {
  EXPECT_EQ(run("cat; echo end").output, "end\n");
}

TEST_F(ChildTest, KeepsBothStreamsInOrder) {
  EXPECT_EQ(run("echo a; echo b >&2; echo c").output, "a\nb\nc\n");
}

TEST_F(ChildTest, KeepsTheTailOfEndlessOutputWithoutGrowing) {
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  const auto end = run("head -c 200000000 /dev/zero | tr '\\0' x; echo; echo last");
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_EQ(end.fault, "");
  EXPECT_EQ(end.output.size(), output_limit_bytes);
  EXPECT_TRUE(end.output.ends_with("xxx\nlast\n"));
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 20000);  // KiB
}

TEST_F(ChildTest, TurnsInvalidTextIntoValidText) {
  EXPECT_EQ(run("printf 'a\\377b\\033[31mc\\303\\251'").output,
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD[31mc\xC3\xA9");
}

TEST_F(ChildTest, IsEndedAtTheTimeLimit) {
  const auto end = run("echo begun; exec sleep 100", 1);
  EXPECT_TRUE(end.timed_out);
  EXPECT_EQ(end.signal, SIGTERM);
  EXPECT_EQ(end.fault, "exceeded its time limit of 1 s and was ended");
  EXPECT_EQ(end.output, "begun\n");
}

TEST_F(ChildTest, IsKilledWhenItIgnoresTheRequest) {
  const auto end = run("trap '' TERM; while :; do sleep 100; done", 1);
  EXPECT_TRUE(end.timed_out);
  EXPECT_EQ(end.signal, SIGKILL);
}

TEST_F(ChildTest, MayEndInItsOwnWayAtTheTimeLimit) {
  const auto end = run("trap 'echo tidy; exit 7' TERM; sleep 100 & wait", 1);
  EXPECT_TRUE(end.timed_out);
  EXPECT_EQ(end.exit_code, 7);
  EXPECT_EQ(end.output, "tidy\n");
}

TEST_F(ChildTest, IsEndedAlsoWhenItWasSuspended) {
  const auto end = run("kill -STOP $$", .3);
  EXPECT_TRUE(end.timed_out);
  EXPECT_EQ(end.signal, SIGTERM);
}

TEST_F(ChildTest, LeavesNobodyOfItsGroupBehind) {
  const auto end = run("sleep 100 & echo $! > '" + (fakes_.path() / "pid").string() + "'");
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.left_behind, 1);
  EXPECT_EQ(end.unkillable, 0);
  EXPECT_FALSE(is_alive(pid_in("pid")));
}

TEST_F(ChildTest, LeavesNoDaemonBehind) {
  const auto file = (fakes_.path() / "pid").string();
  const auto end = run("setsid sh -c 'sleep 100 & echo $! > " + file + ".2; trap \"\" TERM; echo $$ > " +
                       file + "; wait' & while [ ! -s " + file + " ]; do sleep .01; done");
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_GE(end.left_behind, 1);
  EXPECT_FALSE(is_alive(pid_in("pid")));
  EXPECT_FALSE(is_alive(pid_in("pid.2")));
}

/// The kernel's lines on this process's children, for a failure to show.
std::string lines_on_children() {
  std::string out;
  for (const pid_t child : children_of_this_process()) {
    std::ifstream in("/proc/" + std::to_string(child) + "/stat");
    std::string line;
    std::getline(in, line);
    out += line + "\n";
  }
  return out;
}

TEST_F(ChildTest, LeavesNoneBehindWhoseParentsItCollected) {
  // Earlier tests of this process may have left ended ones, whose group alone was ended.
  const std::string before = lines_on_children();
  for (int i = 0; i < 30; ++i) {
    run("(setsid sh -c 'trap \"\" HUP TERM; sleep 100 & setsid sh -c \"sleep 100 & sleep 100\" & sleep 100' "
        ">/dev/null 2>&1 &); sleep .01");
    ASSERT_EQ(lines_on_children(), before) << i;
  }
}

TEST_F(ChildTest, SparesOtherChildrenOfThisProcess) {
  const pid_t other = fork();
  if (other == 0) {
    pause();
    _exit(0);
  }
  EXPECT_EQ(run("exit 0").left_behind, 0);
  EXPECT_EQ(waitpid(other, nullptr, WNOHANG), 0);
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
}

TEST_F(ChildTest, StopsWhenTold) {
  Loop loop;
  bool ready = false;
  ChildOptions options;
  options.grace_seconds = .2;
  options.on_output = [&](std::string_view) { ready = true; };
  Child child(loop, {fakes_.script("child", stubborn), {}, {}}, options);
  loop.run_until([&] { return ready; });
  child.stop();
  loop.run_until([&] { return child.ended(); });
  EXPECT_TRUE(child.end().stopped);
  EXPECT_EQ(child.end().signal, SIGKILL);
  EXPECT_EQ(child.end().fault, "was stopped");
}

TEST_F(ChildTest, ToldAgainToStopItGetsNoMoreTime) {
  Loop loop;
  bool ready = false;
  ChildOptions options;
  options.grace_seconds = .3;
  options.on_output = [&](std::string_view) { ready = true; };
  Child child(loop, {fakes_.script("child", stubborn), {}, {}}, options);
  loop.run_until([&] { return ready; });
  child.stop();
  int more = 0;
  Timer again(loop);
  again.every(.1, [&] {
    ++more;
    child.stop();
  });
  loop.run_until([&] { return child.ended() || more >= 100; });
  EXPECT_TRUE(child.ended());
  EXPECT_EQ(child.end().signal, SIGKILL);
}

TEST_F(ChildTest, DiesAtOnceWhenTold) {
  Loop loop;
  bool ready = false;
  ChildOptions options;
  options.grace_seconds = 1000;
  options.on_output = [&](std::string_view) { ready = true; };
  Child child(loop, {fakes_.script("child", stubborn), {}, {}}, options);
  loop.run_until([&] { return ready; });
  child.stop();
  child.kill_now();
  loop.run_until([&] { return child.ended(); });
  EXPECT_EQ(child.end().signal, SIGKILL);
}

TEST_F(ChildTest, IsGivenUpWhenTheKernelHoldsIt) {
  // A frozen group of version 1 holds its members even against SIGKILL, as a hung driver does.
  const std::filesystem::path group = "/sys/fs/cgroup/freezer/gpugauge-test-" + std::to_string(getpid());
  std::error_code error;
  if (!std::filesystem::create_directory(group, error))
    GTEST_SKIP() << "no freezer group of version 1 can be made here";
  Loop loop;
  ChildOptions options;
  options.limit_seconds = 1;
  options.grace_seconds = .1;
  options.give_up_seconds = .2;
  Child child(loop, {"/bin/sleep", {"100"}, {}}, options);
  const pid_t pid = child.pid();
  std::ofstream(group / "cgroup.procs") << pid << std::flush;
  std::ofstream(group / "freezer.state") << "FROZEN" << std::flush;
  loop.run_until([&] { return child.ended(); });
  EXPECT_EQ(child.end().exit_code, std::nullopt);
  EXPECT_EQ(child.end().signal, std::nullopt);
  EXPECT_EQ(child.end().unkillable, 1);
  EXPECT_THAT(child.end().fault,
              HasSubstr("exceeded its time limit of 1 s and did not end even after SIGKILL"));
  std::ofstream(group / "freezer.state") << "THAWED" << std::flush;
  waitpid(pid, nullptr, 0);
  std::filesystem::remove(group, error);
  EXPECT_FALSE(error);
}

TEST_F(ChildTest, KeepsStandardOutputApartWhenAsked) {
  std::string output;
  ChildOptions options;
  options.on_output = [&](std::string_view text) { output += text; };
  const auto end = run_child({fakes_.script("child", "echo out; echo err >&2"), {}, {}}, options);
  EXPECT_EQ(output, "out\n");
  EXPECT_EQ(end.output, "err\n");
}

TEST_F(ChildTest, PassesOnWhatACallbackThrows) {
  ChildOptions options;
  options.on_output = [](std::string_view) { throw std::runtime_error("from the callback"); };
  EXPECT_THROW(run_child({fakes_.script("child", "echo out; sleep 100"), {}, {}}, options),
               std::runtime_error);
}

TEST_F(ChildTest, SaysWhyItCannotBeStarted) {
  const auto fault = [](const std::filesystem::path& file) {
    const auto end = run_child({file, {}, {}}, {});
    EXPECT_FALSE(end.started);
    EXPECT_EQ(end.exit_code, std::nullopt);
    return end.fault;
  };
  EXPECT_THAT(fault(fakes_.path() / "missing"), HasSubstr("missing does not exist"));
  EXPECT_THAT(fault(fakes_.path()), HasSubstr("is not a regular file"));

  write_text(fakes_.path() / "plain", "#!/bin/sh\nexit 0\n");
  EXPECT_THAT(fault(fakes_.path() / "plain"), HasSubstr("is not executable"));

  write_text(fakes_.path() / "lost", "#!/no/such/interpreter\n");
  chmod((fakes_.path() / "lost").c_str(), 0755);
  EXPECT_THAT(fault(fakes_.path() / "lost"),
              HasSubstr("no such file or directory (the loader or interpreter"));
}

TEST_F(ChildTest, RefusesForeignAndBrokenExecutables) {
  // execvp would hand all of these to a shell.
  const auto marker = fakes_.path() / "ran";
  const auto make = [&](const std::string& name, const std::string& bytes) {
    write_text(fakes_.path() / name, bytes);
    chmod((fakes_.path() / name).c_str(), 0755);
    return run_child({fakes_.path() / name, {}, {}}, {}).fault;
  };
  const std::string shell = "\ntouch '" + marker.string() + "'\n";
  EXPECT_THAT(make("text", "touch '" + marker.string() + "'\n"), HasSubstr("is neither an executable"));
  EXPECT_THAT(make("garbage",
                   "\x7F"
                   "ELF" +
                       shell + std::string(100, '\n')),
              HasSubstr("another architecture"));

  std::string own = read_text("/proc/self/exe");
  auto other = own;
  other[18] = static_cast<char>(other[18] ^ 1);  // e_machine
  EXPECT_THAT(make("other", other), HasSubstr("another architecture"));
  EXPECT_THAT(make("short", own.substr(0, 8192)), HasSubstr("is damaged or cut short"));
  EXPECT_THAT(make("header", own.substr(0, 64)), HasSubstr("is damaged or cut short"));
  EXPECT_THAT(make("empty", ""), HasSubstr("is neither an executable"));
  EXPECT_FALSE(std::filesystem::exists(marker));
}

}  // namespace
}  // namespace gpugauge::run

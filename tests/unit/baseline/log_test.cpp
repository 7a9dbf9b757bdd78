// The log of decisions: append-only, chained, and what is done to it is noticed.
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baseline/baseline.hpp"
#include "folder.hpp"
#include "result/error.hpp"
#include "result/file.hpp"

namespace gpugauge::baseline {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class Log : public testing::Test {
 protected:
  TemporaryFolder temporary;
  std::filesystem::path folder = temporary.path();

  static LogEntry state(State value, const std::string& reason = "because") {
    return {"2026-11-21T10:00:00Z", "root@node", reason, value, std::nullopt};
  }
  static LogEntry accepted(const std::string& metric, double value, const std::string& expires = "") {
    return {"2026-11-21T10:00:00Z", "root@node", "new driver", std::nullopt,
            AcceptedChange{metric, "second", 1, value, run_id(1), expires}};
  }
  std::string text() const { return result::read_file(folder / "log.jsonl"); }
  void overwrite(const std::string& content) const { std::ofstream(folder / "log.jsonl") << content; }
  std::string fault() const {
    try {
      read_log(folder);
    } catch (const result::FormatError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(Log, IsMissingWhereNothingWasDecided) {
  EXPECT_THAT(fault(), HasSubstr("log.jsonl is missing: every baseline has a log"));
  EXPECT_EQ(state_of({}), State::active);
}

TEST_F(Log, KeepsEveryDecisionInOrderAndTheLastStateCounts) {
  append_log(folder, {state(State::candidate, "first")});
  append_log(folder, {accepted("a:latency", 2, "2027-01-31"), state(State::retired, "last")});
  const std::vector<LogEntry> log = read_log(folder);
  ASSERT_THAT(log, SizeIs(3));
  EXPECT_EQ(log[0], state(State::candidate, "first"));
  EXPECT_EQ(log[1], accepted("a:latency", 2, "2027-01-31"));
  EXPECT_EQ(state_of(log), State::retired);
}

TEST_F(Log, NamesAChangedLine) {
  append_log(folder, {state(State::candidate, "first")});
  append_log(folder, {state(State::active, "second")});
  std::string changed = text();
  changed.replace(changed.find("first"), 5, "f1rst");
  overwrite(changed);
  EXPECT_THAT(fault(), HasSubstr("log.jsonl:2 does not follow"));
}

TEST_F(Log, NamesAChangedLastLine) {
  append_log(folder, {state(State::retired, "first")});
  std::string changed = text();
  changed.replace(changed.find("retired"), 7, "active");
  overwrite(changed);
  EXPECT_THAT(fault(), HasSubstr("log.jsonl:1 is not the line that was written there"));
}

TEST_F(Log, NamesLinesThatWereRemovedAtTheEnd) {
  append_log(folder, {state(State::active)});
  const std::string one = text();
  append_log(folder, {state(State::retired)});
  overwrite(one);
  EXPECT_THAT(fault(), HasSubstr("has 1 line and should have 2"));
}

TEST_F(Log, NamesALogThatVanishedAndALineThatWasCut) {
  append_log(folder, {state(State::active)});
  const std::string whole = text();
  overwrite(whole.substr(0, whole.size() - 5));
  EXPECT_THAT(fault(), HasSubstr("truncated"));
  std::filesystem::remove(folder / "log.jsonl");
  EXPECT_THAT(fault(), HasSubstr("is missing"));
}

TEST_F(Log, SaysOfAStrayLineThatItIsOne) {
  append_log(folder, {state(State::active)});
  overwrite(text() + "note to self\n");
  EXPECT_THAT(fault(), HasSubstr("log.jsonl:2 stands behind the last decision and is none"));
}

TEST_F(Log, NamesAHeadFileThatVanished) {
  append_log(folder, {state(State::active)});
  append_log(folder, {state(State::retired)});
  std::filesystem::remove(folder / "log.head");
  EXPECT_THAT(fault(), HasSubstr("log.head is missing"));
  EXPECT_THROW(append_log(folder, {state(State::active)}), result::FormatError);
}

TEST_F(Log, SeveralWritersAtOnceLoseNothing) {
  constexpr int writers = 4;
  constexpr int lines = 10;
  std::vector<std::thread> threads;
  threads.reserve(writers);
  for (int i = 0; i < writers; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < lines; ++n) append_log(folder, {state(State::active)});
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(read_log(folder), SizeIs(writers * lines));
}

TEST_F(Log, IsWholeAfterACrashBetweenTheLineAndTheHead) {
  append_log(folder, {state(State::active)});
  const std::string head = result::read_file(folder / "log.head");
  append_log(folder, {state(State::retired)});
  result::write_file(folder / "log.head", head);
  EXPECT_EQ(state_of(read_log(folder)), State::retired);
  append_log(folder, {state(State::active)});
  EXPECT_THAT(read_log(folder), SizeIs(3));
}

TEST_F(Log, WhatAKillLeftOfADecisionIsNoneWhereverItWasCut) {
  append_log(folder, {state(State::active)});
  const std::string one = text();
  const std::string head = result::read_file(folder / "log.head");
  append_log(folder, {accepted("a:latency", 2), accepted("b:latency", 3)});
  const std::string all = text();
  const std::size_t second_ends = all.find('\n', one.size()) + 1;
  result::write_file(folder / "log.head", head);  // the kill came before it
  for (std::size_t bytes = one.size(); bytes < all.size(); ++bytes) {
    overwrite(all.substr(0, bytes));
    const std::size_t whole = bytes < second_ends ? 1 : 2;
    ASSERT_THAT(read_log(folder), SizeIs(whole)) << bytes;
    result::write_file(folder / "log.head", head);
    append_log(folder, {state(State::retired)});
    ASSERT_THAT(read_log(folder), SizeIs(whole + 1)) << bytes;
    ASSERT_EQ(state_of(read_log(folder)), State::retired);
    result::write_file(folder / "log.head", head);
  }
}

TEST_F(Log, WhatAPowerCutLeftOfADecisionIsNone) {
  append_log(folder, {state(State::active)});
  const std::string one = text();
  for (const std::string& left :
       {std::string(100, '\0'), std::string(100, '\0') + "\n", "{\"sch" + std::string(9, '\0') + "\n{}\n"}) {
    overwrite(one + left);
    EXPECT_THAT(read_log(folder), SizeIs(1));
  }
  overwrite(one + "{}\n");  // but a line that has its end is one
  EXPECT_NE(fault(), "");
  overwrite(one + std::string(5000, '\0'));
  append_log(folder, {state(State::retired)});
  EXPECT_THAT(read_log(folder), SizeIs(2));
}

TEST_F(Log, IsNeverWrittenLongerThanItIsRead) {
  append_log(folder, {state(State::active)});
  const std::string before = text();
  const std::string reason(std::size_t{6} << 20, 'x');
  const std::vector<LogEntry> long_ones(3, state(State::retired, reason));
  try {
    append_log(folder, long_ones);
    ADD_FAILURE() << "it was written";
  } catch (const result::FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("of which 16777216 at most are read: nothing was written"));
  }
  EXPECT_EQ(text(), before);
  append_log(folder, {state(State::retired, reason)});
  EXPECT_THAT(read_log(folder), SizeIs(2));
}

TEST_F(Log, RefusesALinkAndADamagedLogIsNotExtended) {
  append_log(folder, {state(State::active)});
  overwrite("{}\n");
  EXPECT_THROW(append_log(folder, {state(State::active)}), result::FormatError);
  EXPECT_EQ(text(), "{}\n");
  std::filesystem::rename(folder / "log.jsonl", folder / "elsewhere");
  std::filesystem::create_symlink(folder / "elsewhere", folder / "log.jsonl");
  EXPECT_THAT(fault(), HasSubstr("is a link"));
}

TEST(Accepted, CountsUntilItsDayAndTheNewestWins) {
  const auto entry = [](double value, const std::string& expires) {
    return LogEntry{"", "", "", std::nullopt, AcceptedChange{"m", "second", 1, value, "", expires}};
  };
  const std::vector<LogEntry> log{entry(9, ""), entry(3, "2026-12-01")};
  EXPECT_EQ(accepted_on(log, "m", "2026-12-01T23:59:59Z")->new_value, 3);
  const AcceptedChange* expired = nullptr;
  EXPECT_EQ(accepted_on(log, "m", "2026-12-02T00:00:00Z", &expired), nullptr)
      << "it took the place of the one before it for good";
  ASSERT_NE(expired, nullptr);
  EXPECT_EQ(expired->new_value, 3);
  EXPECT_EQ(accepted_on(log, "other", "2026-12-01T00:00:00Z"), nullptr);
}

TEST(Accepted, CountsForNoRunThatBeganBeforeIt) {
  const auto entry = [](const std::string& since) {
    return LogEntry{"2026-11-21T10:00:00Z", "", "", std::nullopt,
                    AcceptedChange{"m", "second", 1, 2, "", "2026-12-01", since}};
  };
  const AcceptedChange* expired = nullptr;
  EXPECT_EQ(accepted_on({entry("")}, "m", "2019-01-01T00:00:00+00:00", &expired), nullptr)
      << "the clock was set back: what expired is not in force again";
  EXPECT_EQ(expired, nullptr);
  EXPECT_EQ(accepted_on({entry("")}, "m", "2026-11-21T09:59:59.999Z"), nullptr);
  const std::vector<LogEntry> log{entry("")};
  EXPECT_NE(accepted_on(log, "m", "2026-11-21T10:00:00.000Z"), nullptr);
  const std::vector<LogEntry> shown{entry("2026-11-20T02:00:00.000Z")};
  EXPECT_NE(accepted_on(shown, "m", "2026-11-20T02:00:00.000Z"), nullptr) << "the run that showed it";
  EXPECT_EQ(accepted_on(shown, "m", "2026-11-20T01:59:59Z"), nullptr);
}

TEST_F(Log, SaysFromWhichRunOnAChangeCounts) {
  LogEntry entry = accepted("m", 2);
  entry.accepted->since = "2026-11-20T02:00:00Z";
  append_log(folder, {state(State::active), entry, accepted("n", 3)});
  EXPECT_EQ(read_log(folder)[1], entry);
  EXPECT_THAT(text(), HasSubstr("\"since\":\"2026-11-20T02:00:00Z\""));
}

TEST(Treatment, CoversAFieldAndThoseBelowIt) {
  EXPECT_TRUE(covers("driver", "stack.driver.version"));
  EXPECT_TRUE(covers("stack.driver", "stack.driver.version"));
  EXPECT_TRUE(covers("stack.driver.version", "stack.driver.version"));
  EXPECT_TRUE(covers("stack", "stack.driver.version"));
  EXPECT_FALSE(covers("driv", "stack.driver.version"));
  EXPECT_FALSE(covers("version", "stack.driver.version"));
  EXPECT_FALSE(covers("", "stack.driver.version"));
  EXPECT_TRUE(covers("settings", "settings.host.governor"));
  EXPECT_FALSE(covers("settings", "settings.gpu.0.mig")) << "a slice of a card is another device";
  EXPECT_FALSE(covers("devices_together", "suite.devices_together")) << "alone is another measurement";
  EXPECT_FALSE(can_be_treatment("settings.gpu.0.mig"));
  EXPECT_FALSE(can_be_treatment("suite.devices_together"));
  EXPECT_TRUE(can_be_treatment("settings.host.governor"));
}

}  // namespace
}  // namespace gpugauge::baseline

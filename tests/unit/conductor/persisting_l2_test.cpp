#include "conductor/persisting_l2.hpp"

#include <gmock/gmock.h>

#include "diagnose/diagnose.hpp"

namespace gpugauge::conductor {
namespace {

/// What is observed of one process whose sample file has this context.
diagnose::Observation observed(result::Facts context) {
  result::Process process;
  process.samples.emplace().context = std::move(context);
  result::Run run;
  run.processes.push_back(std::move(process));
  diagnose::Observation out;
  add_persisting_l2({run}, out);
  return out;
}

bool has_limit(const diagnose::Observation& observation) {
  return observation.inventory.contains("gpu.l2_persisting_limit");
}

// A fresh context of an H100 begins with a limit of 9830400 bytes: nothing is set aside by that.
TEST(PersistingL2, ALimitIsNoSignWhereGivingItBackMakesNothingFaster) {
  const auto quiet = observed({{"gpu.l2_persisting_limit", "9830400"},
                               {"gpu.l2_read_as_found", "7.04e+12"},
                               {"gpu.l2_clock_as_found", "1.98e+09"},
                               {"gpu.l2_read_after_reset", "7.15e+12"},
                               {"gpu.l2_clock_after_reset", "1.98e+09"}});
  EXPECT_FALSE(has_limit(quiet));
  EXPECT_TRUE(quiet.probes.empty());
  const auto unread =
      observed({{"gpu.l2_persisting_limit", "9830400"}, {"gpu.l2_read", "not measured: no memory"}});
  EXPECT_FALSE(has_limit(unread));
  EXPECT_TRUE(unread.probes.empty());
}

TEST(PersistingL2, ItIsToldBesideAReadingThatBecameFaster) {
  const auto found = observed({{"gpu.l2_persisting_limit", "32768000"},
                               {"gpu.l2_read_as_found", "3e+12"},
                               {"gpu.l2_clock_as_found", "1.98e+09"},
                               {"gpu.l2_read_after_reset", "7.5e+12"},
                               {"gpu.l2_clock_after_reset", "1.98e+09"}});
  EXPECT_EQ(found.inventory.at("gpu.l2_persisting_limit"), diagnose::Value(32768000.0));
  ASSERT_EQ(found.probes.size(), 1U);
  EXPECT_DOUBLE_EQ(*found.probes[0].factor_without, 2.5);
}

// A clock that rises between the readings makes L2 faster by itself, and is no sign that something was set aside.
TEST(PersistingL2, WhatTheClockExplainsIsNoSign) {
  const auto probed = [](const char* before, const char* clock_before, const char* after,
                         const char* clock_after) {
    result::Facts context{{"gpu.l2_persisting_limit", "9830400"},
                          {"gpu.l2_read_as_found", before},
                          {"gpu.l2_read_after_reset", after}};
    if (*clock_before != 0) context["gpu.l2_clock_as_found"] = clock_before;
    if (*clock_after != 0) context["gpu.l2_clock_after_reset"] = clock_after;
    const auto out = observed(std::move(context));
    EXPECT_EQ(out.probes.empty(), !has_limit(out));
    return out.probes.empty() ? 0 : *out.probes[0].factor_without;
  };
  EXPECT_DOUBLE_EQ(probed("1e+12", "6e+08", "4e+12", "2.4e+09"), 0);
  EXPECT_DOUBLE_EQ(probed("4e+12", "2e+09", "4.9e+12", "2.45e+09"), 0);  // 1.2 by the clock alone
  EXPECT_DOUBLE_EQ(probed("2e+12", "2e+09", "4.4e+12", "2.2e+09"), 2);
  EXPECT_DOUBLE_EQ(probed("2e+12", "2.2e+09", "4e+12", "2e+09"), 2);  // a lower clock explains nothing
  EXPECT_DOUBLE_EQ(probed("2e+12", "", "4e+12", "2e+09"), 0);
  EXPECT_DOUBLE_EQ(probed("2e+12", "2e+09", "4e+12", ""), 0);
}

TEST(PersistingL2, ALimitOfNoneIsToldAlways) {
  EXPECT_EQ(observed({{"gpu.l2_persisting_limit", "0"}}).inventory.at("gpu.l2_persisting_limit"),
            diagnose::Value(0.0));
  EXPECT_FALSE(has_limit(observed({})));
}

}  // namespace
}  // namespace gpugauge::conductor

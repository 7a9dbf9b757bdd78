// Which nodes of a fleet a newcomer is compared with, where they are of several kinds.
#include <gtest/gtest.h>

#include "gate.hpp"

namespace gpugauge::judge {
namespace {

/// On this driver, and with this checksum.
Apply on(const std::string& driver, const std::string& checksum) {
  return [=](result::Run& run) {
    run.fingerprint.stack["driver.version"] = driver;
    run.fingerprint.suite["suite.source_hash.integrity"] = "cd";
    result::BenchmarkResult one =
        benchmark("integrity/gemm", metric("repeats", "1", result::Direction::higher, "integrity", 3));
    one.metrics.front().judged = false;
    one.metrics.front().note = "recorded";
    one.notes = {{"checksum", checksum}};
    for (result::Process& process : run.processes) process.samples->benchmarks.push_back(one);
  };
}

TEST(Admit, ItsOwnKindComesBeforeALargerOneThatDiffersByDeclaration) {
  for (const bool declared : {false, true}) {
    Gate gate;
    if (declared) gate.policy.treatment = {"driver"};
    gate.add_fleet(24, on("570.86", "aa"));
    gate.add_fleet(14, on("580.65", "aa"));
    gate.add_newcomer({}, 0, on("580.65", "bb"));
    EXPECT_EQ(gate.only().state, AdmissionState::measure_again) << declared;
    EXPECT_EQ(gate.only().peers.devices, 14U) << declared;
  }
  // Of its own kind too few: the larger one measures, and its own still compare checksums.
  Gate few;
  few.policy.treatment = {"driver"};
  few.add_fleet(24, on("570.86", "cc"));
  few.add_fleet(4, on("580.65", "aa"));
  few.add_newcomer({}, 0, on("580.65", "bb"));
  EXPECT_EQ(few.only().peers.devices, 24U);
  EXPECT_EQ(few.only().state, AdmissionState::measure_again) << few.only().reason;
}

}  // namespace
}  // namespace gpugauge::judge

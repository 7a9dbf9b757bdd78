// From the errors of products to the observation of a check.
#include "unit/conductor/observe_fixture.hpp"

namespace gpugauge::conductor {
namespace {

TEST_F(Observe, TellsTheErrorOfProductsThatAskForTf32AndWereComputedInFp32) {
  const auto product = [](result::Run& run, const std::string& id, const char* numerics, double error) {
    result::BenchmarkResult made;
    made.id = id;
    made.notes = {{"numerics", numerics}};
    made.verifications = {{"the same sum each time", true, {}, {}}, {"largest error", true, error, 1e-3}};
    auto& samples = run.processes.front().samples;
    if (!samples) samples.emplace();
    samples->benchmarks.push_back(made);
  };
  product(now(), "cublas/tf32/sgemm/8192x8192x8192", "fp32", 3e-8);
  product(now(), "cublas/tf32/sgemm/8192x8192x8192", "fp32", 4e-8);
  // A library has a faster candidate in TF32, which a program does not get.
  now().processes.front().samples->benchmarks.back().notes["numerics_best"] = "tf32";
  product(now(), "cublas/tf32/lt/8192x8192x8192", "tf32", 2.7e-6);        // TF32 over so many terms
  product(now(), "cublas/fp32/lt/4096x4096x4096", "fp32", 3e-8);          // asks for fp32
  product(now(), "cublas/misaligned/tf32/4095x4095x4095", "fp32", 3e-8);  // a library may choose so
  now().processes.front().samples->benchmarks.back().parameters = {{"shape", "4095x4095x4095"}};
  const auto numerics = observation().numerics;
  ASSERT_EQ(numerics.size(), 1U);
  EXPECT_EQ(numerics[0].op, "cublas/tf32/sgemm/8192x8192x8192");
  EXPECT_EQ(numerics[0].dtype, "fp32");
  EXPECT_EQ(numerics[0].relative_error, 4e-8);
  EXPECT_EQ(diagnose::parse_observation(diagnose::to_json(observation()), "again"), observation());
  product(before_.runs.front(), "cublas/tf32/sgemm/8192x8192x8192", "fp32", 3e-8);
  EXPECT_THAT(observation().numerics, testing::IsEmpty()) << "it was so before";
}

TEST_F(Observe, Fp32ErrorsOfAFrameworkSupportThatItsSwitchIsOff) {
  result::BenchmarkResult made;
  made.id = "torch/matmul/fp32/4096x4096x4096";
  made.parameters = {{"type", "fp32"}};
  made.verifications = {{"largest error", true, 5e-8, 1e-5}};
  for (result::Run* const run : {&before_.runs.front(), &now()}) {
    run->processes.front().family = "torch";
    run->processes.front().samples.emplace().context = {{"framework.version", "2.9.1"}};
    made.notes = {{"numerics", run == &now() ? "fp32" : "tf32"}};
    run->processes.front().samples->benchmarks = {made};
  }
  verdict("framework_op", judge::VerdictKind::regressed, 1e14, 4e14, result::Direction::higher);
  device_.verdicts.back().metric = made.id + ":throughput";
  ASSERT_EQ(observation().numerics.size(), 1U);
  const auto score = [](const diagnose::Observation& seen) {
    for (const diagnose::Scored& one : diagnose::score_all(seen))
      if (one.signature->name == "tf32_disabled_by_framework_default") return one.score;
    return -1.;
  };
  diagnose::Observation without = observation();
  without.numerics.clear();
  EXPECT_GT(score(observation()), score(without));
}

}  // namespace
}  // namespace gpugauge::conductor

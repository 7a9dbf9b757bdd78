// The holes that public tools were seen to have: each of these nodes is defective, each must fail by name,
// and the healthy one must pass.
#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "judge/judge.hpp"
#include "judge/peaks.hpp"
#include "result/error.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using result::Direction;
using ::testing::HasSubstr;

/// A node with one H200: products with and without Tensor Cores, memory, launches, copies both ways.
result::Run node(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  const auto noisy = [&](double value) { return value * std::exp(.004 * normal(engine)); };
  result::Run run = make_run(seed);
  run.device = "GPU-0";
  run.telemetry = {{"gpu:GPU-0", "pcie_generation", "1", {0}, {5}},
                   {"gpu:GPU-0", "pcie_width", "1", {0}, {16}},
                   {"gpu:GPU-0", "throttle_reasons", "1", {0}, {0}}};
  for (result::Process& process : run.processes) {
    process.family = process.samples->family = "gpu";
    process.samples->context = {{"gpu.name", "NVIDIA H200"},
                                {"gpu.compute_capability", "9.0"},
                                {"gpu.sm_count", "132"},
                                {"gpu.memory_clock_max_hz", "3201000000"},
                                {"gpu.memory_bus_bits", "6144"}};
    const auto gpu = [&](const char* id, const result::Metric& metric, double flops = 0) {
      result::BenchmarkResult out = benchmark(id, metric);
      out.work.flops = flops;
      out.batches.sm_clock_hz = {1.755e9};
      out.verifications = {{"sampled rows", true, 1e-6, 1e-3}};
      return out;
    };
    const auto of = [&](const char* name, const char* unit, Direction better, const char* metric_class,
                        double value) { return metric(name, unit, better, metric_class, noisy(value)); };
    process.samples->benchmarks = {
        gpu("gpu/bf16/8192", of("throughput", "flop/second", Direction::higher, "gemm16", 6.4e14), 1.1e12),
        gpu("gpu/tf32/8192", of("throughput", "flop/second", Direction::higher, "gemmtf32", 3.6e14), 1.1e12),
        gpu("gpu/fp8/8192", of("throughput", "flop/second", Direction::higher, "gemm8", 1.1e15), 1.1e12),
        gpu("gpu/fp32/4096", of("throughput", "flop/second", Direction::higher, "gemm32", 4.6e13), 1.4e11),
        gpu("gpu/read/cold", of("bandwidth", "byte/second", Direction::higher, "hbm", 4.4e12)),
        gpu("gpu/launch/empty", of("latency", "second", Direction::lower, "launch", 5.7e-6)),
        gpu("gpu/copy/h2d", of("bandwidth", "byte/second", Direction::higher, "h2d", 5.5e10)),
        gpu("gpu/copy/d2h", of("bandwidth", "byte/second", Direction::higher, "d2h", 5.4e10))};
  }
  return run;
}

const baseline::Baseline& pinned() {
  static const baseline::Baseline made = [] {
    baseline::Baseline out;
    for (std::uint64_t k = 0; k < 10; ++k) out.runs.push_back(node(100 + k));
    return out;
  }();
  return made;
}

struct Judged {
  std::vector<Verdict> verdicts;
  Outcome outcome;

  /// The gravest verdict of one judge on a metric.
  const Verdict* on(Judge judge, const std::string& metric) const {
    for (const Verdict& verdict : verdicts)
      if (verdict.judge == judge && verdict.metric == metric) return &verdict;
    return nullptr;
  }
};

/// Both judges over as many rounds as they ask for.
Judged judge(const std::function<void(result::Run&)>& defect) {
  std::vector<result::Run> rounds;
  Judgement judgement;
  do {
    rounds.push_back(node(900 + rounds.size()));
    defect(rounds.back());
    judgement = judge_baseline(rounds, pinned());
  } while (!judgement.request.benchmarks.empty());
  Judged out;
  out.verdicts = judge_physical(rounds);
  out.verdicts.insert(out.verdicts.end(), judgement.verdicts.begin(), judgement.verdicts.end());
  OutcomeInput input;
  input.verdicts = out.verdicts;
  out.outcome = outcome(input);
  return out;
}

void scale(result::Run& run, const std::string& id, double factor) {
  change(run, id, [&](result::BenchmarkResult& found) { found.metrics[0].value *= factor; });
}

TEST(Holes, TheHealthyNodePasses) {
  const Judged judged = judge([](result::Run&) {});
  EXPECT_EQ(judged.outcome.code, ExitCode::pass) << judged.outcome.sentence;
  for (const Verdict& verdict : judged.verdicts)
    EXPECT_EQ(verdict.kind, VerdictKind::ok) << verdict.metric << ": " << verdict.reason;
  for (const char* metric_class : {"gemm16", "gemmtf32", "fp8"}) {
    const Verdict* proof = judged.on(Judge::physical, std::string("tensor_cores/") + metric_class);
    ASSERT_NE(proof, nullptr) << metric_class;
    EXPECT_THAT(proof->reason, HasSubstr("rate: "));
    EXPECT_THAT(proof->reason, HasSubstr("ratio: "));
    EXPECT_THAT(proof->reason, HasSubstr("kernels: names not recorded"));
    EXPECT_THAT(proof->reason, HasSubstr("numerics: 5 results verified"));
  }
  EXPECT_NEAR(judged.on(Judge::physical, "gpu/read/cold:bandwidth")->share.value(), 4.4e12 / 4.917e12, .01);
}

TEST(Holes, AMissingMetricFailsByName) {
  const Judged judged = judge([](result::Run& run) { drop_benchmark(run, "gpu/read/cold"); });
  EXPECT_EQ(judged.outcome.code, ExitCode::regressed);
  EXPECT_THAT(judged.outcome.sentence, HasSubstr("missing: 1"));
  EXPECT_THAT(judged.outcome.sentence, HasSubstr("gpu/read/cold:bandwidth"));
}

TEST(Holes, OneCopyDirectionThatIsAbsentFailsByName) {
  const Judged judged = judge([](result::Run& run) { drop_benchmark(run, "gpu/copy/d2h"); });
  EXPECT_EQ(judged.outcome.code, ExitCode::regressed);
  EXPECT_EQ(judged.on(Judge::baseline, "gpu/copy/d2h:bandwidth")->kind, VerdictKind::missing);
  EXPECT_EQ(judged.on(Judge::baseline, "gpu/copy/h2d:bandwidth")->kind, VerdictKind::ok);
}

TEST(Holes, ANanOrInfiniteMetricIsRefusedByNameAndFailsWhereNoFileWasRead) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const auto spoil = [&](result::Run& run) {
      change(run, "gpu/read/cold", [&](result::BenchmarkResult& found) { found.metrics[0].value = bad; });
    };
    result::Run run = node(1);
    spoil(run);
    try {
      result::to_json(run);
      ADD_FAILURE() << bad << " was written";
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr("gpu/read/cold:bandwidth: value is not finite"));
    }
    const Judged judged = judge(spoil);
    EXPECT_EQ(judged.outcome.code, ExitCode::regressed);
    EXPECT_EQ(judged.on(Judge::physical, "gpu/read/cold")->kind, VerdictKind::failed);
    EXPECT_EQ(judged.on(Judge::baseline, "gpu/read/cold:bandwidth")->kind, VerdictKind::failed);
  }
}

TEST(Holes, AFileThatHoldsNanInfinityOrNullForANumberIsRefusedWithItsPlace) {
  const std::string text = result::to_json(node(1));
  const std::string key = "\"value\": ";
  const std::size_t at = text.find(key) + key.size();
  const std::size_t end = text.find(',', at);
  for (const char* bad : {"NaN", "Infinity", "-Infinity", "1e999", "null", "\"nan\""}) {
    const std::string spoilt = text.substr(0, at) + bad + text.substr(end);
    try {
      result::parse_run(spoilt, "node7.json");
      ADD_FAILURE() << bad << " was read";
    } catch (const result::FormatError& error) {
      EXPECT_THAT(error.what(), HasSubstr("node7.json: "));
    }
  }
}

TEST(Holes, TensorCoresAtASixteenthFailByNameInBothJudges) {
  const Judged judged = judge([](result::Run& run) {
    for (const char* id : {"gpu/bf16/8192", "gpu/tf32/8192", "gpu/fp8/8192"}) scale(run, id, 1.0 / 16);
  });
  EXPECT_EQ(judged.outcome.code, ExitCode::regressed);
  for (const char* id : {"gpu/bf16/8192:throughput", "gpu/tf32/8192:throughput", "gpu/fp8/8192:throughput"})
    EXPECT_EQ(judged.on(Judge::baseline, id)->kind, VerdictKind::regressed) << id;
  for (const char* proof : {"tensor_cores/gemm16", "tensor_cores/gemmtf32", "tensor_cores/fp8"}) {
    EXPECT_EQ(judged.on(Judge::physical, proof)->kind, VerdictKind::failed) << proof;
    EXPECT_THAT(judged.on(Judge::physical, proof)->reason, HasSubstr("Tensor Cores did not do the work"));
  }
  EXPECT_EQ(judged.on(Judge::baseline, "gpu/fp32/4096:throughput")->kind, VerdictKind::ok);
}

TEST(Holes, FiftyTimesTheLaunchTimeFailsByName) {
  const Judged judged = judge([](result::Run& run) { scale(run, "gpu/launch/empty", 50); });
  EXPECT_EQ(judged.outcome.code, ExitCode::regressed);
  EXPECT_EQ(judged.on(Judge::baseline, "gpu/launch/empty:latency")->kind, VerdictKind::regressed);
  EXPECT_THAT(judged.outcome.sentence, HasSubstr("gpu/launch/empty:latency"));
}

TEST(Holes, MemoryFasterThanItsBusIsImpossible) {
  const Judged judged = judge([](result::Run& run) { scale(run, "gpu/read/cold", 1.2); });
  EXPECT_EQ(judged.on(Judge::physical, "gpu/read/cold:bandwidth")->kind, VerdictKind::failed);
  EXPECT_THAT(judged.on(Judge::physical, "gpu/read/cold:bandwidth")->reason,
              HasSubstr("memory clock 3201 MHz x 2 x 6144 bits"));
}

/// What the physical judge says of a primitive that moves so many bytes a second, on the node's GPU.
std::vector<Verdict> on_primitive(double bandwidth, const std::string& lacks = "") {
  result::Run run = node(1);
  for (result::Process& process : run.processes) {
    process.samples->context.erase(lacks);
    process.samples->benchmarks = {benchmark(
        "gpu/reduce", metric("bandwidth", "byte/second", Direction::higher, "primitive", bandwidth))};
  }
  std::vector<Verdict> out = judge_physical(run);
  std::erase_if(out, [](const Verdict& verdict) { return verdict.metric != "gpu/reduce:bandwidth"; });
  return out;
}

TEST(JudgePhysical, APrimitiveIsNoFasterThanTheMemoryAndHasNoFloor) {
  const double bus = 3201e6 * 2 * 6144 / 8;
  ASSERT_EQ(on_primitive(1.06 * bus).size(), 1U);
  EXPECT_EQ(on_primitive(1.06 * bus)[0].kind, VerdictKind::failed);
  EXPECT_EQ(on_primitive(.94 * bus)[0].kind, VerdictKind::ok);
  EXPECT_NEAR(on_primitive(.94 * bus)[0].share.value(), .94, 1e-9);
  EXPECT_EQ(on_primitive(.05 * bus)[0].kind, VerdictKind::ok) << "some compute more than they move";
  EXPECT_TRUE(on_primitive(.94 * bus, "gpu.memory_bus_bits").empty()) << "the memory's own benchmarks say it";
}

TEST(JudgePhysical, MemoryWhoseBusIsNotKnownIsSaidAndNeverCounted) {
  result::Run run = node(1);
  for (result::Process& process : run.processes) process.samples->context.erase("gpu.memory_bus_bits");
  const std::vector<Verdict> verdicts = judge_physical(run);
  const auto found = std::find_if(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) {
    return verdict.metric == "gpu/read/cold:bandwidth";
  });
  ASSERT_NE(found, verdicts.end());
  EXPECT_EQ(found->kind, VerdictKind::inconclusive);
  EXPECT_TRUE(found->advisory);
  EXPECT_THAT(found->reason, HasSubstr("not held against the memory's bus"));
}

/// The 40 GB/s that CUDA's clock would give of an AGX Orin are a fifth of what its memory does.
TEST(JudgePhysical, AnIntegratedGpuIsHeldAgainstNoMemoryBusAndNoLink) {
  const auto verdicts = [](const char* capability, const char* integrated) {
    result::Run run = node(1);
    for (result::Process& process : run.processes) {
      process.samples->context["gpu.compute_capability"] = capability;
      if (*integrated != '\0') process.samples->context["gpu.integrated"] = integrated;
      process.samples->context["gpu.memory_clock_max_hz"] = "612000000";
      process.samples->context["gpu.memory_bus_bits"] = "256";
    }
    std::map<std::string, Verdict> out;
    for (Verdict& verdict : judge_physical(run)) out.emplace(verdict.metric, verdict);
    return out;
  };
  for (const auto& [capability, integrated] :
       {std::pair("9.0", "true"), {"8.7", ""}, {"11.0", ""}, {"12.1", ""}}) {
    const auto found = verdicts(capability, integrated);
    const Verdict& memory = found.at("gpu/read/cold:bandwidth");
    EXPECT_EQ(memory.kind, VerdictKind::inconclusive) << capability;
    EXPECT_TRUE(memory.advisory) << capability;
    EXPECT_THAT(memory.reason, HasSubstr("an integrated GPU does not report the clock of the host's memory"));
    EXPECT_TRUE(found.at("gpu/copy/h2d:bandwidth").advisory) << capability;
  }
  for (const auto& [capability, integrated] : {std::pair("9.0", ""), {"8.7", "false"}})
    EXPECT_EQ(verdicts(capability, integrated).at("gpu/read/cold:bandwidth").kind, VerdictKind::failed)
        << "faster than its bus";
}

TEST(JudgePhysical, AGpuWithoutPeaksIsSaidOnce) {
  result::Run run = node(1);
  for (result::Process& process : run.processes) process.samples->context["gpu.compute_capability"] = "12.1";
  int said = 0;
  for (const Verdict& verdict : judge_physical(run)) {
    EXPECT_NE(verdict.metric, "gpu/bf16/8192:throughput");
    if (verdict.metric != "peaks/products") continue;
    ++said;
    EXPECT_EQ(verdict.kind, VerdictKind::inconclusive);
    EXPECT_TRUE(verdict.advisory);
    EXPECT_THAT(verdict.reason, HasSubstr("no public figures of compute capability 12.1"));
  }
  EXPECT_EQ(said, 1);
}

TEST(JudgePhysical, WhatIsNotKnownOfTensorCoresIsSaidAndNeverCounted) {
  const auto proof = [](const std::function<void(result::Process&)>& apply) {
    result::Run run = node(1);
    for (result::Process& process : run.processes) apply(process);
    for (const Verdict& verdict : judge_physical(run))
      if (verdict.metric == "tensor_cores/gemm16") return verdict;
    throw std::runtime_error("no verdict");
  };
  Verdict verdict =
      proof([](result::Process& process) { process.samples->context["gpu.compute_capability"] = "13.7"; });
  EXPECT_EQ(verdict.kind, VerdictKind::inconclusive);
  EXPECT_TRUE(verdict.advisory);
  EXPECT_THAT(verdict.reason, HasSubstr("nothing is known of gemm16 on compute capability '13.7'"));
  verdict = proof([](result::Process& process) {
    process.samples->context["gpu.compute_capability"] = "8.9";
    process.samples->context["gpu.name"] = "NVIDIA GeForce RTX 4090";
    process.samples->benchmarks[0].metrics[0].value = 4e13;
  });
  EXPECT_EQ(verdict.kind, VerdictKind::failed)
      << "cut to half of the rate, which is twice that of CUDA cores";
  verdict = proof([](result::Process& process) {
    process.samples->benchmarks[0].notes["kernel"] = "sm90_xmma_gemm_bf16";
  });
  EXPECT_THAT(verdict.reason, HasSubstr("kernels: sm90_xmma_gemm_bf16;"));
  verdict = proof([](result::Process& process) {
    result::Facts& notes = process.samples->benchmarks[0].notes;
    notes["kernel"] = "sm80_xmma_" + std::string(500, 'x');
    notes["kernel_path"] = "tensor";
    notes["kernel_architecture"] = "sm80";
  });
  EXPECT_THAT(verdict.reason, HasSubstr("kernels: sm80_xmma_xx"));
  EXPECT_THAT(verdict.reason, HasSubstr("xx... (Tensor Cores, sm80); numerics"));
  verdict = proof([](result::Process& process) {
    result::Facts& notes = process.samples->benchmarks[0].notes;
    notes["kernel"] = "ampere_sgemm_128x64_nn";
    notes["kernel_path"] = "simt";
    notes["kernel_architecture"] = "unknown";
  });
  EXPECT_THAT(verdict.reason,
              HasSubstr("kernels: ampere_sgemm_128x64_nn (CUDA cores); no Tensor Cores in gpu/bf16/8192"));
}

TEST(JudgePhysical, CopiesAreHeldAgainstTheLinkThatTelemetrySaw) {
  const auto copy = [](double generation, double width) -> std::optional<Verdict> {
    result::Run run = node(1);
    run.telemetry = {{"gpu:GPU-0", "pcie_generation", "1", {0, 1}, {std::min(1.0, generation), generation}},
                     {"gpu:GPU-0", "pcie_width", "1", {0, 1}, {width, width}}};
    for (const Verdict& verdict : judge_physical(run))
      if (verdict.metric == "gpu/copy/h2d:bandwidth") return verdict;
    return std::nullopt;
  };
  EXPECT_EQ(copy(5, 16)->kind, VerdictKind::ok);
  EXPECT_NEAR(copy(5, 16)->share.value(), 5.5e10 / 6.3015e10, .01);
  EXPECT_EQ(copy(3, 8)->kind, VerdictKind::inconclusive) << "it cannot have gone over that link";
  EXPECT_TRUE(copy(3, 8)->advisory);
  for (const double unknown : {0, 9}) {
    EXPECT_EQ(copy(unknown, 16)->kind, VerdictKind::inconclusive);
    EXPECT_TRUE(copy(unknown, 16)->advisory);
    EXPECT_THAT(copy(unknown, 16)->reason, HasSubstr("not held against the link"));
  }
}

TEST(JudgePhysical, BothDirectionsAtOnceAreHeldAgainstBothOfTheLink) {
  const auto copy = [](double bandwidth) -> std::optional<Verdict> {
    result::Run run = node(1);
    for (result::Process& process : run.processes)
      for (result::BenchmarkResult& one : process.samples->benchmarks)
        if (one.id == "gpu/copy/h2d") {
          one.notes["link_directions"] = "2";
          one.metrics.front().value = bandwidth;
        }
    for (const Verdict& verdict : judge_physical(run))
      if (verdict.metric == "gpu/copy/h2d:bandwidth") return verdict;
    return std::nullopt;
  };
  EXPECT_EQ(copy(1e11)->kind, VerdictKind::ok) << "no faster than the link";
  EXPECT_NEAR(copy(1e11)->share.value(), 1e11 / (2 * 6.3015e10), .01);
  EXPECT_EQ(copy(1.4e11)->kind, VerdictKind::inconclusive) << "it cannot have gone over that link";
  EXPECT_THAT(copy(1.4e11)->reason, HasSubstr("x16 in both directions"));
}

TEST(CudaCoreRate, IsWhatRemainsWithoutTensorCores) {
  EXPECT_EQ(cuda_core_rate("9.0", "gemm16"), 512);
  EXPECT_EQ(cuda_core_rate("8.0", "gemmtf32"), 128);
  EXPECT_EQ(cuda_core_rate("9.0", "fp8"), 512) << "no products of 8-bit floats without Tensor Cores";
  EXPECT_EQ(cuda_core_rate("9.0", "int8"), 1024);
  EXPECT_EQ(cuda_core_rate("9.0", "gemm64"), std::nullopt);
  EXPECT_EQ(cuda_core_rate("6.1", "gemm16"), std::nullopt);
}

TEST(TensorCoreShare, IsOfTheModelAndTheKindOfProducts) {
  for (const char* whole : {"NVIDIA L40S", "NVIDIA L4", "NVIDIA A10", "NVIDIA A100-SXM4-80GB", "Tesla T4",
                            "NVIDIA H200", "TITAN RTX", ""})
    for (const char* products : {"gemmtf32", "gemm16", "fp8", "int8", "gemm32"})
      EXPECT_EQ(tensor_core_share(whole, products), 1) << whole << products;
  for (const char* half : {"NVIDIA L20", "NVIDIA L40", "NVIDIA A10G", "NVIDIA L40-48Q"}) {
    EXPECT_EQ(tensor_core_share(half, "gemm16"), .5) << half;
    EXPECT_EQ(tensor_core_share(half, "int8"), .5) << half;
    EXPECT_EQ(tensor_core_share(half, "gemm32"), 1) << half;
  }
  EXPECT_EQ(tensor_core_share("NVIDIA GeForce RTX 4090", "gemm16"), .5);
  EXPECT_EQ(tensor_core_share("NVIDIA GeForce RTX 4090", "int8"), 1);
  for (const char* h20 : {"NVIDIA H20", "NVIDIA H20-3e"})
    EXPECT_NEAR(tensor_core_share(h20, "fp8") * 8192 * 78 * 1.98e9, 296e12, 1e12) << h20;
  for (const char* none :
       {"NVIDIA T1000 8GB", "NVIDIA DGX Display", "NVIDIA GeForce GTX 1660", "NVIDIA CMP 170HX"})
    EXPECT_EQ(tensor_core_share(none, "gemm16"), 0) << none;
}

}  // namespace
}  // namespace gpugauge::judge

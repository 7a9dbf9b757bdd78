// The Tensor Core proof: own kernels and libraries apart, fp8 and int8 apart, and no product hides another.
#include "judge/tensor_cores.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "judge/judge.hpp"
#include "judge/products.hpp"
#include "runs.hpp"

namespace gpugauge::judge {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A product at so many operations a clock and SM.
struct Rate {
  std::string id, metric_class;
  double operations;
  result::Facts notes = {};
  std::string shape = "8192x8192x8192";
  double work = 1.1e12;
};

/// Verdicts of the Tensor Core proof on a GPU of 132 SMs at 1.7 GHz that measured these.
std::map<std::string, Verdict> proof(const std::vector<Rate>& rates, const std::string& capability = "9.0",
                                     const std::string& name = "NVIDIA H200", double clock = 1.7e9) {
  std::map<std::string, result::Process> families;
  result::Run run = make_run(1, {}, 0);
  for (const Rate& rate : rates) {
    result::Process& process = families[rate.id.substr(0, rate.id.find('/'))];
    if (!process.samples) process.samples.emplace();
    process.family = process.samples->family = rate.id.substr(0, rate.id.find('/'));
    process.samples->context = {
        {"gpu.name", name}, {"gpu.compute_capability", capability}, {"gpu.sm_count", "132"}};
    // As the families declare them: products of whole numbers have operations, which are items of work.
    const bool whole = rate.id.find("int8") != std::string::npos;
    result::BenchmarkResult made = benchmark(
        rate.id, metric(whole ? "rate" : "throughput", whole ? "operation/second" : "flop/second",
                        result::Direction::higher, rate.metric_class, rate.operations * 132 * 1.7e9));
    if (clock > 0) made.batches.sm_clock_hz = {clock};
    (whole ? made.work.items : made.work.flops) = rate.work;
    made.notes = rate.notes;
    made.parameters["shape"] = rate.shape;
    process.samples->benchmarks.push_back(std::move(made));
  }
  for (auto& [family, process] : families) run.processes.push_back(std::move(process));
  std::map<std::string, Verdict> out;
  for (Verdict& verdict : judge_physical(run))
    if (verdict.metric.starts_with("tensor_cores/")) out.emplace(verdict.metric, verdict);
  return out;
}

const result::Facts simt{{"kernel", "ampere_sgemm_128x64_nn"}, {"kernel_path", "simt"}};
const result::Facts tensor{{"kernel", "nvjet_tst_128x256"}, {"kernel_path", "tensor"}};

TEST(TensorCores, ALibraryThatLostThemFailsBesideOwnKernelsThatUseThem) {
  const std::vector<Rate> rates{{"peak/bf16/wgmma", "gemm16", 3970},
                                {"gemm/bf16/wgmma/8192", "gemm16", 3300},
                                {"peak/fp32/fma", "gemm32", 250},
                                {"cublas/bf16/lt/8192", "gemm16", 400}};
  for (const char* capability : {"9.0", "8.0", "8.6", "10.0", "12.0"}) {
    std::vector<Rate> known = rates;
    const bool small = std::string(capability) == "8.6" || std::string(capability) == "12.0";
    if (std::string(capability) != "9.0") known[0].operations = known[1].operations = small ? 900 : 1900;
    if (std::string(capability) == "8.0") known[2].operations = 125;
    if (small) known[3].operations = 200;
    const auto found = proof(known, capability, "NVIDIA A40");
    EXPECT_EQ(found.at("tensor_cores/gemm16/hardware").kind, VerdictKind::ok)
        << capability << found.at("tensor_cores/gemm16/hardware").reason;
    EXPECT_EQ(found.at("tensor_cores/gemm16").kind, VerdictKind::failed) << capability;
    EXPECT_THAT(found.at("tensor_cores/gemm16").reason, HasSubstr("look at the library and its settings"));
  }
}

TEST(TensorCores, OfProfessionalCardsOf120AreToldFromCudaCores) {
  const char* const whole = "NVIDIA RTX PRO 6000 Blackwell Server Edition";
  const auto tf32 = [](double operations, const char* name) {
    return proof({{"cublas/tf32/lt/8192", "gemmtf32", operations, tensor}}, "12.0", name)
        .at("tensor_cores/gemmtf32");
  };
  EXPECT_EQ(tf32(490, whole).kind, VerdictKind::ok);
  EXPECT_EQ(tf32(240, whole).kind, VerdictKind::inconclusive) << "half of the rate, which need not be a loss";
  EXPECT_FALSE(tf32(240, whole).advisory);
  EXPECT_EQ(proof({{"cublas/tf32/lt/8192", "gemmtf32", 240, {{"numerics", "fp32"}}}}, "12.0", whole)
                .at("tensor_cores/gemmtf32")
                .kind,
            VerdictKind::failed)
      << "the error says it, too";
  EXPECT_TRUE(tf32(240, "NVIDIA GeForce RTX 5090").advisory) << "cut to the CUDA cores' rate";
}

TEST(TensorCores, CutModelsAreExcusedOnlyWhereTheCutIsToTheCudaCoresRate) {
  const auto of = [](const char* metric_class, const char* id, double operations, const char* capability,
                     const char* name, const result::Facts& notes = {}) {
    const auto found = proof({{id, metric_class, operations, notes}}, capability, name);
    return found.begin()->second;
  };
  for (const auto& [name, capability] : {std::pair("NVIDIA GeForce RTX 3090", "8.6"),
                                         {"NVIDIA GeForce RTX 4090", "8.9"},
                                         {"NVIDIA GeForce RTX 5090", "12.0"},
                                         {"NVIDIA L40", "8.9"},
                                         {"NVIDIA A10G", "8.6"}}) {
    EXPECT_EQ(of("gemm16", "cublas/bf16/lt/8192", 230, capability, name).kind, VerdictKind::failed) << name;
    EXPECT_EQ(of("gemm16", "cublas/bf16/lt/8192", 470, capability, name).kind, VerdictKind::ok) << name;
    const Verdict tf32 = of("gemmtf32", "cublas/tf32/lt/8192", 230, capability, name);
    EXPECT_TRUE(tf32.advisory) << name;
    EXPECT_THAT(tf32.reason, HasSubstr("cut to what CUDA cores do"));
    const Verdict named = of("gemmtf32", "cublas/tf32/lt/8192", 230, capability, name, simt);
    EXPECT_EQ(named.kind, VerdictKind::inconclusive) << name;
    EXPECT_FALSE(named.advisory) << "a kernel's name counts whatever the rate tells";
    EXPECT_THAT(named.reason, Not(HasSubstr("faster")));
  }
  EXPECT_EQ(of("gemm8", "cublas/fp8/lt_e4m3/8192", 250, "8.9", "NVIDIA L4").kind, VerdictKind::failed);
  EXPECT_EQ(of("gemm8", "cublas/fp8/lt_e4m3/8192", 500, "9.0", "NVIDIA H20").kind, VerdictKind::failed);
  EXPECT_EQ(of("gemm8", "cublas/fp8/lt_e4m3/8192", 900, "8.9", "NVIDIA L4").kind, VerdictKind::ok)
      << "below a half, and CUDA cores cannot";
  EXPECT_TRUE(of("gemm8", "cublas/int8/lt/8192", 900, "8.9", "NVIDIA L4").advisory)
      << "what CUDA cores do of int8 is only known from above";
  const Verdict none = of("gemm16", "cublas/fp16/lt/8192", 200, "7.5", "NVIDIA DGX Display", simt);
  EXPECT_TRUE(none.advisory);
  EXPECT_THAT(none.reason, HasSubstr("this model has no Tensor Cores"));
}

TEST(TensorCores, ANameCountsOnAGpuOfWhichNothingElseIsKnown) {
  const Verdict named =
      proof({{"cublas/bf16/lt/8192", "gemm16", 400, simt}}, "12.1", "NVIDIA GB10").at("tensor_cores/gemm16");
  EXPECT_EQ(named.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(named.advisory);
  EXPECT_TRUE(proof({{"cublas/fp16/lt/8192", "gemm16", 100, simt}}, "6.1", "Tesla P40")
                  .at("tensor_cores/gemm16")
                  .advisory)
      << "has none";
}

TEST(TensorCores, ConvolutionsAndAttentionOnCudaCoresAreFoundWithoutABaseline) {
  const result::Facts gemm{{"kernel", "implicit_convolve_sgemm"}, {"kernel_path", "simt"}};
  const auto layer = [&](const char* id, const char* metric_class, double operations,
                         const result::Facts& notes, const char* capability = "9.0",
                         const char* name = "NVIDIA H200") {
    return proof({{id, metric_class, operations, notes, "4x32x4096x128", 1.5e10}}, capability, name);
  };
  const char* const fprop = "cudnn/fprop/bf16/stage3_3x3/nhwc";
  const Verdict slow = layer(fprop, "conv", 200, gemm).at("tensor_cores/conv/gemm16");
  EXPECT_EQ(slow.kind, VerdictKind::failed);
  EXPECT_EQ(slow.metric_class, "conv");
  EXPECT_EQ(layer(fprop, "conv", 200, {}).at("tensor_cores/conv/gemm16").kind, VerdictKind::failed)
      << "by its rate alone";
  EXPECT_EQ(layer(fprop, "conv", 2065, tensor).at("tensor_cores/conv/gemm16").kind, VerdictKind::ok);
  const Verdict named = layer(fprop, "conv", 400, gemm).at("tensor_cores/conv/gemm16");
  EXPECT_EQ(named.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(named.advisory);
  EXPECT_THAT(named.reason, HasSubstr("kernel implicit_convolve_sgemm"));
  EXPECT_EQ(layer("cudnn/dgrad/tf32/stage3_3x3/nhwc", "conv", 100, {{"numerics", "fp32"}})
                .at("tensor_cores/conv/gemmtf32")
                .kind,
            VerdictKind::failed);
  EXPECT_EQ(layer("cudnn/sdpa/bf16/4x32x4096x128/causal", "attention", 150, simt)
                .at("tensor_cores/attention/gemm16")
                .kind,
            VerdictKind::failed);
  EXPECT_EQ(layer("cudnn/sdpa/bf16/4x32x4096x128/causal", "attention", 2700, tensor)
                .at("tensor_cores/attention/gemm16")
                .kind,
            VerdictKind::ok);
  for (const char* honest : {"cudnn/fprop/fp32/stage3_3x3/nhwc", "cudnn/fprop/bf16/stem_7x7/nhwc",
                             "cudnn/fprop/tf32/stage3_3x3/nchw", "primitive/attention/naive/128/full/16384"})
    EXPECT_TRUE(layer(honest, "conv", 100, gemm).empty()) << honest;
  EXPECT_TRUE(layer("cudnn/fprop/tf32/stage3_3x3/nhwc", "conv", 200, {}, "8.6", "NVIDIA A40")
                  .at("tensor_cores/conv/gemmtf32")
                  .advisory)
      << "need not reach half of the rate";
}

TEST(TensorCores, OneConvolutionOnCudaCoresIsNotHiddenByAnother) {
  const result::Facts gemm{{"kernel", "implicit_convolve_sgemm"}, {"kernel_path", "simt"}};
  const auto found = proof({{"cudnn/fprop/bf16/stage3_3x3/nhwc", "conv", 2065, tensor, "", 1.5e10},
                            {"cudnn/fprop/bf16/stage5_3x3/nhwc", "conv", 180, gemm, "", 1.5e10}});
  EXPECT_EQ(found.at("tensor_cores/conv/gemm16").kind, VerdictKind::failed);
  EXPECT_THAT(found.at("tensor_cores/conv/gemm16").reason,
              HasSubstr("in cudnn/fprop/bf16/stage5_3x3/nhwc (kernel implicit_convolve_sgemm"));
}

TEST(TensorCores, OneProductOfALibraryOnCudaCoresFailsBesideItsOthers) {
  const auto found = proof({{"peak/bf16/mma_sync", "gemm16", 2500, {}, "", 1e9},
                            {"cublas/bf16/lt/8192", "gemm16", 3300, tensor},
                            {"cublas/bf16/gemm_ex/8192", "gemm16", 210, simt}});
  EXPECT_EQ(found.at("tensor_cores/gemm16/hardware").kind, VerdictKind::ok) << "from registers at any size";
  const Verdict& lost = found.at("tensor_cores/gemm16");
  EXPECT_EQ(lost.kind, VerdictKind::failed);
  EXPECT_FALSE(lost.advisory);
  EXPECT_THAT(lost.reason, HasSubstr("CUDA cores did the work that Tensor Cores should do in "
                                     "cublas/bf16/gemm_ex/8192 (kernel ampere_sgemm_128x64_nn; 210 "
                                     "operations a clock and SM)"));
}

TEST(TensorCores, ALostMathModeIsToldByTheError) {
  // cublasSgemm on a handle whose mode was set back, no kernel names, beside cuBLASLt's tf32.
  std::vector<Rate> rates{{"cublas/tf32/lt/8192", "gemmtf32", 1700, {{"numerics", "tf32"}}},
                          {"cublas/tf32/sgemm/8192", "gemmtf32", 220, {{"numerics", "fp32"}}}};
  const Verdict lost = proof(rates).at("tensor_cores/gemmtf32");
  EXPECT_EQ(lost.kind, VerdictKind::failed);
  EXPECT_THAT(lost.reason, HasSubstr("cublas/tf32/sgemm/8192 (the error is that of fp32; 220 operations"));
  rates[1].operations = 1700;
  const Verdict odd = proof(rates).at("tensor_cores/gemmtf32");
  EXPECT_EQ(odd.kind, VerdictKind::inconclusive);
  EXPECT_FALSE(odd.advisory);
  EXPECT_THAT(odd.reason, HasSubstr("and is faster than CUDA cores can be"));
  rates[1].notes["numerics"] = "tf32";
  EXPECT_EQ(proof(rates).at("tensor_cores/gemmtf32").kind, VerdictKind::ok);
}

TEST(TensorCores, WhatLegitimatelyRunsOnCudaCoresFailsNothing) {
  const Rate whole{"cublas/bf16/lt/8192", "gemm16", 3300, tensor};
  const auto beside = [&](const Rate& other, const char* capability = "9.0", const char* name = "H200") {
    return proof({whole, other}, capability, name);
  };
  const std::string key = "tensor_cores/gemm16";
  EXPECT_EQ(beside({"cublas/misaligned/bf16/4095", "gemm16", 210, simt, "4095x4095x4095"}).at(key).kind,
            VerdictKind::ok);
  EXPECT_EQ(beside({"cublas/misaligned/bf16/4088", "gemm16", 210, simt, "4088x4088x4088"}).at(key).kind,
            VerdictKind::ok);
  EXPECT_EQ(beside({"cublas/bf16/lt/1024", "gemm16", 210, simt, "1024x1024x1024", 2.1e9}).at(key).kind,
            VerdictKind::ok);
  const Rate fp32{"cublas/fp32/lt/4096", "gemm32", 210, {{"kernel_path", "simt"}, {"numerics", "fp32"}}};
  EXPECT_EQ(beside(fp32).size(), 1U) << "pedantic fp32";
  EXPECT_EQ(beside(fp32).at(key).kind, VerdictKind::ok);
  const Rate fp64{"cublas/fp64/lt/8192", "gemm64", 3, simt};
  EXPECT_EQ(beside(fp64, "8.9", "NVIDIA L4").size(), 1U) << "fp64 of few units";
  EXPECT_EQ(beside({"gemm/bf16/wgmma_tile_64/4096", "gemm16", 210, simt}).at(key).kind, VerdictKind::ok)
      << "a step of the ladder says nothing of the library";
  const auto cut = proof({{"cublas/tf32/lt/8192", "gemmtf32", 250}}, "8.9", "NVIDIA L20");
  EXPECT_TRUE(cut.at("tensor_cores/gemmtf32").advisory) << "tf32 as fast as fp32 by design";
}

TEST(TensorCores, AHealthyInt8DoesNotHideASlowFp8) {
  const auto found = proof({{"cublas/bf16/lt/8192", "gemm16", 3300},
                            {"cublas/int8/lt/8192", "gemm8", 5800},
                            {"cublas/fp8/lt_e4m3/8192", "gemm8", 3300}});
  EXPECT_EQ(found.at("tensor_cores/int8").kind, VerdictKind::ok) << found.at("tensor_cores/int8").reason;
  EXPECT_EQ(found.at("tensor_cores/fp8").kind, VerdictKind::inconclusive);
  EXPECT_FALSE(found.at("tensor_cores/fp8").advisory);
  EXPECT_THAT(found.at("tensor_cores/fp8").reason, HasSubstr("the ratio is 1.0 times gemm16"));
  EXPECT_EQ(found.at("tensor_cores/fp8").metric_class, "gemm8");
}

/// cuBLASLt may bring kernels of 8.0 for it.
TEST(TensorCores, ASlowInt8OfALibraryIsNoEvidenceOnNewerGpus) {
  for (const auto& [capability, rate] : {std::pair("9.0", 3800.0), {"10.0", 2200.0}, {"10.0", 900.0}}) {
    const auto found =
        proof({{"cublas/bf16/lt/8192", "gemm16", std::string(capability) == "9.0" ? 3300.0 : 7000.0},
               {"cublas/int8/lt/8192", "gemm8", rate}},
              capability, "NVIDIA B200");
    const Verdict& int8 = found.at("tensor_cores/int8");
    EXPECT_TRUE(int8.kind == VerdictKind::ok || int8.advisory) << capability << ' ' << int8.reason;
  }
}

TEST(TensorCores, AShareOfAVirtualGpuThatOthersUseProvesNothing) {
  const std::vector<Rate> slow{{"cublas/fp16/lt/4096", "gemm16", 100}};
  EXPECT_TRUE(proof(slow, "7.5", "GRID T4-8Q").at("tensor_cores/gemm16").advisory);
  EXPECT_EQ(proof(slow, "7.5", "Tesla T4").at("tensor_cores/gemm16").kind, VerdictKind::failed);
}

TEST(TensorCores, TheRatioIsOfALibraryToALibrary) {
  // fp8 at 1.65 times the library's bf16, which is at 80% of its peak; over wgmma alone it would be 1.3.
  const auto found = proof({{"peak/bf16/wgmma", "gemm16", 4000},
                            {"cublas/bf16/lt/8192", "gemm16", 2900},
                            {"cublas/fp8/lt_e4m3/8192", "gemm8", 4700}});
  EXPECT_EQ(found.at("tensor_cores/fp8").kind, VerdictKind::ok) << found.at("tensor_cores/fp8").reason;
}

TEST(TensorCores, OwnKernelsThatAreNotTheFastOnesOfAGpuSpeakAgainstNothing) {
  // mma.sync on 10.0: fp8 is made of fp16 instructions, and may be slower than the CUDA cores' bound.
  const auto slow = proof({{"peak/bf16/mma_sync", "gemm16", 2000}, {"peak/fp8/mma_sync", "gemm8", 400}},
                          "10.0", "NVIDIA B200");
  EXPECT_EQ(slow.at("tensor_cores/gemm16/hardware").kind, VerdictKind::ok);
  EXPECT_TRUE(slow.at("tensor_cores/fp8/hardware").advisory);
  // tcgen05 is the fast one.
  const auto fast = proof({{"peak/bf16/tcgen05", "gemm16", 8000}, {"peak/fp8/tcgen05", "gemm8", 16000}},
                          "10.0", "NVIDIA B200");
  EXPECT_EQ(fast.at("tensor_cores/gemm16/hardware").kind, VerdictKind::ok);
  EXPECT_EQ(fast.at("tensor_cores/fp8/hardware").kind, VerdictKind::ok);
  const auto broken = proof({{"peak/bf16/tcgen05", "gemm16", 400}}, "10.0", "NVIDIA B200");
  EXPECT_EQ(broken.at("tensor_cores/gemm16/hardware").kind, VerdictKind::failed);
  const auto emulated = proof({{"peak/bf16/mma_sync", "gemm16", 2500}, {"peak/fp8/mma_sync", "gemm8", 2000}});
  EXPECT_EQ(emulated.at("tensor_cores/fp8/hardware").kind, VerdictKind::ok);
  const auto lost = proof({{"peak/bf16/wgmma", "gemm16", 4000}, {"peak/fp8/wgmma", "gemm8", 3000}});
  EXPECT_EQ(lost.at("tensor_cores/fp8/hardware").kind, VerdictKind::inconclusive);
  EXPECT_FALSE(lost.at("tensor_cores/fp8/hardware").advisory);
  const auto int8 = proof({{"cublas/int8/lt/8192", "gemm8", 600}}, "10.3", "NVIDIA B300");
  EXPECT_TRUE(int8.at("tensor_cores/int8").advisory) << "cut there by design";
}

TEST(TensorCores, TheBestOfALibrarysAlgorithmsDoesNotStandForItsChoice) {
  result::Run run = make_run(1, {}, 1);
  result::Process& process = run.processes[0];
  process.family = process.samples->family = "cublas";
  process.samples->context = {
      {"gpu.name", "NVIDIA H200"}, {"gpu.compute_capability", "9.0"}, {"gpu.sm_count", "132"}};
  const auto rate = [](const char* name, double operations) {
    return metric(name, "flop/second", result::Direction::higher, "gemm16", operations * 132 * 1.7e9);
  };
  result::BenchmarkResult made = benchmark("cublas/bf16/lt/8192", rate("throughput", 210));
  made.metrics.push_back(rate("throughput_best", 3300));
  made.batches.sm_clock_hz = {1.7e9};
  made.work.flops = 1.1e12;
  process.samples->benchmarks = {made};
  const auto verdicts = judge_tensor_cores(collect(run), run);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].kind, VerdictKind::failed);
}

TEST(TensorCores, WithoutAClockANameStillCounts) {
  const auto found = proof({{"cublas/bf16/lt/8192", "gemm16", 210, simt}}, "9.0", "NVIDIA H200", 0);
  EXPECT_EQ(found.at("tensor_cores/gemm16").kind, VerdictKind::inconclusive);
  EXPECT_FALSE(found.at("tensor_cores/gemm16").advisory);
  EXPECT_THAT(found.at("tensor_cores/gemm16").reason,
              HasSubstr("ran without Tensor Cores by its notes (kernel ampere_sgemm_128x64_nn)"));
  const auto healthy = proof({{"cublas/bf16/lt/8192", "gemm16", 3300, tensor}}, "9.0", "NVIDIA H200", 0);
  EXPECT_TRUE(healthy.at("tensor_cores/gemm16").advisory);
  EXPECT_THAT(healthy.at("tensor_cores/gemm16").reason, Not(HasSubstr("without Tensor Cores")));
}

TEST(Products, AreToldApartByClassAndName) {
  EXPECT_EQ(products_of("gemm8", "cublas/int8/lt/8192"), "int8");
  EXPECT_EQ(products_of("gemm8", "cublas/prefill/e4m3"), "fp8");
  EXPECT_EQ(products_of("gemm16", "peak/bf16/wgmma"), "gemm16");
  EXPECT_TRUE(own_kernels("gemm/bf16/wgmma"));
  EXPECT_FALSE(own_kernels("gemmlib/bf16"));
  EXPECT_FALSE(from_registers("gemm/bf16/wgmma"));
}

}  // namespace
}  // namespace gpugauge::judge

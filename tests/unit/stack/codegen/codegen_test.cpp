#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result/error.hpp"
#include "stack/codegen/review.hpp"

namespace gpugauge::stack {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(KernelName, IsShortAndKeepsTemplateArguments) {
  EXPECT_EQ(readable_kernel_name("_ZN8gpugauge7kernels4gemm3mma15mma_bf16_kernelIfEEvPKNS0_"
                                 "4Bf16ES6_PT_iiiNS1_9TileOrderE"),
            "gemm::mma::mma_bf16_kernel<float>");
  EXPECT_EQ(readable_kernel_name("_ZN8gpugauge7kernels4gemm45_GLOBAL__N__e8a4f3cc_12_reference_cu_"
                                 "a46633ca12error_kernelINS0_4Bf16EfEEvPKT_S7_PKT0_iiiimPy"),
            "gemm::error_kernel<Bf16, float>");
  EXPECT_EQ(readable_kernel_name("empty"), "empty");
  EXPECT_EQ(without_arguments("gemm::mma::mma_bf16_kernel<float>"), "gemm::mma::mma_bf16_kernel");
  EXPECT_TRUE(is_foreign("_ZN3cub11EmptyKernelIvEEvv"));
  EXPECT_FALSE(is_foreign("_ZN8gpugauge7kernels4gemm3mma15mma_bf16_kernelIfEEvv"));
  EXPECT_FALSE(is_foreign("empty"));
}

TEST(KernelName, ThatStandsForMoreTextThanAnyMemoryHoldsStaysAsItIs) {
  // f(A<x, x>, A<A<x, x>, A<x, x>>, ...): each parameter twice as long as the one before.
  const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string few = "_Z1f1AI1xS0_E";
  std::string many = few;
  for (std::size_t i = 1; i < digits.size(); ++i) {
    const std::string before = std::string("S") + digits[i] + "_";
    const std::string parameter = fmt::format("S_I{0}{0}E", before);
    many += parameter;
    if (i < 4) few += parameter;
  }
  EXPECT_EQ(readable_kernel_name(many), many);
  EXPECT_EQ(readable_kernel_name(few), "f");
}

TEST(OpcodePattern, EndsWhereAPartEnds) {
  EXPECT_TRUE(opcode_matches("HMMA", "HMMA.16816.F32"));
  EXPECT_TRUE(opcode_matches("HMMA.16816.F32", "HMMA.16816.F32.BF16"));
  EXPECT_FALSE(opcode_matches("HMMA.16816.F3", "HMMA.16816.F32"));
  EXPECT_FALSE(opcode_matches("MMA", "HMMA.16816.F32"));
  EXPECT_TRUE(opcode_matches("LDG*.128", "LDG.E.128.CONSTANT"));
  EXPECT_FALSE(opcode_matches("LDG*.128", "LDG.E.64"));
}

KernelCode sample() {
  KernelCode kernel;
  kernel.symbol = "_ZN8gpugauge7kernels1kEv";
  kernel.name = "gemm::k<1>";
  kernel.architecture = "sm_90a";
  kernel.has_resources = kernel.has_code = true;
  kernel.registers = 100;
  kernel.shared_bytes = 2048;
  kernel.opcodes = {{"HGMMA.64x256x16.F32.BF16", 4}, {"LDG.E.64", 2}, {"STG.E.128", 1}, {"EXIT", 1}};
  kernel.instructions = 8;
  kernel.loops = {{2, {{"LDG.E.64", 2}}}, {5, {{"HGMMA.64x256x16.F32.BF16", 4}, {"BRA", 1}}}};
  return kernel;
}

TEST(Breaches, AreSaidOneByOne) {
  EXPECT_THAT(breaches({}, sample()), IsEmpty());
  Expectation wanted;
  wanted.registers_most = 99;
  wanted.shared_bytes_most = 2047;
  wanted.instructions_most = 7;
  wanted.vector_bytes = 16;
  wanted.least = {{"HGMMA", 5}};
  wanted.most = {{"LDG", 1}, {"STG", 1}};
  wanted.forbidden = {"LDG"};
  EXPECT_THAT(
      breaches(wanted, sample()),
      ElementsAre("100 registers, and at most 99 are declared",
                  "2048 bytes of static shared memory, and at most 2047 are declared",
                  "8 instructions, and at most 7 are declared", "4 HGMMA, and at least 5 are declared",
                  "2 LDG, and at most 1 are declared", "2 LDG, which is forbidden",
                  "the widest load from global memory moves 8 bytes, and 16 are declared"));
}

TEST(Breaches, OfSpills) {
  KernelCode kernel = sample();
  kernel.stack_bytes = 8;
  kernel.opcodes["LDL.64"] = 1;
  kernel.opcodes["STL"] = 2;
  EXPECT_THAT(breaches({}, kernel),
              ElementsAre(HasSubstr("8 bytes of stack"), HasSubstr("3 accesses to local memory")));
  Expectation allowed;
  allowed.stack_bytes_most = 8;
  allowed.local_accesses_most = 3;
  EXPECT_THAT(breaches(allowed, kernel), IsEmpty());
}

TEST(Breaches, OfALoop) {
  Expectation wanted;
  wanted.loop_least = {{"HGMMA", 4}};
  wanted.loop_share = 0.8;
  EXPECT_THAT(breaches(wanted, sample()), IsEmpty());
  wanted.loop_share = 0.81;
  EXPECT_THAT(breaches(wanted, sample()),
              ElementsAre("80% of the loop's 5 instructions are those declared, and it must be 81%"));
  // Both are in the kernel, but in no one loop.
  wanted.loop_least = {{"HGMMA", 4}, {"LDG", 1}};
  EXPECT_THAT(breaches(wanted, sample()), ElementsAre("the loop holds 0 LDG, and at least 1 are declared"));
  KernelCode straight = sample();
  straight.loops.clear();
  EXPECT_THAT(breaches(wanted, straight), ElementsAre(HasSubstr("there is no loop")));
}

TEST(Breaches, OfALoopThatHoldsTooMany) {
  Expectation wanted;
  wanted.loop_least = {{"HGMMA", 4}};
  wanted.loop_most = {{"LDG", 0}, {"WARPGROUP.DEPBAR", 2}};
  KernelCode kernel = sample();
  kernel.loops[1].opcodes["WARPGROUP.DEPBAR.LE"] = 2;
  EXPECT_THAT(breaches(wanted, kernel), IsEmpty());  // the loads are in another loop
  kernel.loops[1].opcodes["WARPGROUP.DEPBAR.LE"] = 4;
  EXPECT_THAT(breaches(wanted, kernel),
              ElementsAre("the loop holds 4 WARPGROUP.DEPBAR, and at most 2 are declared"));
}

TEST(Breaches, OfWhatWasNotListed) {
  KernelCode kernel = sample();
  kernel.has_resources = kernel.has_code = false;
  EXPECT_THAT(breaches({}, kernel), ElementsAre(HasSubstr("resource usage"), HasSubstr("machine code")));
}

TEST(Expectations, AreReadStrictly) {
  const std::vector<Expectation> read = read_expectations(
      R"({"schema": "gpugauge-codegen-1", "kernels": [{"kernel": "a", "architectures": ["sm_80+"],
          "registers_most": 5, "least": {"HMMA": 2}, "loop_least": {"HMMA": 1}, "loop_share": 0.5}]})",
      "x.json");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].origin, "x.json: kernels[0]");
  EXPECT_TRUE(covers(read[0], "sm_90a"));
  EXPECT_TRUE(covers(read[0], "sm_80"));
  EXPECT_FALSE(covers(read[0], "sm_75"));
  const auto refused = [](const std::string& entry) {
    try {
      read_expectations(R"({"schema": "gpugauge-codegen-1", "kernels": [)" + entry + "]}", "x.json");
    } catch (const result::FormatError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refused(R"({"kernel": "a", "registers": 5})"), HasSubstr("registers"));
  EXPECT_THAT(refused(R"({"kernel": "a", "registers_most": -1})"), HasSubstr("negative"));
  EXPECT_THAT(refused(R"({"kernel": "a", "architectures": ["90"]})"), HasSubstr("is no architecture"));
  EXPECT_THAT(refused(R"({"kernel": "a", "least": {"HMMA": 0}})"), HasSubstr("from 1 to"));
  EXPECT_THAT(refused(R"({"kernel": "a", "most": {"HMMA": 0}})"), HasSubstr("from 1 to"));
  EXPECT_THAT(refused(R"({"kernel": "a", "loop_share": 0.5})"), HasSubstr("loop_least"));
  EXPECT_THAT(refused(R"({"kernel": "a", "loop_most": {"A": 1}})"), HasSubstr("loop_least"));
  EXPECT_THAT(refused(R"({"kernel": "a", "loop_least": {"A": 1}, "loop_most": {"A": -1}})"),
              HasSubstr("from 0 to"));
  EXPECT_THAT(refused(R"({"kernel": "a", "loop_least": {"A": 1}, "loop_share": 2})"),
              HasSubstr("within 0 and 1"));
  EXPECT_THROW(read_expectations(R"({"schema": "gpugauge-codegen-1", "kernels": []})", "x.json"),
               result::FormatError);
  EXPECT_THROW(read_expectations(R"({"schema": "other-1", "kernels": []})", "x.json"), result::FormatError);
}

TEST(Expectations, OfThisBuildCanBeRead) {
  EXPECT_GT(built_in_expectations().size(), 5U);
}

TEST(Review, WhatPtxasSetsBeforeEveryKernelOfOneArchitectureIsNoBody) {
  Expectation wanted;
  wanted.kernel = "gemm::k";
  wanted.architectures = {"sm_90a"};
  KernelCode code = sample();
  const auto state = [&](const char* architecture, int instructions) {
    code.architecture = architecture;
    code.instructions = instructions;
    return review({code}, {wanted}, Kernels::of_this_project).rows.at(0).state;
  };
  EXPECT_EQ(state("sm_86", 8), CodeState::as_declared);
  EXPECT_EQ(state("sm_86", 9), CodeState::broken);
  EXPECT_EQ(state("sm_87", 28), CodeState::as_declared);
  EXPECT_EQ(state("sm_87", 29), CodeState::broken);
}

TEST(Review, OfCodeThatWasNeverListedIsNoPass) {
  Expectation wanted;
  wanted.kernel = "gemm::k";
  wanted.architectures = {"sm_100a"};
  KernelCode code = sample();
  code.has_code = false;
  code.instructions = 0;
  const CodeReview seen = review({code}, {wanted}, Kernels::of_this_project);
  EXPECT_EQ(seen.rows.at(0).state, CodeState::broken);
  EXPECT_THAT(seen.rows.at(0).problems, ElementsAre("its machine code was not listed"));
}

TEST(Review, OfSomebodysOwnExpectationsLeavesNoKernelOut) {
  KernelCode theirs = sample();
  theirs.symbol = "_ZN3app1kEv";
  theirs.name = "app::k";
  Expectation wanted;
  wanted.kernel = "app::k";
  wanted.forbidden = {"LDG"};
  const CodeReview seen = review({theirs}, {wanted}, Kernels::all);
  EXPECT_EQ(seen.foreign, 0);
  EXPECT_EQ(seen.broken, 1);
  EXPECT_THAT(seen.unmatched, IsEmpty());
}

TEST(Review, EachDeclaredArchitectureNeedsCodeOfEachKernelWhereTheFilesHaveAny) {
  Expectation wanted;
  wanted.origin = "x.json: kernels[0]";
  wanted.kernel = "gemm::k*";
  wanted.architectures = {"sm_80", "sm_90a", "sm_100+"};
  KernelCode stub = sample();
  stub.architecture = "sm_80";
  stub.instructions = 2;
  stub.opcodes = {};
  const CodeReview without = review({stub}, {wanted}, Kernels::all);
  EXPECT_THAT(without.unmatched, IsEmpty());
  EXPECT_THAT(without.unmet, IsEmpty());
  EXPECT_THAT(without.not_built, ElementsAre("x.json: kernels[0]: 'gemm::k*' on sm_90a",
                                             "x.json: kernels[0]: 'gemm::k*' on sm_100+"));
  // Another kernel shows that 9.0a was built.
  KernelCode other = sample();
  other.name = "gemm::k<2>";
  const CodeReview beside = review({stub, other}, {wanted}, Kernels::all);
  EXPECT_THAT(beside.unmet, ElementsAre("x.json: kernels[0]: 'gemm::k<2>' on sm_80",
                                        "x.json: kernels[0]: 'gemm::k<1>' on sm_90a"));
  EXPECT_THAT(beside.not_built, ElementsAre("x.json: kernels[0]: 'gemm::k*' on sm_100+"));
}

TEST(Review, TellsDeclaredBrokenUndeclaredForeignAndUnmatched) {
  KernelCode empty_stub = sample();
  empty_stub.architecture = "sm_80";
  empty_stub.instructions = 2;
  KernelCode left_over = empty_stub;
  left_over.architecture = "sm_86";
  left_over.instructions = 200;
  KernelCode other = sample();
  other.name = "memory::other";
  KernelCode foreign = sample();
  foreign.symbol = "_ZN3cub1kEv";
  Expectation wanted;
  wanted.kernel = "gemm::k";
  wanted.architectures = {"sm_90a"};
  wanted.least = {{"HGMMA", 4}};
  Expectation stale;
  stale.origin = "y.json: kernels[0]";
  stale.kernel = "gemm::gone";
  const CodeReview seen =
      review({empty_stub, left_over, sample(), other, foreign}, {wanted, stale}, Kernels::of_this_project);
  ASSERT_EQ(seen.rows.size(), 4U);
  EXPECT_EQ(seen.rows[0].state,
            CodeState::as_declared);  // an empty body, where the guard left the code out
  EXPECT_EQ(seen.rows[1].state, CodeState::broken);
  EXPECT_THAT(seen.rows[1].problems, ElementsAre(HasSubstr("200 instructions on an architecture")));
  EXPECT_EQ(seen.rows[2].state, CodeState::as_declared);
  EXPECT_THAT(seen.rows[2].proofs, ElementsAre("4 HGMMA"));
  EXPECT_EQ(seen.rows[3].state, CodeState::undeclared);
  EXPECT_EQ(seen.foreign, 1);
  EXPECT_EQ(seen.broken, 1);
  EXPECT_EQ(seen.undeclared, 1);
  EXPECT_THAT(seen.unmatched, ElementsAre("y.json: kernels[0]: 'gemm::gone'"));
}

}  // namespace
}  // namespace gpugauge::stack

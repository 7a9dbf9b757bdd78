// What cuobjdump prints, and the bodies of kernels that come of it.
#include "stack/codegen/parse.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace gpugauge::stack {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What cuobjdump 13.2 printed of an object file that nvcc 13.0 made (kernels/support/sm_clock.cu), one
// kernel; its stack and shared memory, 0 there, were put in.
constexpr std::string_view resources = R"(
Fatbin elf code:
================
arch = sm_80
code version = [1,8]
host = linux
compile_size = 64bit

Resource usage:
 Common:
  GLOBAL:0
 Function _ZN8gpugauge7kernels44_GLOBAL__N__be2774ca_11_sm_clock_cu_80cf904811spin_kernelEm:
  REG:8 STACK:16 SHARED:24 LOCAL:0 CONSTANT[0]:360 TEXTURE:0 SURFACE:0 SAMPLER:0
)";

// What it printed of the same kernel in a bare cubin (nvcc -cubin): no architecture, and in the code only "code for".
constexpr std::string_view resources_of_cubin = R"(

Resource usage:
 Common:
  GLOBAL:0
 Function planted:
  REG:8 STACK:0 SHARED:24 LOCAL:0 CONSTANT[0]:536 TEXTURE:0 SURFACE:0 SAMPLER:0
)";

constexpr std::string_view code_of_cubin = R"sass(

	code for sm_90a
	.target	sm_90a

		Function : planted
	.headerflags	@"EF_CUDA_ACCELERATORS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
        /*0000*/                   LDC R1, c[0x0][0x28] ;           /* 0x00000a00ff017b82 */
                                                                    /* 0x000fe20000000800 */
        /*0010*/                   EXIT ;                           /* 0x000000000000794d */
                                                                    /* 0x000fea0003800000 */
		..........
)sass";

constexpr std::string_view code = R"sass(
Fatbin elf code:
================
arch = sm_80
code version = [1,8]
host = linux
compile_size = 64bit

	code for sm_80
		Function : _ZN8gpugauge7kernels44_GLOBAL__N__be2774ca_11_sm_clock_cu_80cf904811spin_kernelEm
	.headerflags	@"EF_CUDA_64BIT_ADDRESS EF_CUDA_SM80 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM80)"
	.headerflags	@"EF_CUDA_64BIT_ADDRESS EF_CUDA_SM80 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM80)"
        /*0000*/                   IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;                  /* 0x00000a00ff017624 */
                                                                                            /* 0x000fe400078e00ff */
        /*0010*/                   CS2R R2, SR_GLOBALTIMERLO ;                              /* 0x0000000000027805 */
                                                                                            /* 0x000fca0000015200 */
        /*0020*/                   CS2R R4, SR_GLOBALTIMERLO ;                              /* 0x0000000000047805 */
                                                                                            /* 0x000fcc0000015200 */
        /*0030*/                   IADD3 R0, P0, -R2, R4, RZ ;                              /* 0x0000000402007210 */
                                                                                            /* 0x000fca0007f1e1ff */
        /*0040*/                   IMAD.X R4, R5, 0x1, ~R3, P0 ;                            /* 0x0000000105047824 */
                                                                                            /* 0x000fe200000e0e03 */
        /*0050*/                   ISETP.GE.U32.AND P0, PT, R0, c[0x0][0x160], PT ;         /* 0x0000580000007a0c */
                                                                                            /* 0x000fc80003f06070 */
        /*0060*/                   ISETP.GE.U32.AND.EX P0, PT, R4, c[0x0][0x164], PT, P0 ;  /* 0x0000590004007a0c */
                                                                                            /* 0x000fda0003f06100 */
        /*0070*/              @!P0 BRA 0x20 ;                                               /* 0xffffffa000008947 */
                                                                                            /* 0x000fea000383ffff */
        /*0080*/                   EXIT ;                                                   /* 0x000000000000794d */
                                                                                            /* 0x000fea0003800000 */
        /*0090*/                   BRA 0x90;                                                /* 0xfffffff000007947 */
                                                                                            /* 0x000fc0000383ffff */
        /*00a0*/                   NOP;                                                     /* 0x0000000000007918 */
                                                                                            /* 0x000fc00000000000 */
		..........
)sass";

std::vector<KernelCode> parsed(std::size_t piece) {
  CodeParser parser;
  for (const std::string_view text : {resources, code}) {
    for (std::size_t from = 0; from < text.size(); from += piece) parser.feed(text.substr(from, piece));
    parser.end_output();
  }
  return parser.kernels();
}

TEST(CodeParser, ReadsResourcesInstructionsAndLoopsInPiecesOfAnySize) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{1} << 20U}) {
    const std::vector<KernelCode> kernels = parsed(piece);
    ASSERT_EQ(kernels.size(), 1U) << piece;
    const KernelCode& kernel = kernels.front();
    EXPECT_EQ(kernel.name, "spin_kernel");
    EXPECT_EQ(kernel.architecture, "sm_80");
    EXPECT_EQ(kernel.registers, 8);
    EXPECT_EQ(kernel.stack_bytes, 16);
    EXPECT_EQ(kernel.shared_bytes, 24);
    EXPECT_EQ(kernel.instructions, 9);  // without the branch to itself and the padding
    const Opcodes all{
        {"IMAD.MOV.U32", 1},        {"CS2R", 2}, {"IADD3", 1}, {"IMAD.X", 1}, {"ISETP.GE.U32.AND", 1},
        {"ISETP.GE.U32.AND.EX", 1}, {"BRA", 1},  {"EXIT", 1}};
    EXPECT_EQ(kernel.opcodes, all);
    ASSERT_EQ(kernel.loops.size(), 1U);
    EXPECT_EQ(kernel.loops[0].instructions, 6);
    EXPECT_EQ(kernel.loops[0].opcodes.at("CS2R"), 1);
    EXPECT_FALSE(kernel.loops[0].opcodes.contains("EXIT"));
  }
}

CodeParser parser_of(const std::vector<std::string>& texts) {
  CodeParser out;
  for (const std::string& text : texts) out.feed(text);
  out.end_output();
  return out;
}

/// What cuobjdump prints of a kernel `k` for 9.0a: its stack, or its code of these instructions.
std::string resources_of_k(int stack) {
  return fmt::format("arch = sm_90a\n Function k:\n  REG:8 STACK:{} SHARED:0\n", stack);
}
std::string code_of_k(const std::vector<std::string>& opcodes) {
  std::string out = "arch = sm_90a\n\tFunction : k\n";
  for (std::size_t i = 0; i < opcodes.size(); ++i)
    out += fmt::format("  /*{:04x}*/  {} ;  /* 0x0 */\n", 16 * i, opcodes[i]);
  return out + "\t..........\n";
}

TEST(CodeParser, JoinsThePartsOfEachCopyAndAlikeOnesAreOneBody) {
  CodeParser first = parser_of({std::string(resources), std::string(resources)});
  first.take(parser_of({std::string(code), std::string(code)}));
  ASSERT_EQ(first.kernels().size(), 2U);
  const std::vector<KernelCode> bodies = distinct(first.kernels());
  ASSERT_EQ(bodies.size(), 1U);
  EXPECT_TRUE(bodies[0].has_resources);
  EXPECT_EQ(bodies[0].instructions, 9);
  EXPECT_THAT(first.architectures(), ElementsAre("sm_80"));
}

TEST(CodeParser, KeepsEachBodyOfAKernelThatComesAgain) {
  CodeParser file = parser_of({resources_of_k(0), resources_of_k(64)});
  file.take(parser_of({code_of_k({"HGMMA R0", "EXIT"}), code_of_k({"STL R0", "FFMA R0", "EXIT"})}));
  std::vector<KernelCode> twice = file.kernels();
  for (const KernelCode& one : file.kernels()) twice.push_back(one);
  const std::vector<KernelCode> bodies = distinct(std::move(twice));
  ASSERT_EQ(bodies.size(), 2U);
  EXPECT_EQ(bodies[0].stack_bytes, 0);
  EXPECT_EQ(bodies[0].opcodes, (Opcodes{{"EXIT", 1}, {"HGMMA", 1}}));
  EXPECT_EQ(bodies[1].stack_bytes, 64);
  EXPECT_EQ(bodies[1].opcodes, (Opcodes{{"EXIT", 1}, {"FFMA", 1}, {"STL", 1}}));
}

TEST(CodeParser, OneCopyMoreOfTheCodeHasNoResources) {
  CodeParser file = parser_of({resources_of_k(0)});
  file.take(parser_of({code_of_k({"EXIT"}), code_of_k({"FFMA R0", "EXIT"})}));
  const std::vector<KernelCode> bodies = file.kernels();
  ASSERT_EQ(bodies.size(), 2U);
  EXPECT_TRUE(bodies[0].has_resources);
  EXPECT_FALSE(bodies[1].has_resources);
  EXPECT_EQ(bodies[1].instructions, 2);
}

TEST(CodeParser, TakesNothingFromOtherText) {
  CodeParser parser;
  parser.feed("cuobjdump info    : File 'ls' does not contain device code\n/*0000*/ EXIT ;\nREG:3\n");
  parser.end_output();
  EXPECT_THAT(parser.kernels(), IsEmpty());
}

TEST(CodeParser, TheResourcesOfABareCubinAreOfTheArchitectureOfItsCode) {
  CodeParser listed;
  listed.feed(resources_of_cubin);
  listed.end_output();
  EXPECT_THAT(listed.architectures(), ElementsAre(""));
  CodeParser alone = listed;
  EXPECT_FALSE(alone.settle()) << "no code told which";

  CodeParser disassembled;
  disassembled.feed(code_of_cubin);
  disassembled.end_output();
  EXPECT_TRUE(disassembled.settle());
  listed.take(disassembled);
  ASSERT_TRUE(listed.settle());
  EXPECT_THAT(listed.architectures(), ElementsAre("sm_90a"));
  ASSERT_THAT(listed.kernels(), ::testing::SizeIs(1));
  const KernelCode one = listed.kernels().front();
  EXPECT_EQ(one.architecture, "sm_90a");
  EXPECT_EQ(one.registers, 8);
  EXPECT_EQ(one.shared_bytes, 24);
  EXPECT_EQ(one.instructions, 2);
  EXPECT_TRUE(one.has_resources && one.has_code);
}

}  // namespace
}  // namespace gpugauge::stack

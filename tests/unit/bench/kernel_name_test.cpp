// Names as profiles show them.
#include "support/kernel_name.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gpugauge::bench {
namespace {

struct Example {
  const char* name;
  KernelPath path;
  const char* architecture;
};

const std::vector<Example> examples{
    {"nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT", KernelPath::tensor, "sm90"},
    {"nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNN", KernelPath::tensor, "sm90"},
    {"nvjet_sm100_tst_64x32_64x16_2x1_2cta_h_bz_TNT", KernelPath::tensor, "sm100"},
    {"nvjet_sm120_tst_mma_64x64x128_3_32x32x128_tmaAB_alignCD4_bz_TNNN", KernelPath::tensor, "sm120"},
    {"sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_"
     "kernel__5x_cublas",
     KernelPath::tensor, "sm90"},
    {"sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x128x32", KernelPath::tensor, "sm90"},
    {"sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x64x16_stage6_warpsize2x2x1_tensor16x8x8",
     KernelPath::tensor, "sm80"},
    // fp32 without tf32: of the same generator, and yet without Tensor Cores.
    {"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4_alignc4_"
     "execute_kernel__5x_cublas",
     KernelPath::simt, "sm80"},
    {"ampere_sgemm_128x64_nn", KernelPath::simt, "sm80"},
    {"volta_sgemm_128x64_tn", KernelPath::simt, "sm70"},
    {"maxwell_sgemm_128x128_nt", KernelPath::simt, "sm50"},
    {"volta_dgemm_64x64_nn", KernelPath::simt, "sm70"},
    {"ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_32x3_tn", KernelPath::tensor, "sm80"},
    {"turing_fp16_s1688gemm_fp16_256x128_ldg8_f2f_nn", KernelPath::tensor, "sm75"},
    {"volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", KernelPath::tensor, "sm70"},
    {"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8>(cutlass_80_"
     "tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8::Params)",
     KernelPath::tensor, "sm80"},
    {"_ZN7cutlass7Kernel2I57cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8EEvNT_6ParamsE",
     KernelPath::tensor, "sm80"},
    {"cutlass_80_simt_sgemm_128x128_8x4_nn_align1", KernelPath::simt, "sm80"},
    {"cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_nn_align1", KernelPath::tensor, "sm75"},
    {"cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_tn_align8", KernelPath::tensor, "sm80"},
    {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1_kernel0_0",
     KernelPath::tensor, "sm90"},
    {"cudnn_generated_fort_native_sdpa_sm80_flash_fprop_wmma_f16_knob_3_64x64x128_4x1x1_kernel0_0",
     KernelPath::tensor, "sm80"},
    {"cudnn_generated_fort_native_sdpa_sm100_flash_fprop_f16_knob_1_128x128x128_4x1x1_cga1x1x1_kernel0_0",
     KernelPath::tensor, "sm100"},
    {"cudnn_generated_fort_native_sdpa_sm100_flash_bprop_f16_knob_31_128x128x128_4x1x1_cga1x1x1_kernel0_0",
     KernelPath::tensor, "sm100"},
    {"cudnn_generated_oss_sdpa_sm100_flash_fprop_bf16_128x128x128_kernel0_0", KernelPath::tensor, "sm100"},
    {"void cudnn::fusion::compute_dot_do_o_specialized<true, 128>", KernelPath::unknown, ""},
    {"implicit_convolve_sgemm", KernelPath::simt, ""},
    {"volta_scudnn_128x64_relu_interior_nn_v1", KernelPath::simt, "sm70"},
    {"cudnn_infer_ampere_scudnn_128x64_relu_xregs_large_nn_v1", KernelPath::simt, "sm80"},
    {"_5x_cudnn_volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1", KernelPath::simt, "sm70"},
    {"turing_fp16_s1688cudnn_fp16_256x128_ldg8_relu_f2f_exp_interior_nhwc_tn_v1", KernelPath::tensor, "sm75"},
    // Whole numbers of eight bits: m8n8k16 on 7.5, m16n8k32 from 8.0 on.
    {"volta_int8_i8816gemm_int8_128x128_ldg16_relu_stages_64x1_tn", KernelPath::tensor, "sm70"},
    {"turing_int8_i8816gemm_int8_256x128_ldg16_stages_32x3_tn", KernelPath::tensor, "sm75"},
    {"turing_fp16_i8816cudnn_int8_256x64_ldg16_relu_singleBuffer_small_nt_v1", KernelPath::tensor, "sm75"},
    {"trt_volta_int8_i8816cudnn_int8_128x128_ldg16_relu_small_nt_v1", KernelPath::tensor, "sm70"},
    {"ampere_int8_i16832gemm_int8_128x128_ldg16_relu_stages_64x3_tn", KernelPath::tensor, "sm80"},
    {"cutlass_75_tensorop_i8816gemm_s8_128x128_tn_align16", KernelPath::tensor, "sm75"},
    {"volta_int8x4_icudnn_int8x4_128x128_relu_medium_nn_v1", KernelPath::unknown, "sm70"},
    {"void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 4, 4, false, false>",
     KernelPath::simt, ""},
    {"void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, float, __nv_bfloat16>",
     KernelPath::unknown, ""},
    {"void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true>", KernelPath::unknown, ""},
    {"", KernelPath::unknown, ""},
};

TEST(KernelName, says_what_computed_and_for_which_architecture) {
  for (const Example& example : examples) {
    const KernelName parsed = parse_kernel_name(example.name);
    EXPECT_EQ(to_string(parsed.path), to_string(example.path)) << example.name;
    EXPECT_EQ(parsed.architecture, example.architecture) << example.name;
  }
}

TEST(KernelName, takes_no_number_in_a_word_for_an_architecture) {
  EXPECT_EQ(parse_kernel_name("prism80_kernel").architecture, "");
  EXPECT_EQ(parse_kernel_name("sm8_kernel").architecture, "");
  EXPECT_EQ(parse_kernel_name("sm90a_kernel").architecture, "sm90");
  EXPECT_EQ(parse_kernel_name("canada_kernel").architecture, "");
}

TEST(KernelName, takes_what_a_library_was_compiled_for_for_no_architecture) {
  for (const std::string name :
       {"void cub::CUB_300001_SM_800_900_NS::DeviceReduceKernel<float>",
        "_ZN3cub23CUB_300001_SM_800_900_NS18DeviceReduceKernelINS0_10policy_hubIfEEEEvv",
        "void cub::CUB_200200_800_900_NS::DeviceScanKernel<int>", "cub_300001_sm_90",
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"})
    EXPECT_EQ(parse_kernel_name(name), (KernelName{KernelPath::unknown, ""})) << name;
  EXPECT_EQ(parse_kernel_name("cub_300001_kernel<sm_80>").architecture, "sm80");
  EXPECT_EQ(parse_kernel_name("cub_").architecture, "");
}

TEST(KernelNames, together_are_what_the_one_that_computes_is) {
  using Names = std::vector<std::string>;
  const auto of = [](const Names& names) { return parse_kernel_names(names); };
  EXPECT_EQ(of({}), (KernelName{KernelPath::unknown, ""}));
  EXPECT_EQ(of({"nchwToNhwcKernel", "sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc"}),
            (KernelName{KernelPath::tensor, "sm80"}));
  EXPECT_EQ(of({"ampere_sgemm_128x64_nn", "splitKreduce_kernel"}), (KernelName{KernelPath::simt, "sm80"}));
  EXPECT_EQ(of({"sm80_xmma_gemm_a", "sm90_xmma_gemm_b", "sm80_xmma_gemm_c", "volta_sgemm_32x32_nn"}),
            (KernelName{KernelPath::tensor, "sm80+sm90"}));
}

}  // namespace
}  // namespace gpugauge::bench

// The pure parts of the library families: shapes, work, tolerances, the references' own arithmetic.
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cublas/problem.hpp"
#include "cublas/status.hpp"
#include "cublas/types.hpp"
#include "cudnn/layers.hpp"
#include "cudnn/plan_room.hpp"
#include "cudnn/refusal.hpp"
#include "cufft/size.hpp"
#include "kernels/attention/scaled_dot_product.hpp"
#include "kernels/convolution/shape.hpp"
#include "kernels/fft/reference.hpp"
#include "kernels/fft/work.hpp"
#include "kernels/gemm/any_product.hpp"
#include "result/occupied.hpp"

namespace {

using namespace gpugauge;
using kernels::Element;

TEST(CublasProblem, reads_three_sizes_and_refuses_all_else) {
  const auto problem = bench::cublas::sized({.arithmetic = bench::cublas::e4m3, .batch = 2}, "16x4096x128");
  EXPECT_EQ(problem.m, 16);
  EXPECT_EQ(problem.n, 4096);
  EXPECT_EQ(problem.k, 128);
  EXPECT_EQ(problem.bytes_a(), 2U * 16 * 128);
  EXPECT_EQ(problem.bytes_b(), 2U * 4096 * 128);
  EXPECT_EQ(problem.bytes_c(), 2U * 16 * 4096 * 2);
  EXPECT_EQ(problem.work().flops, 2.0 * 2 * 16 * 4096 * 128);
  EXPECT_EQ(problem.work().bytes, 2.0 * (16 * 128 + 4096 * 128 + 2 * 16 * 4096));
  for (const char* wrong : {"", "16", "16x16", "16x16x", "16x16x16x16", "0x1x1", "-1x1x1", "axbxc", "1x1x1 "})
    EXPECT_THROW(bench::cublas::sized({}, wrong), std::logic_error) << wrong;
}

// One unit for all products of whole numbers, the peaks of their instructions included: operation/second.
TEST(CublasProblem, counts_whole_numbers_as_items_and_not_as_floating_point_operations) {
  using namespace bench::cublas;
  const Problem whole = sized({.arithmetic = int8, .batch = 3}, "16x32x64");
  EXPECT_EQ(whole.work().items, 3.0 * 2 * 16 * 32 * 64);
  EXPECT_EQ(whole.work().flops, 0);
  for (const Arithmetic& other : {fp64, fp32, tf32, fp16, bf16, e4m3, e4m3_fast, e5m2_e4m3}) {
    const Problem problem = sized({.arithmetic = other, .batch = 3}, "16x32x64");
    EXPECT_EQ(problem.work().flops, 3.0 * 2 * 16 * 32 * 64) << other.name;
    EXPECT_EQ(problem.work().items, 3) << other.name;
  }
}

TEST(CublasProblem, what_every_library_offers_is_all_but_products_of_eight_bits) {
  using namespace bench::cublas;
  for (const Arithmetic& always : {fp64, fp32, tf32, fp16, bf16})
    for (const int capability : {75, 80, 89, 90})
      EXPECT_TRUE(always_offered(always, capability)) << always.name << capability;
  for (const Arithmetic& some : {e4m3, e4m3_fast, e5m2_e4m3, int8})
    EXPECT_FALSE(always_offered(some, 90)) << some.name;
  for (const int capability : {70, 100, 121}) EXPECT_FALSE(always_offered(fp16, capability)) << capability;
}

TEST(CublasProblem, a_product_that_the_library_lacks_is_held_against_a_gpu_only_where_every_library_has_it) {
  using namespace bench::cublas;
  EXPECT_EQ(lack_of(bf16, 90), Lack::fault);
  EXPECT_EQ(lack_of(fp64, 75), Lack::fault);
  for (const int capability : {100, 103, 110, 120, 121}) {
    EXPECT_EQ(lack_of(bf16, capability), Lack::unavailable) << capability;
    EXPECT_EQ(lack_of(int8, capability), Lack::skipped) << capability;
  }
  EXPECT_EQ(lack_of(int8, 90), Lack::skipped);
}

TEST(CublasProblem, fp64_is_slow_also_on_models_of_a_fast_capability_that_have_little_of_it) {
  for (const char* whole : {"NVIDIA H100 80GB HBM3", "NVIDIA H200", "NVIDIA H100 NVL", ""})
    EXPECT_TRUE(bench::cublas::has_fast_fp64(90, whole)) << whole;
  for (const char* cut : {"NVIDIA H20", "NVIDIA H20-3e", "NVIDIA H800", "NVIDIA H800 PCIe"})
    EXPECT_FALSE(bench::cublas::has_fast_fp64(90, cut)) << cut;
  EXPECT_TRUE(bench::cublas::has_fast_fp64(80, "NVIDIA A800-SXM4-80GB"));
  EXPECT_FALSE(bench::cublas::has_fast_fp64(89, "NVIDIA L40S"));
}

// The ratio of the hand-written fp8 product to it says something only where both compute the same.
TEST(CublasProblem, fast_accumulation_is_the_arithmetic_of_the_hand_written_fp8_product) {
  using bench::cublas::e4m3;
  using bench::cublas::e4m3_fast;
  EXPECT_TRUE(e4m3_fast.fast_accumulation);
  EXPECT_FALSE(e4m3.fast_accumulation);
  EXPECT_EQ(e4m3_fast.tolerance(8192), kernels::gemm::tolerance_fp8_wgmma(8192));
  EXPECT_EQ(e4m3_fast.a, e4m3.a);
  EXPECT_EQ(e4m3_fast.b, e4m3.b);
  EXPECT_EQ(e4m3_fast.c, e4m3.c);
}

// Partial sums must not be rounded: in place they have the type of C, in the output's type too.
TEST(CublasProblem, splits_in_place_only_where_c_has_the_type_of_the_sums) {
  using namespace bench::cublas;
  constexpr int both = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE | CUBLASLT_REDUCTION_SCHEME_INPLACE;
  for (const Arithmetic& exact : {fp64, fp32, tf32, int8}) EXPECT_EQ(reductions(exact), both) << exact.name;
  for (const Arithmetic& rounding : {fp16, bf16, e4m3, e4m3_fast, e5m2_e4m3})
    EXPECT_EQ(reductions(rounding), CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE) << rounding.name;
}

TEST(CublasStatus, is_a_refusal_only_where_cublas_says_that_it_does_not_do_this) {
  using bench::cublas::is_refusal;
  for (const bool known_gpu : {true, false}) {
    EXPECT_TRUE(is_refusal(CUBLAS_STATUS_NOT_SUPPORTED, known_gpu));
    EXPECT_TRUE(is_refusal(CUBLAS_STATUS_INVALID_VALUE, known_gpu));
    EXPECT_EQ(is_refusal(CUBLAS_STATUS_ARCH_MISMATCH, known_gpu), !known_gpu);
  }
  for (const cublasStatus_t fault :
       {CUBLAS_STATUS_EXECUTION_FAILED, CUBLAS_STATUS_INTERNAL_ERROR, CUBLAS_STATUS_ALLOC_FAILED,
        CUBLAS_STATUS_NOT_INITIALIZED, CUBLAS_STATUS_MAPPING_ERROR})
    EXPECT_FALSE(is_refusal(fault, false)) << fault;
}

TEST(CudnnRefusal, is_told_from_a_fault_by_the_status_that_was_returned) {
  using bench::cudnn::is_refusal;
  const std::string says = "running a cuDNN plan failed: execute(handle) failed with message: ";
  EXPECT_TRUE(
      is_refusal(says + "Reason: CUDNN_STATUS_INTERNAL_ERROR, and code: CUDNN_STATUS_NOT_SUPPORTED_SHAPE"));
  EXPECT_TRUE(is_refusal(says + ", and code: CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER"));
  EXPECT_TRUE(is_refusal(says + ", and code: CUDNN_STATUS_NOT_SUPPORTED"));
  for (const char* fault :
       {"CUDNN_STATUS_EXECUTION_FAILED", "CUDNN_STATUS_INTERNAL_ERROR_COMPILATION_FAILED",
        "CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED", "CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING",
        "CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE"})
    EXPECT_FALSE(is_refusal(says + "Reason: CUDNN_STATUS_NOT_SUPPORTED, and code: " + fault)) << fault;
  EXPECT_FALSE(is_refusal("kernels were launched without an error and did not run"));
}

// What is free decides neither which plan is the first nor which is the best.
TEST(CudnnPlan, without_its_workspace_ends_the_benchmark_where_something_else_holds_it) {
  using namespace bench::cudnn;
  constexpr std::size_t gibibyte = std::size_t{1} << 30;
  const bench::GpuMemory shared{.total = 80 * gibibyte, .free = 10 * gibibyte};
  EXPECT_FALSE(why_no_workspace(0, 2 * gibibyte, gibibyte, shared));
  const auto held = why_no_workspace(0, 3 * gibibyte, gibibyte, shared).value();
  EXPECT_TRUE(result::occupied(held.status, held.reason)) << held.reason;
  EXPECT_EQ(held.reason,
            "plan 0 of cuDNN needs 3.0 GiB of workspace beside a reserve of 8.0 GiB, 10.0 GiB are free: "
            "something else holds the rest; `nvidia-smi` shows who uses this GPU");
  EXPECT_TRUE(ends_benchmark(held, false));
  EXPECT_TRUE(ends_benchmark(held, true));
}

TEST(CudnnPlan, that_a_gpu_of_this_size_has_no_room_for_is_passed_over_behind_the_first) {
  using namespace bench::cudnn;
  constexpr std::size_t gibibyte = std::size_t{1} << 30;
  const bench::GpuMemory small{.total = 8 * gibibyte, .free = 5 * gibibyte};
  const auto never = why_no_workspace(2, 5 * gibibyte, gibibyte, small).value();
  EXPECT_EQ(never.status, result::Status::skipped);
  EXPECT_TRUE(ends_benchmark(never, false)) << "the next one is not what the library chose";
  EXPECT_FALSE(ends_benchmark(never, true));
}

// Where one has none, cuDNN is broken: the benchmark fails. Elsewhere it is skipped.
TEST(Convolution, names_what_every_healthy_cudnn_has_plans_for) {
  using namespace bench::cudnn;
  for (const Arithmetic& types : {fp16, bf16, tf32}) {
    EXPECT_TRUE(always_planned(types, representative, true, 80)) << types.name;
    EXPECT_TRUE(always_planned(types, representative, true, 120)) << types.name;
    EXPECT_FALSE(always_planned(types, representative, true, 75)) << types.name;
    EXPECT_FALSE(always_planned(types, representative, false, 90)) << types.name;
    EXPECT_FALSE(always_planned(types, "stem_7x7", true, 90)) << types.name;
    EXPECT_TRUE(always_planned(types, "stage4_shortcut_1x1_stride2", true, 90)) << types.name;
  }
  EXPECT_FALSE(always_planned(bench::cudnn::fp32, representative, true, 90));
}

TEST(CublasProblem, names_the_layers_of_the_model) {
  const auto gate_up = bench::cublas::through_layer({}, "gate_up_8192_to_57344", 16);
  EXPECT_EQ(gate_up.m, 16);
  EXPECT_EQ(gate_up.n, 57344);
  EXPECT_EQ(gate_up.k, 8192);
  EXPECT_EQ(gate_up.layout, bench::cublas::Layout::linear);
  for (const auto& layer : bench::cublas::layers) {
    const std::string name = layer.name;
    EXPECT_TRUE(name.ends_with("_" + std::to_string(layer.in) + "_to_" + std::to_string(layer.out))) << name;
    EXPECT_EQ(layer.in % 16, 0) << name;  // what fp8 needs
    EXPECT_EQ(layer.out % 16, 0) << name;
  }
  EXPECT_THROW(bench::cublas::through_layer({}, "qkv", 1), std::logic_error);
}

// A product on the host, with inputs cut to tf32 or not.
double error_of_fp32_product(bool tf32, int k) {
  std::vector<float> a(static_cast<std::size_t>(k) * 8), b(static_cast<std::size_t>(k) * 8), c(64, 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = kernels::uniform(1, i);
    b[i] = kernels::uniform(2, i);
  }
  const auto input = [&](float value) {
    return tf32 ? kernels::float_of(kernels::bits_of(value) & 0xffffe000U) : value;
  };
  const auto size = static_cast<std::size_t>(k);
  double largest = 0;
  for (std::size_t row = 0; row < 8; ++row)
    for (std::size_t column = 0; column < 8; ++column) {
      for (std::size_t i = 0; i < size; ++i)
        c[row * 8 + column] =
            std::fma(input(a[row * size + i]), input(b[column * size + i]), c[row * 8 + column]);
      largest = std::max(largest, kernels::gemm::product_error(
                                      {a.data(), Element::fp32, k, 1}, {b.data(), Element::fp32, 1, k},
                                      {c.data(), Element::fp32, 8, 1}, static_cast<std::int64_t>(row),
                                      static_cast<std::int64_t>(column), k));
    }
  return largest;
}

TEST(Numerics, tell_tf32_from_fp32_by_the_error) {
  for (const int k : {64, 1024, 8192}) {
    const double exact = error_of_fp32_product(false, k);
    const double rounded = error_of_fp32_product(true, k);
    EXPECT_STREQ(kernels::gemm::numerics_of(exact), "fp32") << k;
    EXPECT_STREQ(kernels::gemm::numerics_of(rounded), "tf32") << k;
    EXPECT_LE(exact, bench::cublas::fp32.tolerance(k)) << k;
    EXPECT_LE(rounded, bench::cublas::tf32.tolerance(k)) << k;
    EXPECT_GT(rounded, bench::cublas::tf32.tolerance(k) / 100) << k;
  }
}

TEST(Convolution, counts_the_work_of_resnet) {
  const auto& stem = bench::cudnn::layer_shape("stem_7x7");
  EXPECT_EQ(stem.p(), 112);
  EXPECT_EQ(stem.q(), 112);
  EXPECT_EQ(kernels::convolution::flops(stem), 2.0 * 64 * 64 * 112 * 112 * 3 * 49);
  const auto& stage4 = bench::cudnn::layer_shape("stage4_1x1");
  EXPECT_EQ(stage4.p(), 14);
  const auto& expanding = bench::cudnn::layer_shape("stage2_1x1_expand");
  EXPECT_EQ(kernels::convolution::flops(expanding), 2.0 * 64 * 56 * 56 * 64 * 256);
  // The block that halves stage 3's input has 3x3 filters at every second pixel, its shortcut 1x1 filters.
  const auto& halving = bench::cudnn::layer_shape("stage3_3x3_stride2");
  EXPECT_EQ(halving.p(), 28);
  EXPECT_EQ(halving.q(), 28);
  EXPECT_EQ(kernels::convolution::flops(halving), 2.0 * 64 * 28 * 28 * 128 * 128 * 9);
  const auto& shortcut = bench::cudnn::layer_shape("stage4_shortcut_1x1_stride2");
  EXPECT_EQ(shortcut.p(), 14);
  EXPECT_EQ(shortcut.q(), 14);
  EXPECT_EQ(kernels::convolution::flops(shortcut), 2.0 * 64 * 14 * 14 * 512 * 1024);
  using kernels::convolution::Pass;
  EXPECT_EQ(kernels::convolution::products(stem, Pass::forward), 147);
  EXPECT_EQ(kernels::convolution::products(stem, Pass::data_gradient), 64 * 49);
  EXPECT_EQ(kernels::convolution::products(stem, Pass::filter_gradient), 64 * 112 * 112);
  EXPECT_THROW(bench::cudnn::layer_shape("stage6"), std::logic_error);
}

// Three of four pixels take part in no product of the shortcut: their gradient is zero, and nothing else will do.
TEST(Convolution, a_gradient_without_products_must_be_zero) {
  using kernels::convolution::Pass;
  using kernels::convolution::Tensor;
  const kernels::convolution::Shape of{1, 1, 4, 4, 2, 1, 1, 0, 2};
  const std::vector<float> gradient{1, 2, 3, 4, 5, 6, 7, 8};  // [1, k = 2, 2, 2]
  const std::vector<float> filter{10, 100};
  std::vector<float> result(16, 0);
  const Tensor dy{gradient.data(), Element::fp32, {1, 2, 2, 2}, {8, 4, 2, 1}};
  const Tensor w{filter.data(), Element::fp32, {2, 1, 1, 1}, {1, 1, 1, 1}};
  const Tensor dx{result.data(), Element::fp32, {1, 1, 4, 4}, {16, 16, 4, 1}};
  const auto error = [&](int y, int x) {
    return kernels::convolution::element_error(of, Pass::data_gradient, dy, w, dx, 0, 0, y, x);
  };
  result[0] = 510;
  result[2] = 620;
  result[8] = 730;
  result[10] = 840;
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) EXPECT_EQ(error(y, x), 0) << y << " " << x;
  result[1] = 1e-30F;
  EXPECT_EQ(error(0, 1), HUGE_VAL);
  result[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(error(0, 1), HUGE_VAL);
  result[10] = 0;
  EXPECT_GT(error(2, 2), 0.1);
}

// <y, forward(x, w)>, <data_gradient(y, w), x> and <filter_gradient(x, y), w> are one number.
TEST(Convolution, passes_are_each_others_adjoints) {
  using kernels::convolution::Pass;
  using kernels::convolution::Tensor;
  for (const kernels::convolution::Shape& of : {kernels::convolution::Shape{2, 3, 7, 6, 4, 3, 3, 1, 2},
                                                kernels::convolution::Shape{1, 2, 5, 5, 3, 1, 1, 0, 1},
                                                kernels::convolution::Shape{1, 2, 8, 9, 2, 3, 2, 0, 1}}) {
    std::vector<std::vector<double>> data;
    std::uint64_t seed = 1;
    const auto tensor = [&](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
      Tensor made{nullptr, Element::fp64, {a, b, c, d}, {b * c * d, 1, d * b, b}};
      std::vector<double> values(static_cast<std::size_t>(made.count()));
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = kernels::uniform_fp64(seed, i);
      ++seed;
      data.push_back(std::move(values));
      made.data = data.back().data();
      return made;
    };
    const Tensor x = tensor(of.n, of.c, of.h, of.w);
    const Tensor w = tensor(of.k, of.c, of.r, of.s);
    const Tensor y = tensor(of.n, of.k, of.p(), of.q());
    const auto together = [&](Pass pass, const Tensor& image, const Tensor& other, const Tensor& with) {
      double sum = 0;
      for (std::int64_t a = 0; a < with.size[0]; ++a)
        for (std::int64_t b = 0; b < with.size[1]; ++b)
          for (std::int64_t c = 0; c < with.size[2]; ++c)
            for (std::int64_t d = 0; d < with.size[3]; ++d)
              sum += kernels::convolution::reference(of, pass, image, other, a, b, c, d).value *
                     with.at(a, b, c, d);
      return sum;
    };
    const double forward = together(Pass::forward, x, w, y);
    EXPECT_NE(forward, 0);
    EXPECT_NEAR(together(Pass::data_gradient, y, w, x), forward, 1e-12);
    EXPECT_NEAR(together(Pass::filter_gradient, x, y, w), forward, 1e-12);
  }
}

TEST(Attention, counts_only_what_is_not_masked) {
  kernels::attention::Shape shape{.batch = 1, .heads = 1, .length = 2, .depth = 3, .causal = false};
  EXPECT_EQ(kernels::attention::flops_forward(shape), 48);
  shape.causal = true;
  EXPECT_EQ(kernels::attention::flops_forward(shape), 36);
  EXPECT_EQ(kernels::attention::flops_backward(shape), 90);
  shape = {.batch = 4, .heads = 32, .length = 4096, .depth = 128, .causal = false};
  EXPECT_EQ(kernels::attention::flops_forward(shape), 4.0 * 4 * 32 * 4096 * 4096 * 128);
}

TEST(CufftSize, fills_the_operation_with_transforms) {
  const auto one = bench::cufft::parse_size("1024", Element::fp32);
  EXPECT_EQ(one.points(), 1024);
  EXPECT_EQ(one.batch, 32768);
  EXPECT_EQ(one.n[2], 1024);
  EXPECT_EQ(bench::cufft::rank_of("1024"), 1);
  const auto two = bench::cufft::parse_size("512x256", Element::fp64);
  EXPECT_EQ(two.n[0], 1);
  EXPECT_EQ(two.n[1], 512);
  EXPECT_EQ(two.n[2], 256);
  EXPECT_EQ(bench::cufft::rank_of("512x256"), 2);
  EXPECT_EQ(bench::cufft::parse_size("512x512x512", Element::fp32).batch, 1);
  for (const char* wrong : {"", "1", "0", "12x", "x12", "8x8x8x8", "8 ", "-8", "eight"})
    EXPECT_THROW(bench::cufft::parse_size(wrong, Element::fp32), std::logic_error) << wrong;
}

TEST(Fft, counts_five_n_log_n) {
  EXPECT_EQ(kernels::fft::flops(8), 120);
  EXPECT_EQ(kernels::fft::bytes(1024, 4), 16384);
  EXPECT_DOUBLE_EQ(kernels::fft::tolerance(1024, 0x1p-24), 80 * 0x1p-24);
}

// The wave's transform, by its definition, is one peak at its bin.
TEST(Fft, plane_waves_are_one_peak) {
  const auto shape = bench::cufft::parse_size("4x2x8", Element::fp64);
  const std::int64_t points = shape.points();
  for (const std::int64_t bin : {0L, 1L, 9L, 37L, 63L})
    for (std::int64_t at = 0; at < points; ++at) {
      std::complex<double> sum = 0;
      for (std::int64_t point = 0; point < points; ++point)
        sum += std::polar(1.0, 2 * std::numbers::pi *
                                   (kernels::fft::wave_turns(shape, bin, point) -
                                    kernels::fft::wave_turns(shape, at, point)));
      EXPECT_NEAR(std::abs(sum), at == bin ? static_cast<double>(points) : 0.0, 1e-12) << bin << " " << at;
    }
  for (std::int64_t batch = 0; batch < 100; ++batch) {
    EXPECT_GE(kernels::fft::wave_bin(shape, batch, 3), 0);
    EXPECT_LT(kernels::fft::wave_bin(shape, batch, 3), points);
  }
}

}  // namespace

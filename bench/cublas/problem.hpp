// What is multiplied: types, sizes, layout; the layers of a language model. Pure: no cuBLAS, no CUDA.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/gemm/library_tolerance.hpp"
#include "kernels/support/element.hpp"
#include "result/gpu_model.hpp"
#include "result/samples.hpp"
#include "support/dimensions.hpp"

namespace gpugauge::bench::cublas {

using kernels::Element;

/// How a product is computed: the types of A, B and C, the class it is judged in, the compute capability it
/// needs, and its tolerance.
struct Arithmetic {
  const char* name;
  Element a, b, c;
  const char* metric_class;
  int compute_capability;  ///< 0 = any
  double (*tolerance)(std::int64_t k);
  /// fp8 only: partial sums stay in the Tensor Core's precision, instead of being added in fp32 every few
  /// steps.
  bool fast_accumulation = false;
};

// The error of fp32 products tells them from tf32: "pedantic" takes no shortcut.
inline constexpr Arithmetic fp64{
    "fp64", Element::fp64, Element::fp64, Element::fp64, "gemm64", 0, [](std::int64_t) {
      return kernels::gemm::tolerance_fp64();
    }};
inline constexpr Arithmetic fp32{
    "fp32", Element::fp32, Element::fp32, Element::fp32, "gemm32", 0, [](std::int64_t) {
      return kernels::gemm::tolerance_fp32_fma();
    }};
inline constexpr Arithmetic tf32{
    "tf32", Element::fp32, Element::fp32, Element::fp32, "gemmtf32", 80, kernels::gemm::tolerance_tf32};
// fp16 products are exact in fp32, as bf16 products are, so both use one tolerance.
inline constexpr Arithmetic fp16{
    "fp16", Element::fp16, Element::fp16, Element::fp16, "gemm16", 75, kernels::gemm::tolerance_bf16_mma};
inline constexpr Arithmetic bf16{
    "bf16", Element::bf16, Element::bf16, Element::bf16, "gemm16", 80, kernels::gemm::tolerance_bf16_mma};
inline constexpr Arithmetic e4m3{
    "e4m3", Element::e4m3, Element::e4m3, Element::bf16, "gemm8", 89, kernels::gemm::tolerance_fp8};
// The same sums as the hand-written fp8 product, and the same tolerance.
inline constexpr Arithmetic e4m3_fast{
    "e4m3_fast", Element::e4m3, Element::e4m3, Element::bf16, "gemm8", 89, kernels::gemm::tolerance_fp8_wgmma,
    true};
inline constexpr Arithmetic e5m2_e4m3{
    "e5m2_e4m3", Element::e5m2, Element::e4m3, Element::bf16, "gemm8", 89, kernels::gemm::tolerance_fp8};
inline constexpr Arithmetic int8{
    "int8", Element::int8, Element::int8, Element::int32, "gemm8", 75, [](std::int64_t) { return 0.0; }};

/// Whether every cuBLAS of CUDA 12 and 13 knows GPUs of this compute capability.
constexpr bool every_library_knows(int compute_capability) {
  return compute_capability >= 75 && compute_capability < 100;
}

/// Whether every cuBLASLt of CUDA 12 and 13 has an algorithm for such a product, of any size, on a GPU of
/// this compute capability. If a library then offers none, the installation is broken. For fp8 and int8,
/// support depends on layout, size and GPU model (cuBLAS documentation, cublasLtMatmul: "supported data
/// types"). The version number alone does not tell whether a library knows GPUs before 7.5 or from 10.0 on.
constexpr bool always_offered(const Arithmetic& arithmetic, int compute_capability) {
  return arithmetic.metric_class != std::string_view("gemm8") && every_library_knows(compute_capability);
}

/// What it means that a cuBLAS does not have a product. `unavailable` is counted, but the GPU is not at fault:
/// the library is older than the GPU, or supports less than expected.
enum class Lack { fault, unavailable, skipped };
constexpr Lack lack_of(const Arithmetic& arithmetic, int compute_capability) {
  if (always_offered(arithmetic, compute_capability)) return Lack::fault;
  return arithmetic.metric_class == std::string_view("gemm8") ? Lack::skipped : Lack::unavailable;
}

/// Whether C has the type in which the products are summed: fp64, fp32, or int32 for int8.
constexpr bool sums_have_type_of_c(const Arithmetic& arithmetic) {
  return arithmetic.c == Element::fp64 || arithmetic.c == Element::fp32 || arithmetic.c == Element::int32;
}

/// Whether the arithmetic is in integers only.
constexpr bool has_whole_numbers(const Arithmetic& arithmetic) {
  return arithmetic.c == Element::int32;
}

/// Layout of B in memory. A[m,k] and C[m,n] are always row-major.
enum class Layout {
  rows,    ///< B[k,n] row-major, as the hand-written products take it
  linear,  ///< B[n,k] row-major: the weights of a linear layer, and the only layout of fp8 on 8.9 and 9.0
};

/// C[m,n] = A[m,k] B, `batch` times. Each product has its own matrices, which follow each other without gaps.
struct Problem {
  Arithmetic arithmetic{};
  Layout layout = Layout::rows;
  int m = 0, n = 0, k = 0;
  int batch = 1;

  std::size_t elements_a() const { return static_cast<std::size_t>(m) * k; }
  std::size_t elements_b() const { return static_cast<std::size_t>(k) * n; }
  std::size_t elements_c() const { return static_cast<std::size_t>(m) * n; }
  std::size_t bytes_a() const { return batch * elements_a() * size_of(arithmetic.a); }
  std::size_t bytes_b() const { return batch * elements_b() * size_of(arithmetic.b); }
  std::size_t bytes_c() const { return batch * elements_c() * size_of(arithmetic.c); }
  /// Work of one operation: the bytes of each matrix once, and 2 m n k operations per product. Integer
  /// operations count as items.
  result::Work work() const {
    const double bytes = static_cast<double>(bytes_a() + bytes_b() + bytes_c());
    const double operations = batch * kernels::gemm::flops(m, n, k);
    if (has_whole_numbers(arithmetic)) return {.bytes = bytes, .items = operations};
    return {.bytes = bytes, .flops = operations, .items = static_cast<double>(batch)};
  }
};

/// Sets the sizes from "MxNxK", each >= 1. Throws std::logic_error for anything else.
inline Problem sized(Problem problem, std::string_view shape) {
  const std::vector<int> sizes = parse_dimensions(shape);
  if (sizes.size() != 3) throw std::logic_error("shape '" + std::string(shape) + "' is not MxNxK");
  problem.m = sizes[0];
  problem.n = sizes[1];
  problem.k = sizes[2];
  return problem;
}

/// A linear layer: features in and out.
struct Layer {
  const char* name;  ///< as the axis "layer" writes it
  int in, out;
};

/// The linear layers of a decoder block of Llama 3.1 70B: hidden size 8192, feed-forward size 28672, 64 heads
/// of 128 with 8 key and value heads (its published config.json). Queries, keys and values are one product;
/// gate and up are one product.
inline constexpr std::array<Layer, 4> layers{{{"qkv_8192_to_10240", 8192, 8192 + 2 * 8 * 128},
                                              {"attention_out_8192_to_8192", 8192, 8192},
                                              {"gate_up_8192_to_57344", 8192, 2 * 28672},
                                              {"down_28672_to_8192", 28672, 8192}}};

/// Sizes the problem as `tokens` rows through the layer of this name. Throws std::logic_error for a name that
/// is not in `layers`.
inline Problem through_layer(Problem problem, std::string_view name, int tokens) {
  for (const Layer& layer : layers) {
    if (name != layer.name) continue;
    problem.layout = Layout::linear;
    problem.m = tokens;
    problem.n = layer.out;
    problem.k = layer.in;
    return problem;
  }
  throw std::logic_error("no layer is called '" + std::string(name) + "'");
}

/// Tells how a product of fp8 inputs was accumulated, from its error. "precise": partial sums were added in
/// fp32 every few steps, or nothing is truncated (compute capability 10.0 and later). "fast": they stayed in
/// the precision of the Tensor Core of 8.9 and 9.0. "": k is too small to tell.
inline const char* accumulation_of(double error, std::int64_t k) {
  if (k < kernels::gemm::fp8_tells_from) return "";
  return error > kernels::gemm::fp8_longest_stretches() ? "fast" : "precise";
}

/// Whether the inputs are fp8.
constexpr bool is_fp8(const Arithmetic& arithmetic) {
  return arithmetic.a == Element::e4m3 || arithmetic.a == Element::e5m2;
}

/// Whether fp64 runs at half or a quarter of fp32's rate. On other GPUs the largest products take seconds
/// each.
constexpr bool has_fast_fp64(int compute_capability, std::string_view gpu_name) {
  if (result::has_cut_fp64(gpu_name)) return false;
  return compute_capability == 60 || compute_capability == 70 || compute_capability == 80 ||
         compute_capability == 90 || compute_capability == 100;
}

}  // namespace gpugauge::bench::cublas

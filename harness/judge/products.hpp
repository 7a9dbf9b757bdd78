// Classifies matrix products: what they multiply, and whose kernels compute them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/collect.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Least FLOP of a product that fills the device.
inline constexpr double least_product_flops = 1e10;

/// Returns what a product multiplies: its class, or for gemm8, which holds two kinds, "int8" if the
/// benchmark's id names it, else "fp8". The view points into `metric_class` or static text.
std::string_view products_of(std::string_view metric_class, std::string_view benchmark);

/// True if the sizes in the benchmark's parameters are multiples of 16 (true without sizes): every library then
/// has Tensor Core kernels for it. For others it may rightly choose CUDA cores.
bool aligned_sizes(const result::BenchmarkResult& benchmark);

/// True for families with kernels of this suite (gemm, peak, sustained). They test the hardware, not a
/// library.
bool own_kernels(std::string_view benchmark);

/// True for the family peak. Its operands stay in the SM, so a launch of any size fills it.
bool from_registers(std::string_view benchmark);

/// True if the suite's own kernels of these products reach the Tensor Cores' rate, or six tenths of it
/// (mma.sync on 9.0). False on 10.x and 11.x unless they use tcgen05, the fast instruction there, and for fp8 by
/// mma.sync on 9.0, which runs as fp16 instructions.
bool own_kernels_tell(std::string_view capability, std::string_view products, std::string_view benchmark);

/// Returns the instruction that computes these products faster than the benchmark's mma.sync on this compute
/// capability: wgmma on 9.0, tcgen05 on 10.x and 11.x. "" otherwise, for gemm64, and for benchmarks without
/// mma.sync. Static text.
std::string_view faster_than_mma_sync(std::string_view capability, std::string_view products,
                                      std::string_view benchmark);

/// True for the product's median, which a program normally gets; false for the best of a library's
/// algorithms.
bool usual_product(const MetricValues& metric);

enum class Maker { library, own };  ///< own: own_kernels()

/// One kind of work for Tensor Cores.
struct TensorWork {
  std::string_view products;     ///< gemmtf32, gemm16, fp8, int8; gemm32 for comparison
  Maker maker = Maker::library;  ///< whose kernels
  std::string_view layer = {};   ///< "conv" or "attention" from a library; "": matrix products
};

/// True for a usual product of this kind, of any size. Convolutions only count if every healthy library uses
/// Tensor Cores for them: channels last, and not the first layer, whose images have three channels.
bool of_kind(const MetricValues& metric, const TensorWork& work);
/// The same for a product that fills the device: least_product_flops, or from registers.
bool large_of_kind(const MetricValues& metric, const TensorWork& work);

/// A library product whose notes show that CUDA cores did work meant for Tensor Cores.
struct OnCudaCores {
  std::string benchmark;  ///< its id
  std::string why;  ///< "kernel ampere_sgemm_128x64_nn", "the error is that of fp32, in 1 of 3 processes"
  const MetricValues* metric = {};  ///< its usual product
};
/// Returns the large products of this kind whose note kernel_path is simt, or for tf32 whose note numerics is
/// fp32. Leaves out matrix products with sizes that are not multiples of 16, and small work, for which a
/// library may rightly choose CUDA cores.
std::vector<OnCudaCores> on_cuda_cores(const Collected& collected, const result::Run& run,
                                       const TensorWork& work);

/// A kernel's name for a sentence; long names are truncated.
std::string short_name(std::string name);

}  // namespace gpugauge::judge

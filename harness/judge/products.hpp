// Matrix products as the judges tell them apart: what they multiply, and whose kernels they are.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/collect.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Smaller products do not fill the device.
inline constexpr double least_product_flops = 1e10;

/// What a product multiplies: its class, or for gemm8, which holds two kinds, "int8" where the benchmark's id
/// names it and else "fp8". Text of `metric_class`, or static.
std::string_view products_of(std::string_view metric_class, std::string_view benchmark);

/// True for the families whose kernels this suite brings itself (gemm, peak, sustained): they tell what the
/// hardware does, and nothing of any library.
bool own_kernels(std::string_view benchmark);

/// True for the family peak: its operands never leave the SM, so that a launch of any size fills it.
bool from_registers(std::string_view benchmark);

/// True where the suite's own kernels of these products reach the rate of the Tensor Cores, or (mma.sync on
/// 9.0) six tenths of it: not on 10.x and 11.x, whose fast instruction they do not use, and not for fp8 by
/// mma.sync on 9.0, which is made of fp16 instructions there.
bool own_kernels_tell(std::string_view capability, std::string_view products, std::string_view benchmark);

/// The instruction that does these products faster than the benchmark's mma.sync on this compute capability:
/// wgmma on 9.0, tcgen05 on 10.x and 11.x. "" for a benchmark that is not by mma.sync, for gemm64, and
/// elsewhere. Static text.
std::string_view faster_than_mma_sync(std::string_view capability, std::string_view products,
                                      std::string_view benchmark);

/// True for what a program gets from the benchmark's product: its median, and not the best of the algorithms
/// that a library offers.
bool usual_product(const MetricValues& metric);

enum class Maker { library, own };  ///< own: own_kernels()

/// Work that Tensor Cores do, of one kind.
struct TensorWork {
  std::string_view products;     ///< gemmtf32, gemm16, fp8, int8; gemm32 to compare with
  Maker maker = Maker::library;  ///< whose kernels
  std::string_view layer = "";   ///< "conv" or "attention" of a library; "": matrix products
};

/// True for a usual product of this kind, of any size. Of convolutions only those that every healthy library
/// computes on Tensor Cores: channels last, of a multiple of eight channels.
bool of_kind(const MetricValues& metric, const TensorWork& work);
/// The same of one that fills the device: least_product_flops, or from registers.
bool large_of_kind(const MetricValues& metric, const TensorWork& work);

/// A library's product whose notes say that the CUDA cores did what Tensor Cores are asked for.
struct OnCudaCores {
  std::string benchmark;  ///< its id
  std::string why;  ///< "kernel ampere_sgemm_128x64_nn", "the error is that of fp32, in 1 of 3 processes"
  const MetricValues* metric = {};  ///< its usual product
};
/// Those of large work of this kind: the note kernel_path is simt, or of tf32 the note numerics is fp32. Matrix
/// products whose sizes are no multiples of 16 are left out, and small work, for which a library may choose
/// CUDA cores with good reason.
std::vector<OnCudaCores> on_cuda_cores(const Collected& collected, const result::Run& run,
                                       const TensorWork& work);

/// A kernel's name as it fits into a sentence: the beginning of one that would fill a page.
std::string short_name(std::string name);

}  // namespace gpugauge::judge

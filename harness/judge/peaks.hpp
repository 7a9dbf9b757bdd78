// The peak rates of an SM per clock, by compute capability.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpugauge::judge {

/// The peak rate of an SM for a class of products, with its source.
struct Peak {
  double operations_per_clock_per_sm = 0;  ///< dense; a fused multiply-add counts as two
  std::string_view source;                 ///< public document with the figure; static text
  /// Public measurements put large library products, or products of this instruction, above 65% of the peak.
  /// Only then is a low share a finding.
  bool reached = false;
};

/// The peak of an SM for matrix products (gemm64, gemm32, gemmtf32, gemm16, fp8, int8), Tensor Cores
/// included. nullopt if no public source gives the figure for this compute capability ("9.0") and these
/// products.
std::optional<Peak> peak(std::string_view compute_capability, std::string_view products);

/// The peak of an SM for one instruction alone (result/instructions.hpp): of its CUDA cores, or of the
/// smallest fp64 product of its Tensor Cores. A fused multiply-add counts as two. nullopt as above.
std::optional<Peak> instruction_peak(std::string_view compute_capability, std::string_view instruction);

/// True if any peak of this compute capability is known.
bool known_capability(std::string_view compute_capability);

/// The peak per clock of an SM's CUDA cores for products that Tensor Cores also do; a faster rate proves
/// Tensor Cores. gemmtf32: their fp32 rate. fp8: the rate of gemm16, since CUDA cores have no faster 8-bit
/// float products. int8: four products per fp32 instruction, which dot products do not exceed. nullopt as
/// above.
std::optional<double> cuda_core_rate(std::string_view compute_capability, std::string_view products);

/// True for a MIG slice or a virtual GPU, by its name ("NVIDIA A40-48Q"). Its share of the chip is not known.
bool shared_card(std::string_view gpu_name);

/// The rate of a model's Tensor Cores for these products with fp32 sums, as a share of its compute
/// capability's rate. 1 for most models, and for products that Tensor Cores do not compute; less for GeForce,
/// L20, L40, A10G and H20. 0 for all products of a card without Tensor Cores or with reduced arithmetic (GTX,
/// T1000, the display card of a DGX Station, CMP). From NVIDIA's data sheets and whitepapers.
double tensor_core_share(std::string_view gpu_name, std::string_view products);

}  // namespace gpugauge::judge

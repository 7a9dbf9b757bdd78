// What an SM can do at most per clock, by compute capability.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpugauge::judge {

/// The rate of an SM for a class of products, and who says so.
struct Peak {
  double operations_per_clock_per_sm = 0;  ///< dense; a fused multiply-add counts as two
  std::string_view source;                 ///< public document that the figure is from; static text
  /// Large library products were publicly measured above 65% of it, or are made of this instruction and were:
  /// only then is a low share a finding.
  bool reached = false;
};

/// The most that any unit of an SM can do for matrix products (gemm64, gemm32, gemmtf32, gemm16, fp8, int8),
/// Tensor Cores included. nullopt when no public source gives the figure for this compute capability ("9.0")
/// and these products.
std::optional<Peak> peak(std::string_view compute_capability, std::string_view products);

/// The most that an SM does of one instruction alone (result/instructions.hpp): of its CUDA cores, or the
/// smallest of its Tensor Cores' fp64 products; a fused multiply-add counts as two. nullopt as above.
std::optional<Peak> instruction_peak(std::string_view compute_capability, std::string_view instruction);

/// True where any peak of this compute capability is known.
bool known_capability(std::string_view compute_capability);

/// The most that the CUDA cores of an SM do per clock for products that Tensor Cores do too (gemmtf32: their
/// fp32 rate; gemm16; fp8: that of gemm16, since they have no faster products of 8-bit floats; int8: four
/// products per fp32 instruction, which its dot products do not exceed): what is faster was done by Tensor
/// Cores. nullopt as above.
std::optional<double> cuda_core_rate(std::string_view compute_capability, std::string_view products);

/// True for a slice of a card (MIG) or a virtual one, by its name ("NVIDIA A40-48Q"): how much of the chip is
/// behind it is not known.
bool shared_card(std::string_view gpu_name);

/// The share of the rate of its compute capability that a model's Tensor Cores have for these products, with
/// fp32 sums: 1 for most, and for what is no product of Tensor Cores; less for GeForce, L20, L40, A10G and
/// H20; 0 for all that a card without them, or with crippled arithmetic, does (GTX, T1000, the display card
/// of a DGX Station, CMP). From NVIDIA's data sheets and whitepapers.
double tensor_core_share(std::string_view gpu_name, std::string_view products);

}  // namespace gpugauge::judge

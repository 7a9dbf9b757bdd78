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

/// The most that the CUDA cores of an SM do per clock for products that Tensor Cores do too (gemmtf32: their
/// fp32 rate; gemm16; fp8 and int8: the 4-element dot products of int8): what is faster was done by Tensor
/// Cores. nullopt as above.
std::optional<double> cuda_core_rate(std::string_view compute_capability, std::string_view products);

/// True for a slice of a card (MIG) or a virtual one, by its name ("NVIDIA A40-48Q"): how much of the chip is
/// behind it is not known.
bool shared_card(std::string_view gpu_name);

/// True for models whose Tensor Cores are absent (Turing without them: GTX, T1000) or cut below the rates of
/// their compute capability (GeForce; H20; L20, L40 and A10G, whose tf32 is no faster than fp32), so that a
/// low rate proves nothing.
bool cut_tensor_cores(std::string_view gpu_name);

}  // namespace gpugauge::judge

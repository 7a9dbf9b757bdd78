// A register-resident kernel as a benchmark: launches it, times it, and compares every thread's word with the
// exact one.
#pragma once

#include <string>

#include "kernels/peak/chains.hpp"
#include "kernels/peak/operands.hpp"
#include "kernels/peak/tcgen05.hpp"
#include "support/cuda/gpu_timer.hpp"

namespace gpugauge::bench::peak {

using kernels::peak::Chain;
using kernels::peak::Element;

/// What a low value of any of them means. Memory plays no part, and launches hardly any.
inline constexpr const char* bad_value =
    "a low SM clock (power cap, heat, locked clocks), another process on the GPU, a MIG slice";

/// Measures chains of dependent instructions on the CUDA cores.
void measure_chain(Trial& trial, Chain chain);
/// Measures mma.sync; `large` is the fp64 instruction of compute capability 9.0.
void measure_mma(Trial& trial, Element element, bool large = false);
/// Measures wgmma of compute capability 9.0.
void measure_wgmma(Trial& trial, Element element);
/// The benchmark of tcgen05 with these elements, which stands in for wgmma on the GPUs that have it. `products`
/// names the elements in a sentence.
Definition define_tcgen05(const char* op, Element element, const std::string& products);

}  // namespace gpugauge::bench::peak

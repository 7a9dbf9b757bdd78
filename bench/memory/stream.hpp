// Shared by the streams over device memory: definitions for register and bulk-copy variants, and the body of
// all that write an array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/support/comparison.hpp"
#include "memory/arrays.hpp"

namespace gpugauge::bench::memory {

/// A stream over arrays far larger than L2 by 16-byte loads and stores (variant `cold`). It is judged by
/// bandwidth, which comes near the memory's own on every model. `what` begins a sentence: what is read and
/// written.
Definition by_registers(Definition definition, const std::string& what);

/// The stream by bulk copies (TMA) through shared memory (variant `bulk`): compute capability 9.0 and later,
/// deep profile only.
Definition by_bulk_copies(Definition definition, const std::string& what);

/// How an array `a` is made of one input (c is null) or two, and how it is compared with the generator.
struct Stream {
  int inputs;             ///< 1 or 2
  double flops_each = 0;  ///< floating-point operations per element
  cudaError_t (*run)(const float* b, const float* c, float* a, std::size_t count, cudaStream_t stream);
  cudaError_t (*compare)(const float* a, std::size_t count, std::uint64_t seed_b, std::uint64_t seed_c,
                         kernels::Comparison* found, cudaStream_t stream);
};

/// Measures the stream and compares every element. Skips the trial with a reason where the arrays do not fit.
void measure(Trial& trial, const Stream& of);

}  // namespace gpugauge::bench::memory

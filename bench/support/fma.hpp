// Floating-point work that stays in registers: independent chains of x = x * a + b.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpugauge::bench {

/// Independent chains: enough to fill two pipelines of four cycles, few enough for sixteen registers.
inline constexpr int fma_chains = 12;

/// One implementation of the chains. A round advances each lane of each chain once, which is 2 flops.
struct FmaKernel {
  std::string name;  ///< "avx512", "avx2", "neon", "baseline": kept in the result's notes
  int lanes = 0;     ///< doubles in a vector
  /// Advances all chains `rounds` times and returns the sum over chains and lanes. Chain c starts at c.
  double (*run)(std::int64_t rounds, double a, double b) = nullptr;

  /// Floating-point operations of one round over all chains and lanes.
  double flops_per_round() const { return 2.0 * fma_chains * lanes; }
  /// What run(rounds, 1, 1) returns, exactly, as long as it stays below 2^53.
  double expected(std::int64_t rounds) const;
};

/// The kernels that this processor can run, widest first; never empty.
std::vector<FmaKernel> fma_kernels();

}  // namespace gpugauge::bench

#include "support/fma.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// The loops below are unrolled so that each chain stays in its own register. Chains start at different
// values, because the compiler would compute equal ones once.
namespace gpugauge::bench {

namespace {

#if defined(__x86_64__)

__attribute__((target("avx512f"))) double run_avx512(std::int64_t rounds, double a, double b) {
  const __m512d factor = _mm512_set1_pd(a);
  const __m512d term = _mm512_set1_pd(b);
  __m512d x[fma_chains];
#pragma GCC unroll 12
  for (int chain = 0; chain < fma_chains; ++chain) x[chain] = _mm512_set1_pd(chain);
  for (; rounds > 0; --rounds) {
#pragma GCC unroll 12
    for (int chain = 0; chain < fma_chains; ++chain) x[chain] = _mm512_fmadd_pd(x[chain], factor, term);
  }
  double sum = 0;
#pragma GCC unroll 12
  for (int chain = 0; chain < fma_chains; ++chain) {
    double lanes[8];
    _mm512_storeu_pd(lanes, x[chain]);
    for (const double lane : lanes) sum += lane;
  }
  return sum;
}

__attribute__((target("avx2,fma"))) double run_avx2(std::int64_t rounds, double a, double b) {
  const __m256d factor = _mm256_set1_pd(a);
  const __m256d term = _mm256_set1_pd(b);
  __m256d x[fma_chains];
#pragma GCC unroll 12
  for (int chain = 0; chain < fma_chains; ++chain) x[chain] = _mm256_set1_pd(chain);
  for (; rounds > 0; --rounds) {
#pragma GCC unroll 12
    for (int chain = 0; chain < fma_chains; ++chain) x[chain] = _mm256_fmadd_pd(x[chain], factor, term);
  }
  double sum = 0;
#pragma GCC unroll 12
  for (int chain = 0; chain < fma_chains; ++chain) {
    double lanes[4];
    _mm256_storeu_pd(lanes, x[chain]);
    for (const double lane : lanes) sum += lane;
  }
  return sum;
}

#endif

#if defined(__aarch64__)

double run_baseline(std::int64_t rounds, double a, double b) {
  const float64x2_t factor = vdupq_n_f64(a);
  const float64x2_t term = vdupq_n_f64(b);
  float64x2_t x[fma_chains];
#pragma GCC unroll 12
  for (int chain = 0; chain < fma_chains; ++chain) x[chain] = vdupq_n_f64(chain);
  for (; rounds > 0; --rounds) {
#pragma GCC unroll 12
    for (int chain = 0; chain < fma_chains; ++chain) x[chain] = vfmaq_f64(term, x[chain], factor);
  }
  double sum = 0;
#pragma GCC unroll 12
  for (int chain = 0; chain < fma_chains; ++chain) sum += vaddvq_f64(x[chain]);
  return sum;
}

#else

// Two lanes by multiplication and addition, which every 64-bit processor has.
using Pair = double __attribute__((vector_size(16)));

double run_baseline(std::int64_t rounds, double a, double b) {
  const Pair factor{a, a};
  const Pair term{b, b};
  Pair x[fma_chains];
#pragma GCC unroll 12
  for (int chain = 0; chain < fma_chains; ++chain) x[chain] = Pair{double(chain), double(chain)};
  for (; rounds > 0; --rounds) {
#pragma GCC unroll 12
    for (int chain = 0; chain < fma_chains; ++chain) x[chain] = x[chain] * factor + term;
  }
  double sum = 0;
#pragma GCC unroll 12
  for (int chain = 0; chain < fma_chains; ++chain) sum += x[chain][0] + x[chain][1];
  return sum;
}

#endif

}  // namespace

double FmaKernel::expected(std::int64_t rounds) const {
  const double starts = fma_chains * (fma_chains - 1) / 2.0;
  return lanes * (starts + static_cast<double>(fma_chains) * static_cast<double>(rounds));
}

std::vector<FmaKernel> fma_kernels() {
  std::vector<FmaKernel> kernels;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) kernels.push_back({"avx512", 8, run_avx512});
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    kernels.push_back({"avx2", 4, run_avx2});
#endif
#if defined(__aarch64__)
  kernels.push_back({"neon", 2, run_baseline});
#else
  kernels.push_back({"baseline", 2, run_baseline});
#endif
  return kernels;
}

}  // namespace gpugauge::bench

#include "kernels/memory/bulk.hpp"
#include "kernels/memory/stream.hpp"
#include "memory/stream.hpp"

namespace gpugauge::bench::memory {
namespace {

constexpr float factor = 0.75F;

constexpr const char* what =
    "STREAM triad in device memory (two arrays read, one written, one multiplication and addition for each "
    "element)";

template <auto Kernel>
cudaError_t run(const float* b, const float* c, float* a, std::size_t count, cudaStream_t stream) {
  return Kernel(b, c, factor, a, count, stream);
}

cudaError_t compare(const float* a, std::size_t count, std::uint64_t seed_b, std::uint64_t seed_c,
                    kernels::Comparison* found, cudaStream_t stream) {
  return kernels::memory::count_triad_mismatches(a, count, seed_b, seed_c, factor, found, stream);
}

template <auto Kernel>
void body(Trial& trial) {
  measure(trial, {.inputs = 2, .flops_each = 2, .run = run<Kernel>, .compare = compare});
}

const Registration cold{
    by_registers(define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP), what).body(body<kernels::memory::triad>)};

const Registration bulk{by_bulk_copies(define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP), what)
                            .body(body<kernels::memory::bulk_triad>)};

}  // namespace
}  // namespace gpugauge::bench::memory

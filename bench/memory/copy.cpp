#include "kernels/memory/bulk.hpp"
#include "kernels/memory/stream.hpp"
#include "memory/stream.hpp"

namespace gpugauge::bench::memory {
namespace {

constexpr const char* what = "Copying within device memory";

template <auto Kernel>
cudaError_t run(const float* b, const float* /*c*/, float* a, std::size_t count, cudaStream_t stream) {
  return Kernel(b, a, count, stream);
}

cudaError_t compare(const float* a, std::size_t count, std::uint64_t seed_b, std::uint64_t /*seed_c*/,
                    kernels::Comparison* found, cudaStream_t stream) {
  return kernels::memory::count_copy_mismatches(a, count, seed_b, found, stream);
}

template <auto Kernel>
void body(Trial& trial) {
  measure(trial, {.inputs = 1, .run = run<Kernel>, .compare = compare});
}

const Registration cold{by_registers(define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP), what)
                            .from(Depth::smoke)
                            .body(body<kernels::memory::copy>)};

const Registration bulk{by_bulk_copies(define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP), what)
                            .body(body<kernels::memory::bulk_copy>)};

}  // namespace
}  // namespace gpugauge::bench::memory

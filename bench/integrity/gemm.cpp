#include <vector>

#include <fmt/format.h>

#include "integrity/place.hpp"
#include "integrity/repeat.hpp"
#include "kernels/gemm/fastest_bf16.hpp"
#include "kernels/gemm/reference.hpp"
#include "kernels/gemm/tiling.hpp"
#include "kernels/gemm/work.hpp"
#include "kernels/integrity/tiles.hpp"
#include "kernels/support/fill.hpp"
#include "support/cuda/comparison.hpp"
#include "support/cuda/room.hpp"

namespace gpugauge::bench::integrity {
namespace {

using kernels::Bf16;

constexpr int edge = 4096;
constexpr std::size_t elements = std::size_t{edge} * edge;
constexpr int across = edge / kernels::integrity::tile_edge;
constexpr std::size_t tiles = std::size_t{across} * across;

void gemm(Trial& trial) {
  constexpr std::size_t bytes = elements * (3 * sizeof(Bf16) + sizeof(float) + sizeof(Bf16));
  cuda::require_room(trial, bytes);
  const cuda::Stream stream;
  const cuda::DeviceBuffer<Bf16> a(elements);
  const cuda::DeviceBuffer<Bf16> b(elements);
  const cuda::DeviceBuffer<Bf16> b_by_columns(elements);
  const cuda::DeviceBuffer<float> c(elements);
  const cuda::DeviceBuffer<Bf16> c_rounded(elements);
  const cuda::DeviceBuffer<unsigned long long> device_sums(tiles);
  const cuda::DeviceBuffer<std::uint32_t> device_sms(tiles);
  const std::uint64_t seed = trial.data_seed();
  const int capability = cuda::device().compute_capability;
  trial.note("fast_product", kernels::gemm::fastest_bf16_name(capability));
  if (!kernels::gemm::fastest_bf16_is_full_load(capability)) trial.note("load", kernels::gemm::not_full_load);
  cuda::check(kernels::fill_uniform(a.get(), elements, seed, stream.get()), "filling A");
  cuda::check(kernels::fill_uniform(b.get(), elements, seed + 1, stream.get()), "filling B");
  cuda::check(kernels::integrity::fill_by_columns(b_by_columns.get(), edge, edge, seed + 1, stream.get()),
              "filling B");
  cuda::check(kernels::poison(c.get(), c.bytes(), stream.get()), "poisoning C");

  std::vector<std::uint64_t> sums(tiles);
  std::vector<std::uint32_t> sms(tiles);
  const cuda::DeviceValue<unsigned long long> whole;
  const auto multiply = [&] {
    cuda::check(kernels::poison(device_sums.get(), device_sums.bytes(), stream.get()), "poisoning the sums");
    cuda::check(kernels::integrity::multiply_tiles(a.get(), b_by_columns.get(), c.get(), edge, edge, edge,
                                                   device_sums.get(), device_sms.get(), stream.get()),
                "launching the tiled product");
    // The fast product draws the most power, which reveals a weak SM. It runs in between, and its result as a
    // whole must not change either.
    cuda::check(kernels::poison(c_rounded.get(), c_rounded.bytes(), stream.get()), "poisoning the fast C");
    cuda::check(kernels::gemm::fastest_bf16(capability, a.get(), b.get(), c_rounded.get(), edge, edge, edge,
                                            stream.get()),
                "launching the matrix product");
    cuda::check(kernels::checksum(c_rounded.get(), c_rounded.bytes(), whole.get(), stream.get()),
                "summing C");
    cuda::check(cudaMemcpyAsync(sums.data(), device_sums.get(), device_sums.bytes(), cudaMemcpyDeviceToHost,
                                stream.get()),
                "reading the tiles' sums back");
    cuda::check(cudaMemcpyAsync(sms.data(), device_sms.get(), device_sms.bytes(), cudaMemcpyDeviceToHost,
                                stream.get()),
                "reading the SM numbers back");
    return static_cast<std::uint64_t>(whole.read(stream.get()));
  };
  const std::uint64_t first_whole = multiply();
  std::uint64_t checksum = first_whole;
  for (const std::uint64_t sum : sums) checksum += sum;
  TileFaults faults(across, kernels::integrity::tile_edge);
  faults.begin(sums, sms);
  const cuda::DeviceComparison error;
  const auto samples = static_cast<int>(kernels::gemm::samples_for(edge));
  cuda::check(kernels::gemm::sampled_error(a.get(), b.get(), c.get(), edge, edge, edge, samples, seed,
                                           error.get(), stream.get()),
              "comparing C with fp64");
  cuda::verify(trial, fmt::format("largest error over {} rows against fp64, relative to the norms", samples),
               error, stream.get(), kernels::gemm::tolerance_bf16_mma(edge));

  cuda::check(kernels::gemm::sampled_error(a.get(), b.get(), c_rounded.get(), edge, edge, edge, samples, seed,
                                           error.get(), stream.get()),
              "comparing the fast C with fp64");
  cuda::verify(trial, fmt::format("largest error of the fast product over {} rows against fp64", samples),
               error, stream.get(), kernels::gemm::tolerance_bf16_mma(edge));

  std::size_t other_wholes = first_whole == 0 ? 1 : 0;  // a checksum of 0 means that none was formed
  repeat_for_window(trial, [&] {
    if (multiply() != first_whole) ++other_wholes;
    faults.add(sums, sms);
  });
  trial.note("checksum", fmt::format("{:016x}", checksum));
  if (faults.count() > 0) trial.note("place", faults.sentence());
  trial.verify(faults.count() == 0 ? std::string("tiles that differ from the first product's")
                                   : "tiles that differ from the first product's: " + faults.sentence(),
               static_cast<double>(faults.count()), 0);
  trial.verify("fast products whose checksum differs from the first one's", static_cast<double>(other_wholes),
               0);
}

Definition screen(const Time& time) {
  Definition made = define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP);
  made.variant(time.variant)
      .isolates(
          "Silent corruption in the SMs: one bf16 product on Tensor Cores, repeated, must be the "
          "same bit for "
          "bit. Of every 64x64 tile it is known which SM made it, so that a wrong one is named. "
          "Between the "
          "repeats the fast product runs for its power")
      .bad_value(
          "an SM that computes wrongly: take the GPU out of service. With wrong tiles on many SMs: memory, "
          "power or an unstable clock")
      .window_share(time.window_share)
      .custom_metrics({"integrity"})
      .deterministic()
      .requires_gpu(80)
      .body(gemm);
  if (time.sustained) made.sustained();
  return made;
}

const Registration registered_short{screen(short_time).from(Depth::standard)};
const Registration registered_long{screen(long_time).from(Depth::deep)};

}  // namespace
}  // namespace gpugauge::bench::integrity

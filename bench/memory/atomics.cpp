#include "kernels/memory/atomics.hpp"

#include <string>
#include <vector>

#include "memory/arrays.hpp"

namespace gpugauge::bench::memory {
namespace {

// Spread: 4 MiB of counters, which L2 holds; neighbouring lanes add to neighbouring words.
constexpr std::uint32_t spread_words = 1U << 20;

void atomics(Trial& trial) {
  const bool one = trial.parameter("addresses") == "one";
  const std::uint32_t words = one ? 1 : spread_words;
  const int blocks = 8 * cuda::device().sm_count;
  const int rounds = one ? 8 : 1024;  // enough that the launch is a small part of an operation
  const cuda::DeviceBuffer<std::uint32_t> counters(words);
  // The timer's stream does not wait for the default one.
  cuda::check(cudaMemset(counters.get(), 0, counters.bytes()), "clearing the counters");
  cuda::check(cudaStreamSynchronize(nullptr), "clearing the counters");
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) {
    cuda::check(kernels::memory::add_atomically(counters.get(), words, blocks, rounds, stream),
                "launching the atomics kernel");
  });
  trial.work({.items = static_cast<double>(kernels::memory::atomics_additions(blocks, rounds))});
  trial.time(timer);

  std::vector<std::uint32_t> found(words);
  cuda::check(cudaStreamSynchronize(timer.stream()), "waiting for the GPU");
  cuda::check(cudaMemcpy(found.data(), counters.get(), counters.bytes(), cudaMemcpyDeviceToHost),
              "reading the counters back");
  const auto launches = static_cast<std::uint32_t>(timer.operations());
  int wrong = 0;
  for (std::uint32_t word = 0; word < words; ++word)
    if (found[word] != launches * kernels::memory::atomics_expected(word, words, blocks, rounds)) ++wrong;
  trial.verify("counters that differ from the number of additions", wrong, 0);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates("32-bit integer additions in L2 by every SM, without an answer (red.add): all to one word, "
                  "where they queue up, or each lane to its own word of 4 MiB")
        .bad_value("a low SM clock, a driver or compiler that no longer sends reductions but waits for "
                   "answers, another process on the GPU")
        .axis("addresses", {"one", "spread"})
        .quantity(Quantity::rate, "atomic")
        .statistics({Statistic::median, Statistic::mean})
        .window_share(.5)  // the profile standard has no spare time
        .requires_gpu()
        .from(Depth::deep)
        .from(Depth::quick, "addresses", {"spread"})
        .body(atomics)};

}  // namespace
}  // namespace gpugauge::bench::memory

// Runs register-resident kernels as benchmarks and compares every thread's word with the exact one.
#include "peak/measure.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/peak/expected_chain.hpp"
#include "kernels/peak/mma.hpp"
#include "kernels/peak/tcgen05.hpp"
#include "kernels/peak/wgmma.hpp"
#include "kernels/support/fill.hpp"
#include "kernels/support/uniform.hpp"
#include "result/instructions.hpp"
#include "support/cuda/device.hpp"
#include "support/per_clock.hpp"

namespace gpugauge::bench::peak {
namespace {

namespace device_code = kernels::peak;

/// One launch: how to start it, its amount of work, and what its threads must write.
struct Launch {
  std::string kernel;
  int blocks = 0;
  int threads = 0;  ///< per block
  double operations = 0;
  bool whole_numbers = false;
  std::function<cudaError_t(std::uint32_t* words, cudaStream_t stream)> start;
  /// Thread i of every block must write expected[i % size].
  std::vector<std::uint32_t> expected;
};

struct Result {
  std::size_t mismatches = 0;  ///< threads whose word is wrong
  std::uint64_t checksum = 0;
};

Result check_words(const cuda::DeviceBuffer<std::uint32_t>& words, const Launch& launch,
                   cudaStream_t stream) {
  std::vector<std::uint32_t> found(words.count());
  cuda::check(cudaMemcpyAsync(found.data(), words.get(), words.bytes(), cudaMemcpyDeviceToHost, stream),
              "reading the results back");
  cuda::check(cudaStreamSynchronize(stream), "waiting for the GPU");
  Result result;
  for (std::size_t i = 0; i < found.size(); ++i)
    result.mismatches += found[i] != launch.expected[i % launch.expected.size()] ? 1 : 0;
  result.checksum = kernels::checksum_on_host(found.data(), words.bytes());
  return result;
}

void measure(Trial& trial, const Launch& launch) {
  if (launch.blocks < 1) cuda::check(cudaGetLastError(), "asking how many blocks of the kernel fit an SM");
  if (launch.blocks < 1) throw std::runtime_error("no block of the kernel fits an SM of this GPU");
  const cuda::DeviceBuffer<std::uint32_t> words(static_cast<std::size_t>(launch.blocks) *
                                                static_cast<std::size_t>(launch.threads));
  cuda::GpuTimer timer(trial, [&](cudaStream_t stream, std::int64_t) {
    cuda::check(launch.start(words.get(), stream), "launching the kernel");
  });
  const cudaStream_t stream = timer.stream();
  cuda::check(kernels::poison(words.get(), words.bytes(), stream), "poisoning the results");
  trial.note("kernel", launch.kernel);
  trial.note("blocks", std::to_string(launch.blocks));
  const result::Work work = launch.whole_numbers ? result::Work{.items = launch.operations}
                                                 : result::Work{.flops = launch.operations};
  trial.work(work);
  trial.time(timer);
  add_per_clock(trial, work, cuda::device().sm_count);

  const Result timed = check_words(words, launch, stream);
  trial.verify("threads whose result differs from the exact one, of " + std::to_string(words.count()),
               static_cast<double>(timed.mismatches), 0);
  cuda::check(kernels::poison(words.get(), words.bytes(), stream), "poisoning the results");
  cuda::check(launch.start(words.get(), stream), "launching the kernel");
  const Result repeated = check_words(words, launch, stream);
  trial.verify("the same after one more launch into poisoned memory",
               static_cast<double>(repeated.mismatches), 0);
  trial.verify_deterministic({timed.checksum, repeated.checksum});
}

template <typename Function>
std::vector<std::uint32_t> table(int size, const Function& function) {
  std::vector<std::uint32_t> out;
  out.reserve(size);
  for (int i = 0; i < size; ++i) out.push_back(function(i));
  return out;
}

/// Steps per launch. There are enough that its start-up, up to about 470 instructions in the machine code, is
/// below 1% of it. fp64 has fewer, because it is slow on GPUs with few such units.
constexpr int chain_steps(Chain chain) {
  return chain == Chain::fp64 ? 4096 : 16384;
}

/// The instruction whose rate the judge uses as limit; "" where no public source gives the rate.
std::string_view instruction_of(Chain chain) {
  switch (chain) {
    case Chain::fp64:
      return result::fp64_fma;
    case Chain::fp32:
      return result::fp32_fma;
    case Chain::fp16x2:
      return result::fp16x2_fma;
    case Chain::int32:
      return result::int32_mad;
    case Chain::dp4a:
      break;
  }
  return "";
}

int mma_pairs(Element element) {
  // fp64 is slow on GPUs with few such units.
  return element == Element::fp64 ? 256 : std::min(8192, device_code::most_pairs(element));
}

int wgmma_pairs(Element element) {
  return std::min(4096, device_code::most_pairs(element));
}

int tcgen05_pairs(Element element) {
  return std::min(4096, device_code::most_pairs(element));
}

void measure_tcgen05(Trial& trial, Element element) {
  const int pairs = tcgen05_pairs(element);
  Launch launch;
  launch.kernel = "peak::tcgen05_peak_kernel";
  launch.blocks = device_code::tcgen05_blocks();
  launch.threads = device_code::tcgen05_threads;
  launch.operations = device_code::tcgen05_flops(element, launch.blocks, pairs);
  launch.whole_numbers = element == Element::int8;
  launch.start = [element, pairs, blocks = launch.blocks](std::uint32_t* words, cudaStream_t stream) {
    return device_code::tcgen05_peak(element, blocks, pairs, words, stream);
  };
  launch.expected = device_code::expected_tcgen05_words(element, pairs);
  measure(trial, launch);
}

}  // namespace

void measure_chain(Trial& trial, Chain chain) {
  Launch launch;
  launch.kernel = "peak::chain_kernel";
  launch.blocks = device_code::chain_blocks(chain);
  launch.threads = device_code::chain_threads;
  launch.operations = device_code::chain_operations(chain, launch.blocks, chain_steps(chain));
  launch.whole_numbers = chain == Chain::int32 || chain == Chain::dp4a;
  launch.start = [chain, blocks = launch.blocks](std::uint32_t* words, cudaStream_t stream) {
    return device_code::chain_peak(chain, blocks, chain_steps(chain), words, stream);
  };
  if (const std::string_view name = instruction_of(chain); !name.empty())
    trial.note(std::string(result::instruction_note), std::string(name));
  launch.expected = table(
      32, [chain](int lane) { return device_code::expected_chain_word(chain, lane, chain_steps(chain)); });
  measure(trial, launch);
}

void measure_mma(Trial& trial, Element element, bool large) {
  const int pairs = mma_pairs(element);
  Launch launch;
  launch.kernel = "peak::mma_peak_kernel";
  launch.blocks = device_code::mma_blocks(element, large);
  launch.threads = device_code::mma_threads;
  launch.operations = device_code::mma_flops(element, large, launch.blocks, pairs);
  launch.whole_numbers = element == Element::int8;
  // Later GPUs are slower with the small instruction than with the large one, which represents the class.
  if (element == Element::fp64 && !large)
    trial.note(std::string(result::instruction_note), std::string(result::fp64_mma_m8n8k4));
  launch.start = [element, large, pairs, blocks = launch.blocks](std::uint32_t* words, cudaStream_t stream) {
    return device_code::mma_peak(element, large, blocks, pairs, words, stream);
  };
  launch.expected =
      table(32, [=](int lane) { return device_code::expected_mma_word(element, large, lane, pairs); });
  measure(trial, launch);
}

void measure_wgmma(Trial& trial, Element element) {
  const int pairs = wgmma_pairs(element);
  Launch launch;
  launch.kernel = "peak::wgmma_peak_kernel";
  launch.blocks = device_code::wgmma_blocks(element);
  launch.threads = device_code::wgmma_threads;
  launch.operations = device_code::wgmma_flops(element, launch.blocks, pairs);
  launch.whole_numbers = element == Element::int8;
  launch.start = [element, pairs, blocks = launch.blocks](std::uint32_t* words, cudaStream_t stream) {
    return device_code::wgmma_peak(element, blocks, pairs, words, stream);
  };
  launch.expected =
      table(128, [=](int thread) { return device_code::expected_wgmma_word(element, thread, pairs); });
  measure(trial, launch);
}

Definition define_tcgen05(const char* op, Element element, const std::string& products) {
  const bool whole_numbers = element == Element::int8;
  Definition made = define(GPUGAUGE_BENCH_FAMILY, op);
  made.variant("tcgen05")
      .isolates(
          products +
          " products of the Tensor Core instruction tcgen05.mma, which one thread starts: operands in shared "
          "memory, " +
          (whole_numbers ? "int32" : "fp32") +
          " sums in Tensor Memory; the fast instruction, by one SM alone, of compute capability " +
          (whole_numbers ? "10.0" : "10.x") + " and 11.0")
      .bad_value(bad_value)
      .quantity(whole_numbers ? Quantity::rate : Quantity::throughput,
                element == Element::tf32                     ? "gemmtf32"
                : kernels::peak::element_bits(element) == 16 ? "gemm16"
                                                             : "gemm8")
      .statistics({Statistic::median, Statistic::mean})
      .batch_seconds(5e-3)
      .stands_in_on(kernels::peak::gpus_with_tcgen05(element))
      .from(Depth::deep)
      .deterministic()
      .body([element](Trial& trial) { measure_tcgen05(trial, element); });
  if (!whole_numbers) made.saturating();
  return made;
}

}  // namespace gpugauge::bench::peak

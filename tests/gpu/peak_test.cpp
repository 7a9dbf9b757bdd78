#include <string>

#include "gpu_test.hpp"
#include "kernels/peak/chains.hpp"
#include "kernels/peak/expected_chain.hpp"
#include "kernels/peak/mma.hpp"
#include "kernels/peak/tcgen05.hpp"
#include "kernels/peak/wgmma.hpp"
#include "kernels/support/fill.hpp"

namespace {

using namespace gpugauge::kernels::peak;
using gpugauge::bench::cuda::check;
using gpugauge::bench::cuda::device;
using gpugauge::bench::cuda::DeviceBuffer;
using gpugauge::testing_gpu::read_back;

constexpr int blocks = 3;

class Peak : public gpugauge::testing_gpu::GpuTest {
 protected:
  /// Launches into poisoned memory and compares thread i with expected(i).
  template <typename Launch, typename Expected>
  void compare(int threads, const Launch& launch, const Expected& expected, const std::string& what) {
    const DeviceBuffer<std::uint32_t> words(static_cast<std::size_t>(blocks) * threads);
    check(gpugauge::kernels::poison(words.get(), words.bytes(), nullptr), "poisoning");
    check(launch(words.get()), "launching");
    const auto found = read_back(words);
    int wrong = 0;
    for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] != expected(static_cast<int>(i)) ? 1 : 0;
    EXPECT_EQ(wrong, 0) << what << ": of " << found.size() << " threads; thread 0 has " << found[0]
                        << ", expected " << expected(0);
  }
};

TEST_F(Peak, chains_take_the_steps_that_the_host_takes) {
  for (const Chain chain : {Chain::fp64, Chain::fp32, Chain::fp16x2, Chain::int32, Chain::dp4a})
    for (const int steps : {chain_unroll, 5 * chain_unroll, 64 * chain_unroll})
      compare(
          chain_threads,
          [&](std::uint32_t* words) { return chain_peak(chain, blocks, steps, words, nullptr); },
          [&](int thread) { return expected_chain_word(chain, thread % 32, steps); },
          "chain " + std::to_string(static_cast<int>(chain)) + ", steps " + std::to_string(steps));
  EXPECT_EQ(chain_peak(Chain::fp32, blocks, chain_unroll + 1, nullptr, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(chain_peak(Chain::fp32, 0, chain_unroll, nullptr, nullptr), cudaErrorInvalidValue);
}

TEST_F(Peak, mma_gives_the_exact_sums) {
  const int capability = device().compute_capability;
  if (capability < 75) GTEST_SKIP() << "mma.sync of these types needs compute capability 7.5";
  for (const Element element :
       {Element::fp64, Element::tf32, Element::fp16, Element::bf16, Element::fp8_e4m3, Element::int8})
    for (const bool large : {false, true})
      for (const int pairs : {mma_unroll, 5 * mma_unroll, most_pairs(Element::fp8_e4m3)}) {
        if (large && element != Element::fp64) continue;
        const auto launch = [&](std::uint32_t* words) {
          return mma_peak(element, large, blocks, pairs, words, nullptr);
        };
        if (capability < least_compute_capability(element, large)) {
          EXPECT_EQ(launch(nullptr), cudaErrorNotSupported);
          continue;
        }
        compare(
            mma_threads, launch,
            [&](int thread) { return expected_mma_word(element, large, thread % 32, pairs); },
            "element " + std::to_string(static_cast<int>(element)) + ", pairs " + std::to_string(pairs));
      }
  EXPECT_EQ(mma_peak(Element::bf16, false, blocks, mma_unroll + 1, nullptr, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(mma_peak(Element::fp8_e4m3, false, blocks, 4096, nullptr, nullptr), cudaErrorInvalidValue);
}

TEST_F(Peak, wgmma_gives_the_exact_sums) {
  if (device().compute_capability != 90) {
    EXPECT_EQ(wgmma_peak(Element::bf16, blocks, wgmma_unroll, nullptr, nullptr), cudaErrorNotSupported);
    GTEST_SKIP() << "wgmma exists on compute capability 9.0 alone";
  }
  for (const Element element :
       {Element::tf32, Element::fp16, Element::bf16, Element::fp8_e4m3, Element::int8})
    for (const int pairs : {wgmma_unroll, 5 * wgmma_unroll, most_pairs(Element::fp8_e4m3)})
      compare(
          wgmma_threads,
          [&](std::uint32_t* words) { return wgmma_peak(element, blocks, pairs, words, nullptr); },
          [&](int thread) { return expected_wgmma_word(element, thread % 128, pairs); },
          "element " + std::to_string(static_cast<int>(element)) + ", pairs " + std::to_string(pairs));
  EXPECT_EQ(wgmma_peak(Element::fp64, blocks, wgmma_unroll, nullptr, nullptr), cudaErrorInvalidValue);
}

TEST_F(Peak, tcgen05_gives_the_exact_sums) {
  const int capability = device().compute_capability;
  if (!gpugauge::kernels::sm100::exists(tcgen05_kind(Element::bf16), capability)) {
    EXPECT_EQ(tcgen05_peak(Element::bf16, blocks, tcgen05_unroll, nullptr, nullptr), cudaErrorNotSupported);
    GTEST_SKIP() << "tcgen05 exists on compute capability 10.0, 10.3 and 11.0 alone";
  }
  for (const Element element :
       {Element::tf32, Element::fp16, Element::bf16, Element::fp8_e4m3, Element::int8})
    for (const int pairs : {tcgen05_unroll, 5 * tcgen05_unroll, most_pairs(Element::fp8_e4m3)}) {
      if (!gpugauge::kernels::sm100::exists(tcgen05_kind(element), capability)) continue;
      const std::vector<std::uint32_t> expected = expected_tcgen05_words(element, pairs);
      compare(
          tcgen05_threads,
          [&](std::uint32_t* words) { return tcgen05_peak(element, blocks, pairs, words, nullptr); },
          [&](int thread) { return expected[static_cast<std::size_t>(thread) % expected.size()]; },
          "element " + std::to_string(static_cast<int>(element)) + ", pairs " + std::to_string(pairs));
    }
  EXPECT_EQ(tcgen05_peak(Element::fp64, blocks, tcgen05_unroll, nullptr, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(tcgen05_blocks(), device().sm_count);
}

TEST_F(Peak, blocks_fill_the_device) {
  EXPECT_GE(chain_blocks(Chain::fp32), device().sm_count);
  if (device().compute_capability >= 80) {
    EXPECT_GE(mma_blocks(Element::bf16, false), device().sm_count);
  }
  if (device().compute_capability == 90) {
    EXPECT_GE(wgmma_blocks(Element::bf16), device().sm_count);
  }
}

}  // namespace

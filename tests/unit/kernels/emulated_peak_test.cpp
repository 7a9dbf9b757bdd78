// The device code of the peak kernels with mma.sync, run on the host by an emulator of the instructions.
#include <gtest/gtest.h>

#include "emulator.hpp"

// clang-format off: behind the emulator
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include "kernels/peak/mma.cuh"
#pragma GCC diagnostic pop
// clang-format on

namespace {

using namespace gpugauge::kernels::peak;

// Every thread's word is the exact one, also with the smaller instructions of 7.5.
template <Element Type, bool Smaller>
void expect_exact_words() {
  constexpr int pairs = 2 * mma_unroll;
  constexpr int blocks = 2;
  std::vector<std::uint32_t> words(std::size_t{blocks} * mma_threads, ~0U);
  emulator::launch(blocks, mma_threads, [&] { run_chains<Type, Smaller>(words.data(), pairs); });
  for (std::size_t i = 0; i < words.size(); ++i)
    ASSERT_EQ(words[i], expected_mma_word(Type, false, static_cast<int>(i % 32), pairs)) << i;
}

TEST(PeakMma, words_are_exact_by_the_whole_instruction) {
  expect_exact_words<Element::tf32, false>();
  expect_exact_words<Element::fp16, false>();
  expect_exact_words<Element::bf16, false>();
  expect_exact_words<Element::fp8_e4m3, false>();
  expect_exact_words<Element::int8, false>();
}

TEST(PeakMma, words_are_exact_by_the_smaller_instructions_of_7_5) {
  expect_exact_words<Element::fp16, true>();
  expect_exact_words<Element::int8, true>();
}

}  // namespace

// The device code of the peak kernels with tcgen05, run on the host by an emulator of the instructions, of Tensor
// Memory and of barriers. Products happen as early, or as late, as the instructions allow.
#include <gtest/gtest.h>

#include "emulator.hpp"

// clang-format off: behind the emulator
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include "kernels/peak/tcgen05.cuh"
#pragma GCC diagnostic pop
// clang-format on

namespace {

using namespace gpugauge::kernels;
using namespace gpugauge::kernels::peak;
using emulator::Arrival;

template <Element Type>
void expect_exact_words(int pairs) {
  constexpr unsigned blocks = 2;
  const std::vector<std::uint32_t> expected = expected_tcgen05_words(Type, pairs);
  for (const Arrival products : {Arrival::early, Arrival::late}) {
    emulator::tensor_products = products;
    std::vector<std::uint32_t> words(std::size_t{blocks} * tcgen05_threads, ~0U);
    emulator::launch_clusters(blocks, 1, tcgen05_threads, [&] { run_tcgen05<Type>(words.data(), pairs); });
    for (std::size_t i = 0; i < words.size(); ++i)
      ASSERT_EQ(words[i], expected[i % expected.size()])
          << "thread " << i << (products == Arrival::late ? ", late" : ", early");
  }
}

// Three batches: one more than are in flight.
TEST(PeakTcgen05, words_are_exact_in_every_type) {
  constexpr int pairs = 3 * tcgen05_unroll;
  expect_exact_words<Element::bf16>(pairs);
  expect_exact_words<Element::fp16>(pairs);
  expect_exact_words<Element::tf32>(pairs);
  expect_exact_words<Element::fp8_e4m3>(pairs);
  expect_exact_words<Element::int8>(pairs);
}

TEST(PeakTcgen05, words_are_exact_with_a_single_batch) {
  expect_exact_words<Element::bf16>(tcgen05_unroll);
}

// As the tables of the PTX ISA give the bits.
TEST(PeakTcgen05, descriptors_have_the_bits_of_the_isa) {
  EXPECT_EQ(sm100::operand_descriptor(sm100::Swizzle::none, 0x400, 128, 256), 0x0000'4010'0008'0040U);
  EXPECT_EQ(sm100::operand_descriptor(sm100::Swizzle::none, 0x3'fff0, 16, 0x3'fff0), 0x0000'7fff'0001'3fffU);
  EXPECT_EQ(sm100::operand_descriptor(sm100::Swizzle::bytes_128, 0x400, 8192, 1024), 0x4000'4040'0200'0040U);
  EXPECT_EQ(sm100::instruction_descriptor(sm100::Kind::f16, sm100::bf16_of_f16, 128, 256), 0x0840'0490U);
  EXPECT_EQ(sm100::instruction_descriptor(sm100::Kind::f16, sm100::bf16_of_f16, 128, 256, true),
            0x0841'0490U);
  EXPECT_EQ(sm100::instruction_descriptor(sm100::Kind::f16, sm100::fp16_of_f16, 128, 256), 0x0840'0010U);
  EXPECT_EQ(sm100::instruction_descriptor(sm100::Kind::tf32, sm100::tf32_of_tf32, 128, 128), 0x0820'0910U);
  EXPECT_EQ(sm100::instruction_descriptor(sm100::Kind::f8f6f4, sm100::e4m3_of_f8f6f4, 64, 16), 0x0404'0010U);
  EXPECT_EQ(sm100::instruction_descriptor(sm100::Kind::i8, sm100::signed_of_i8, 128, 256), 0x0840'04a0U);
}

TEST(PeakTcgen05, int8_is_not_on_10_3) {
  EXPECT_EQ(gpus_with_tcgen05(Element::bf16), (std::vector<int>{100, 103, 110}));
  EXPECT_EQ(gpus_with_tcgen05(Element::int8), (std::vector<int>{100, 110}));
  for (const int capability : {75, 90, 101, 120, 121})
    EXPECT_FALSE(sm100::exists(sm100::Kind::f16, capability));
}

TEST(PeakTcgen05, work_counts_two_operations_a_product) {
  EXPECT_EQ(tcgen05_flops(Element::bf16, 3, 8), 2.0 * 128 * 256 * 16 * 17 * tcgen05_rounds * 3);
  EXPECT_EQ(tcgen05_flops(Element::int8, 1, 16), 2.0 * 128 * 256 * 32 * 33 * tcgen05_rounds);
}

TEST(PeakTcgen05, a_word_tells_a_lost_step_and_another_thread) {
  const auto words = expected_tcgen05_words(Element::bf16, 8);
  EXPECT_EQ(std::set<std::uint32_t>(words.begin(), words.end()).size(), words.size());
  EXPECT_NE(words, expected_tcgen05_words(Element::bf16, 16));
}

}  // namespace

// The device code of attention, run on the host with mma and ldmatrix as the PTX ISA describes their
// fragments.
#include <cmath>
#include <ostream>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "array.hpp"
#include "collectives.hpp"
#include "emulator.hpp"
#include "kernels/primitive/attention_element.hpp"
#include "kernels/support/uniform.hpp"

// clang-format off: behind the emulator
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include "kernels/primitive/attention.cuh"
#pragma GCC diagnostic pop
// clang-format on

namespace {

using namespace gpugauge::kernels;
using emulator::Array;
using primitive::AttentionShape;

struct Case {
  AttentionShape shape;
  emulator::Arrival arrival;
};

std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.shape.heads << " heads, " << one.shape.length << " x " << one.shape.head_dim
             << (one.shape.causal ? ", causal" : ", full")
             << (one.arrival == emulator::Arrival::early ? ", early" : ", late");
}

class Attention : public testing::TestWithParam<Case> {
 protected:
  Attention()
      : shape(GetParam().shape),
        q(shape.elements(), [](std::size_t i) { return uniform_bf16(1, i); }),
        k(shape.elements(), [](std::size_t i) { return uniform_bf16(2, i); }),
        v(shape.elements(), [](std::size_t i) { return uniform_bf16(3, i); }),
        o(shape.elements()) {
    emulator::arrival = GetParam().arrival;
    emulator::shared.fill(0xff);
  }
  void run() const {
    namespace tile = primitive::attention_tile;
    const int tiles = (shape.length + tile::query_rows - 1) / tile::query_rows;
    const auto scale =
        static_cast<float>(1.4426950408889634 / std::sqrt(static_cast<double>(shape.head_dim)));
    const auto launch = [&](auto kernel) {
      emulator::launch(static_cast<unsigned>(tiles * shape.heads), tile::threads,
                       [&] { kernel(q.get(), k.get(), v.get(), o.get(), shape.length, tiles, scale); });
    };
    if (shape.head_dim == 64)
      shape.causal ? launch(tile::attention_kernel<64, true>) : launch(tile::attention_kernel<64, false>);
    else
      shape.causal ? launch(tile::attention_kernel<128, true>) : launch(tile::attention_kernel<128, false>);
  }
  // Over all elements, with key `lost` left out of the reference (-1: none).
  double largest_error(int lost = -1) const {
    double error = 0;
    const auto dim = static_cast<std::size_t>(shape.head_dim);
    for (int head = 0; head < shape.heads; ++head) {
      const std::size_t start = static_cast<std::size_t>(head) * static_cast<std::size_t>(shape.length) * dim;
      for (int row = 0; row < shape.length; ++row) {
        const int keys = shape.causal ? row + 1 : shape.length;
        std::vector<double> expected(dim);
        double sum = 0;
        double squares = 0;
        for (int key = 0; key < keys; ++key) {
          if (key == lost) continue;
          const double weight = std::exp(
              primitive::attention_score(q.get() + start, k.get() + start, shape.head_dim, row, key));
          sum += weight;
          squares += weight * weight;
          for (std::size_t d = 0; d < dim; ++d)
            expected[d] +=
                weight * static_cast<double>(to_float(v[start + static_cast<std::size_t>(key) * dim + d]));
        }
        for (std::size_t d = 0; d < dim; ++d)
          error = std::fmax(
              error, primitive::attention_element_error(
                         static_cast<double>(to_float(o[start + static_cast<std::size_t>(row) * dim + d])),
                         expected[d] / sum, squares / (sum * sum)));
      }
    }
    return error;
  }
  AttentionShape shape;
  Array<Bf16> q, k, v, o;
};

TEST_P(Attention, equals_the_reference_at_every_element) {
  run();
  EXPECT_LT(largest_error(), primitive::attention_tolerance);
  // The measure is sharp enough to miss one key.
  if (shape.length > 8) {
    EXPECT_GT(largest_error(shape.length / 2), primitive::attention_tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Attention,
                         testing::Values(Case{{1, 1, 64, false}, emulator::Arrival::early},
                                         Case{{2, 100, 64, false}, emulator::Arrival::late},
                                         Case{{1, 193, 64, true}, emulator::Arrival::late},
                                         Case{{1, 128, 128, false}, emulator::Arrival::early},
                                         Case{{2, 130, 128, true}, emulator::Arrival::late},
                                         Case{{1, 97, 128, true}, emulator::Arrival::early},
                                         Case{{1, 33, 128, false}, emulator::Arrival::late}));

TEST(AttentionWork, counts_two_products_and_half_of_them_when_causal) {
  EXPECT_EQ(primitive::attention_flops({3, 10, 64, false}), 4.0 * 3 * 10 * 10 * 64);
  EXPECT_EQ(primitive::attention_flops({3, 10, 64, true}), 2.0 * 3 * 10 * 10 * 64);
  EXPECT_EQ(primitive::attention_bytes({3, 10, 64, true}), 4.0 * 2 * 3 * 10 * 64);
}

TEST(AttentionSamples, take_one_row_of_every_part_and_the_last) {
  constexpr int samples = 7;
  constexpr int length = 100;
  for (int sample = 0; sample < samples; ++sample) {
    const int row = primitive::attention_sampled_row(sample, samples, length, 5);
    EXPECT_GE(row, sample * length / samples);
    EXPECT_LT(row, (sample + 1) * length / samples);
  }
  EXPECT_EQ(primitive::attention_sampled_row(samples - 1, samples, length, 5), length - 1);
  for (int row = 0; row < 4; ++row) EXPECT_EQ(primitive::attention_sampled_row(row, 4, 4, 5), row);
}

TEST(AttentionError, subtracts_the_rounding_and_never_passes_nan) {
  EXPECT_EQ(primitive::attention_element_error(1, 1, 0.25), 0);
  EXPECT_EQ(primitive::attention_element_error(1 + 0x1p-8, 1, 0.25), 0);
  EXPECT_EQ(primitive::attention_element_error(1.5, 1, 0.25), (0.5 - 0x1p-8) / 0.5);
  EXPECT_EQ(primitive::attention_element_error(std::nan(""), 1, 0.25), INFINITY);
}

}  // namespace

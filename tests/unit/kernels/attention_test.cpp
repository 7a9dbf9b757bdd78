// The check of attention, run by the emulator against the definition.
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "collectives.hpp"
#include "emulator.hpp"

// clang-format off: behind the emulator
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include "kernels/attention/scaled_dot_product.cuh"
#pragma GCC diagnostic pop
// clang-format on

namespace {

using namespace gpugauge::kernels;
using attention::Errors;

/// One head, results by the definition.
struct Definition {
  Definition(int of_length, int of_depth, bool is_causal)
      : length(of_length), depth(of_depth), causal(is_causal) {
    const auto count = static_cast<std::size_t>(length) * static_cast<std::size_t>(depth);
    for (auto* input : {&q, &k, &v, &d_out}) {
      for (std::size_t i = 0; i < count; ++i) input->push_back(uniform(++seed, i));
    }
    for (auto* result : {&out, &d_q, &d_k, &d_v}) result->resize(count);
    std::vector<double> exact_out(count), exact_q(count), exact_k(count), exact_v(count);
    const double scale = 1 / std::sqrt(static_cast<double>(depth));
    for (int i = 0; i < length; ++i) {
      const int keys = causal ? i + 1 : length;
      std::vector<double> p(static_cast<std::size_t>(keys)), d_p(p.size());
      double sum = 0;
      for (int j = 0; j < keys; ++j) sum += at(p, j) = std::exp(scale * dot(q, i, k, j));
      double together = 0;
      double squares = 0;
      for (int j = 0; j < keys; ++j) {
        at(p, j) /= sum;
        at(d_p, j) = dot(d_out, i, v, j);
        together += at(p, j) * at(d_p, j);
      }
      for (int j = 0; j < keys; ++j)
        for (int d = 0; d < depth; ++d) {
          const double slope = scale * at(p, j) * (at(d_p, j) - together);
          at(exact_out, i * depth + d) += at(p, j) * at(v, j * depth + d);
          at(exact_v, j * depth + d) += at(p, j) * at(d_out, i * depth + d);
          at(exact_q, i * depth + d) += slope * at(k, j * depth + d);
          at(exact_k, j * depth + d) += slope * at(q, i * depth + d);
        }
      for (int d = 0; d < depth; ++d) {
        const double term = at(exact_out, i * depth + d) * at(d_out, i * depth + d);
        squares += term * term;
      }
      log_sum.push_back(std::log(sum));
      d_sum.push_back(together);
      d_size.push_back(std::sqrt(squares));
    }
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = static_cast<float>(exact_out[i]);
      d_q[i] = static_cast<float>(exact_q[i]);
      d_k[i] = static_cast<float>(exact_k[i]);
      d_v[i] = static_cast<float>(exact_v[i]);
    }
  }
  template <typename T>
  static T& at(std::vector<T>& values, int index) {
    return values[static_cast<std::size_t>(index)];
  }
  double dot(std::vector<float>& left, int row, std::vector<float>& right, int other) {
    double sum = 0;
    for (int d = 0; d < depth; ++d)
      sum += static_cast<double>(at(left, row * depth + d)) * at(right, other * depth + d);
    return sum;
  }
  attention::check::Head head() const {
    return {{Element::fp32, q.data(), k.data(), v.data(), out.data(), d_out.data(), d_q.data(), d_k.data(),
             d_v.data()},
            0,
            length,
            depth,
            causal,
            1 / std::sqrt(static_cast<double>(depth))};
  }
  int length, depth;
  bool causal;
  std::uint64_t seed = 0;
  std::vector<float> q, k, v, d_out, out, d_q, d_k, d_v;
  std::vector<double> log_sum, d_sum, d_size;
};

// Results are kept in fp32 here.
constexpr double close = 1e-5;

/// Of the queries and keys that `rows` says, `blocks` of each.
Errors errors_of(const Definition& of, std::vector<double>& statistics, attention::Rows rows,
                 unsigned blocks) {
  Errors errors;
  std::vector<double> scores(static_cast<std::size_t>(of.length) * static_cast<std::size_t>(of.length));
  const unsigned queries = rows.count < of.length ? static_cast<unsigned>(of.length) : blocks;
  emulator::launch(queries, attention::check::threads, [&] {
    attention::check::query_kernel(of.head(), rows, 0, scores.data(), statistics.data(), &errors);
  });
  emulator::launch(blocks, attention::check::threads,
                   [&] { attention::check::key_kernel(of.head(), rows, statistics.data(), &errors); });
  return errors;
}

TEST(AttentionCheck, accepts_the_definition_and_finds_what_is_wrong) {
  for (const bool causal : {false, true}) {
    Definition one(6, 8, causal);
    std::vector<double> statistics(18);
    const Errors right = errors_of(one, statistics, {.length = 6}, 6);
    for (const Comparison& part : {right.out, right.d_q, right.d_k, right.d_v})
      EXPECT_EQ(part.compared, 6U * 8U) << "each element once";
    EXPECT_LT(right.out.error, close);
    EXPECT_LT(right.d_q.error, close);
    EXPECT_LT(right.d_k.error, close);
    EXPECT_LT(right.d_v.error, close);
    for (int i = 0; i < 6; ++i) {
      EXPECT_NEAR(statistics[static_cast<std::size_t>(i)], Definition::at(one.log_sum, i), 1e-12);
      EXPECT_NEAR(statistics[static_cast<std::size_t>(6 + i)], Definition::at(one.d_sum, i), 1e-12);
      EXPECT_NEAR(statistics[static_cast<std::size_t>(12 + i)], Definition::at(one.d_size, i), 1e-12);
    }
    for (auto* result : {&one.out, &one.d_q, &one.d_k, &one.d_v}) (*result)[21] += 0.5F;
    const Errors wrong = errors_of(one, statistics, {.length = 6}, 6);
    const double tolerance = attention::tolerance(0x1p-8);
    EXPECT_GT(wrong.out.error, tolerance);
    EXPECT_GT(wrong.d_q.error, tolerance);
    EXPECT_GT(wrong.d_k.error, tolerance);
    EXPECT_GT(wrong.d_v.error, tolerance);
  }
}

TEST(AttentionCheck, goes_on_behind_the_first_tile) {
  constexpr int length = 133;
  Definition one(length, 4, false);
  std::vector<double> statistics;
  for (const auto* part : {&one.log_sum, &one.d_sum, &one.d_size})
    statistics.insert(statistics.end(), part->begin(), part->end());
  const Errors right = errors_of(one, statistics, {.length = length}, 2);
  EXPECT_LT(right.out.error, close);
  EXPECT_LT(right.d_q.error, close);
  EXPECT_LT(right.d_k.error, close);
  EXPECT_LT(right.d_v.error, close);
}

TEST(AttentionCheck, of_sampled_rows_holds_each_against_all_keys_or_queries) {
  constexpr int length = 9, depth = 4;
  const attention::Rows rows{.length = length, .seed = 3, .count = 4};
  std::vector<int> compared, others;
  for (int row = 0; row < length; ++row) (rows.has(row) ? compared : others).push_back(row);
  ASSERT_EQ(compared.size(), 4U);
  for (const bool causal : {false, true}) {
    Definition one(length, depth, causal);
    std::vector<double> statistics(3UL * length);
    const Errors right = errors_of(one, statistics, rows, 4);
    for (const Comparison& part : {right.out, right.d_q, right.d_k, right.d_v}) {
      EXPECT_EQ(part.compared, 4U * depth);
      EXPECT_LT(part.error, close);
    }
    for (int i = 0; i < length; ++i)
      EXPECT_NEAR(statistics[static_cast<std::size_t>(i)], Definition::at(one.log_sum, i), 1e-12)
          << "of every query: each key needs it";
    const auto spoil = [&](int row) {
      for (auto* result : {&one.out, &one.d_q, &one.d_k, &one.d_v})
        Definition::at(*result, row * depth + 1) += 0.5F;
    };
    for (const int row : others) spoil(row);
    EXPECT_LT(errors_of(one, statistics, rows, 4).out.error, close) << "these rows are not compared";
    spoil(compared[2]);
    const Errors wrong = errors_of(one, statistics, rows, 4);
    const double tolerance = attention::tolerance(0x1p-8);
    for (const Comparison& part : {wrong.out, wrong.d_q, wrong.d_k, wrong.d_v})
      EXPECT_GT(part.error, tolerance);
  }
}

// Without gradients only the compared queries have a block.
TEST(AttentionCheck, forward_takes_a_block_for_each_compared_query) {
  constexpr int length = 9, depth = 4;
  const attention::Rows rows{.length = length, .seed = 3, .count = 4};
  const Definition one(length, depth, true);
  attention::check::Head head = one.head();
  head.tensors.d_out = nullptr;
  Errors errors;
  std::vector<double> scores(2UL * length);
  for (const int first : {0, 2})
    emulator::launch(2, attention::check::threads, [&] {
      attention::check::query_kernel(head, rows, first, scores.data(), nullptr, &errors);
    });
  EXPECT_EQ(errors.out.compared, 4U * depth);
  EXPECT_LT(errors.out.error, close);
}

TEST(AttentionRows, are_all_of_a_short_sequence_and_256_strata_of_a_long_one) {
  using attention::Rows;
  EXPECT_EQ(Rows::of(1), 1);
  EXPECT_EQ(Rows::of(1024), 1024);
  EXPECT_EQ(Rows::of(1025), 256);
  EXPECT_EQ(Rows::of(16384), 256);
  for (const int length : {1, 7, 1000, 1024, 1025, 4096, 5000, 16384}) {
    const Rows rows{.length = length, .seed = 5};
    ASSERT_EQ(rows.count, Rows::of(length));
    EXPECT_EQ(rows.row(rows.count - 1), length - 1);
    int next = 0;
    for (int row = 0; row < length; ++row) {
      const bool is_next = next < rows.count && rows.row(next) == row;
      ASSERT_EQ(rows.has(row), is_next) << row << " of " << length;
      next += is_next ? 1 : 0;
    }
    EXPECT_EQ(next, rows.count);
  }
}

TEST(AttentionCheck, keeps_the_scores_of_one_launch_alone) {
  EXPECT_EQ(attention::scratch_doubles({1, 2, 150, 16, false}), 153U * 150U);
  EXPECT_EQ(attention::scratch_doubles({1, 32, 16384, 128, false}), 259U * 16384U);
}

}  // namespace

// A matrix product of emulated device code: its matrices, and its largest error.
#pragma once

#include <cmath>
#include <ostream>
#include <vector>

#include "kernels/gemm/element_error.hpp"
#include "kernels/gemm/layout.hpp"
#include "kernels/gemm/tensor_map.hpp"
#include "kernels/support/uniform.hpp"

namespace emulator {

using namespace gpugauge::kernels;
using gemm::BoxedMatrix;

struct Case {
  int m, n, k;
  int clusters;
};

inline std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.m << "x" << one.n << "x" << one.k << " on " << one.clusters << " clusters";
}

template <typename T>
T made(std::uint64_t seed, std::size_t i);
template <>
inline Bf16 made<Bf16>(std::uint64_t seed, std::size_t i) {
  return uniform_bf16(seed, i);
}
template <>
inline E4m3 made<E4m3>(std::uint64_t seed, std::size_t i) {
  return to_e4m3(uniform(seed, i));
}

template <typename In>
std::vector<In> matrix(int rows, int columns, std::uint64_t seed) {
  std::vector<In> values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = made<In>(seed, i);
  return values;
}

// The largest error of a product that `run(map_a, map_b, map_c, c)` makes.
template <typename In, typename Run>
double largest_error(const Case& of, int box_rows_of_a, const Run& run) {
  const std::vector<In> a = matrix<In>(of.m, of.k, 1);
  const std::vector<In> b = matrix<In>(of.k, of.n, 2);
  std::vector<Bf16> c(static_cast<std::size_t>(of.m) * static_cast<std::size_t>(of.n), Bf16{0xffff});
  const bool transposed = gemm::b_is_transposed<In>;
  const int element = sizeof(In);
  const BoxedMatrix map_a{a.data(), element, of.m, of.k, box_rows_of_a};
  const BoxedMatrix map_b{b.data(), element, transposed ? of.n : of.k, transposed ? of.k : of.n, 64};
  const BoxedMatrix map_c{c.data(), 2, of.m, of.n, 64};
  run(map_a, map_b, map_c, c.data());
  double error = 0;
  for (int row = 0; row < of.m; ++row)
    for (int column = 0; column < of.n; ++column)
      error = std::fmax(error, gemm::element_error(a.data(), b.data(), c.data(), row, column, of.n, of.k));
  return error;
}

}  // namespace emulator

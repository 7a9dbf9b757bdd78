// Qn for few and for many values: the same order statistic, found in two ways.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

/// d_n of Croux and Rousseeuw (1992), "Time-efficient algorithms for two highly robust estimators of scale".
double small_sample_factor(std::size_t n) {
  constexpr std::array factors{0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669, 0.872};  // n = 2 .. 9
  if (n < 2 + factors.size()) return factors[n - 2];
  const auto size = static_cast<double>(n);
  return n % 2 == 1 ? size / (size + 1.4) : size / (size + 3.8);
}

double kth_by_sorting(std::span<const double> values, std::size_t k) {
  const std::size_t n = values.size();
  std::vector<double> distances;
  distances.reserve(n * (n - 1) / 2);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) distances.push_back(std::abs(values[i] - values[j]));
  }
  const auto kth = distances.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(distances.begin(), kth, distances.end());
  return *kth;
}

/// Pairs of sorted values that lie at most `distance` apart; counting ends at `enough`.
std::size_t pairs_within(const std::vector<double>& sorted, double distance, std::size_t enough) {
  std::size_t count = 0;
  std::size_t low = 0;
  for (std::size_t high = 1; high < sorted.size() && count < enough; ++high) {
    while (sorted[high] - sorted[low] > distance) ++low;
    count += high - low;
  }
  return count;
}

/// Bisects over the representable numbers: rounding keeps the order of the differences of sorted values, and
/// doubles that are not negative have the order of their bits. 64 counts of linear time at most, and the
/// answer is the very distance that sorting all pairs would give.
double kth_by_counting(std::span<const double> values, std::size_t k) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  std::uint64_t low = 0;
  auto high = std::bit_cast<std::uint64_t>(sorted.back() - sorted.front() + 0.0);
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (pairs_within(sorted, std::bit_cast<double>(middle), k) >= k)
      high = middle;
    else
      low = middle + 1;
  }
  return std::bit_cast<double>(low);
}

}  // namespace

double qn(std::span<const double> values) {
  constexpr std::size_t few = 64;
  const std::size_t n = values.size();
  if (n < 2) throw std::invalid_argument("Qn needs two values");
  const std::size_t h = n / 2 + 1;
  const std::size_t k = h * (h - 1) / 2;
  return 2.2219 * small_sample_factor(n) *
         (n <= few ? kth_by_sorting(values, k) : kth_by_counting(values, k));
}

double qn_degrees(int n) {
  return 0.82 * (n - 1);
}

}  // namespace gpugauge::judge

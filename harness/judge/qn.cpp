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

/// Pairs of sorted values that lie at most `distance` apart.
std::size_t pairs_within(const std::vector<double>& sorted, double distance) {
  std::size_t count = 0;
  std::size_t low = 0;
  for (std::size_t high = 1; high < sorted.size(); ++high) {
    while (sorted[high] - sorted[low] > distance) ++low;
    count += high - low;
  }
  return count;
}

/// The distances in ]above, most], unordered.
std::vector<double> distances_between(const std::vector<double>& sorted, double above, double most) {
  std::vector<double> out;
  std::size_t first = 0;  // the first partner within `most`
  std::size_t last = 0;   // the first partner within `above`
  for (std::size_t high = 1; high < sorted.size(); ++high) {
    while (sorted[high] - sorted[first] > most) ++first;
    while (sorted[high] - sorted[last] > above) ++last;
    for (std::size_t i = first; i < last; ++i) out.push_back(sorted[high] - sorted[i]);
  }
  return out;
}

/// Distances below which fewer than k pairs lie and within which k do, drawn together until few lie between.
struct Bracket {
  double low = 0, high = 0;
  std::size_t below = 0, within = 0;  ///< pairs at most that far apart

  /// Where to count next. Pairs lie smoothly over the distances as a rule, so a straight line leads there
  /// soon; every other time the middle, in case they do not; and after that the middle of the representable
  /// numbers, which doubles that are not negative have the order of: 64 counts more at most.
  double next(int step, std::size_t k) const {
    constexpr int patience = 24;
    const auto from = std::bit_cast<std::uint64_t>(low);
    const auto to = std::bit_cast<std::uint64_t>(high);
    double out = std::bit_cast<double>(from + (to - from) / 2);
    if (step < patience) {
      const double share =
          step % 2 == 0 ? static_cast<double>(k - below) / static_cast<double>(within - below) : .5;
      out = low + share * (high - low);
    }
    const auto bits = std::clamp(std::bit_cast<std::uint64_t>(out), from + 1, to - 1);
    return std::bit_cast<double>(bits);
  }
  bool closed() const { return std::bit_cast<std::uint64_t>(high) - std::bit_cast<std::uint64_t>(low) <= 1; }
};

/// Rounding keeps the order of the differences of sorted values: the answer is the very distance that sorting
/// all pairs would give.
double kth_by_counting(std::span<const double> values, std::size_t k) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  Bracket bracket{0, sorted.back() - sorted.front() + 0.0, pairs_within(sorted, 0),
                  sorted.size() * (sorted.size() - 1) / 2};
  if (bracket.below >= k) return 0;
  const std::size_t few = 4 * sorted.size();
  for (int step = 0; bracket.within - bracket.below > few; ++step) {
    if (bracket.closed()) return bracket.high;
    const double distance = bracket.next(step, k);
    const std::size_t count = pairs_within(sorted, distance);
    (count >= k ? bracket.high : bracket.low) = distance;
    (count >= k ? bracket.within : bracket.below) = count;
  }
  std::vector<double> left = distances_between(sorted, bracket.low, bracket.high);
  const auto kth = left.begin() + static_cast<std::ptrdiff_t>(k - bracket.below - 1);
  std::nth_element(left.begin(), kth, left.end());
  return *kth;
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

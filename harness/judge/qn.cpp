// Qn for few and for many values: the same order statistic by two methods.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
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

/// Simulated precision of a Qn of 2 to 20 normal values, 2,000,000 samples each. Even and odd counts differ,
/// like their d_n. For two values Qn is their distance: chi^2 with one degree, and a bias of pi/2.
constexpr int first_count = 2;
constexpr std::array<QnWorth, 19> small_worths{{{1, std::numbers::pi / 2},
                                                {.93, 1.561},
                                                {1.96, 1.270},
                                                {1.97, 1.274},
                                                {3.17, 1.166},
                                                {3.21, 1.164},
                                                {4.48, 1.117},
                                                {4.58, 1.112},
                                                {5.82, 1.106},
                                                {5.95, 1.084},
                                                {7.22, 1.080},
                                                {7.34, 1.073},
                                                {8.61, 1.066},
                                                {8.80, 1.066},
                                                {10.07, 1.054},
                                                {10.26, 1.060},
                                                {11.53, 1.045},
                                                {11.75, 1.054},
                                                {12.99, 1.039}}};

/// Points of the table for larger counts. Odd counts between them have up to 4% fewer degrees.
struct WorthAt {
  int n = 0;
  QnWorth worth;
};
constexpr WorthAt near{20, small_worths.back()};
constexpr WorthAt middle{30, {20.69, 1.024}};
constexpr WorthAt far{40, {28.56, 1.017}};

/// Efficiency of Qn relative to the standard deviation for very many normal values (Rousseeuw and Croux,
/// 1993).
constexpr double efficiency = .8227;

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

/// Number of pairs of sorted values at most `distance` apart.
std::size_t pairs_within(const std::vector<double>& sorted, double distance) {
  std::size_t count = 0;
  std::size_t low = 0;
  for (std::size_t high = 1; high < sorted.size(); ++high) {
    while (sorted[high] - sorted[low] > distance) ++low;
    count += high - low;
  }
  return count;
}

/// The distances in (above, most], unordered.
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

/// A bracket around the k-th distance, narrowed until few pairs remain in it.
struct Bracket {
  double low = 0, high = 0;
  std::size_t below = 0, within = 0;  ///< pairs at most `low` and `high` apart

  /// The next distance to count at. Pairs are usually spread smoothly, so linear interpolation aims `margin`
  /// pairs beyond or before k. Every third step takes the middle. After `patience` steps it bisects the bit
  /// patterns, which order like non-negative doubles: at most 64 more counts.
  double next(int step, std::size_t k, std::size_t margin) const {
    constexpr int patience = 30;
    const auto from = std::bit_cast<std::uint64_t>(low);
    const auto to = std::bit_cast<std::uint64_t>(high);
    double out = std::bit_cast<double>(from + (to - from) / 2);
    if (step < patience) {
      const double beyond = step % 3 == 0 ? static_cast<double>(margin) : -static_cast<double>(margin);
      const double aim = (static_cast<double>(k - below) + beyond) / static_cast<double>(within - below);
      out = low + (step % 3 == 2 ? .5 : std::clamp(aim, 0.0, 1.0)) * (high - low);
    }
    return inside(out);
  }
  /// The double strictly inside the bracket that is nearest to `distance`.
  double inside(double distance) const {
    return std::bit_cast<double>(std::clamp(std::bit_cast<std::uint64_t>(distance),
                                            std::bit_cast<std::uint64_t>(low) + 1,
                                            std::bit_cast<std::uint64_t>(high) - 1));
  }
  void count_at(const std::vector<double>& sorted, double distance, std::size_t k) {
    const std::size_t count = pairs_within(sorted, distance);
    (count >= k ? high : low) = distance;
    (count >= k ? within : below) = count;
  }
  bool closed() const { return std::bit_cast<std::uint64_t>(high) - std::bit_cast<std::uint64_t>(low) <= 1; }
};

/// Up to this many values all distances are sorted.
constexpr std::size_t few = 64;

/// Rank of Qn among the sorted distances of n values, from 1.
std::size_t place(std::size_t n) {
  const std::size_t h = n / 2 + 1;
  return h * (h - 1) / 2;
}

/// Rounding preserves the order of differences of sorted values, so the result equals that of sorting all
/// pairs.
double kth_by_counting(std::span<const double> values, std::size_t k) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  Bracket bracket{0, sorted.back() - sorted.front() + 0.0, pairs_within(sorted, 0), n * (n - 1) / 2};
  if (bracket.below >= k) return 0;
  // A few evenly spaced values of this order give a good first guess.
  std::vector<double> sample;
  for (std::size_t i = 0; i < few; ++i) sample.push_back(sorted[i * (n - 1) / (few - 1)]);
  const double guess = kth_by_sorting(sample, place(few));
  for (const double share : {1.1, .9})
    if (!bracket.closed()) bracket.count_at(sorted, bracket.inside(share * guess), k);
  for (int step = 0; bracket.within - bracket.below > 4 * n; ++step) {
    if (bracket.closed()) return bracket.high;
    bracket.count_at(sorted, bracket.next(step, k, n), k);
  }
  std::vector<double> left = distances_between(sorted, bracket.low, bracket.high);
  const auto kth = left.begin() + static_cast<std::ptrdiff_t>(k - bracket.below - 1);
  std::nth_element(left.begin(), kth, left.end());
  return *kth;
}

}  // namespace

double qn(std::span<const double> values) {
  const std::size_t n = values.size();
  if (n < 2) throw std::invalid_argument("Qn needs two values");
  return 2.2219 * small_sample_factor(n) *
         (n <= few ? kth_by_sorting(values, place(n)) : kth_by_counting(values, place(n)));
}

QnWorth qn_worth(int n) {
  if (n < 2) throw std::invalid_argument("Qn needs two values");
  if (n < first_count + static_cast<int>(small_worths.size()))
    return small_worths[static_cast<std::size_t>(n - first_count)];
  if (n > far.n) {
    // The offset stays and the bias falls as 1/n: within 1.5% of the simulation up to n = 100.
    return {far.worth.degrees + efficiency * (n - far.n), 1 + (far.worth.bias - 1) * far.n / n};
  }
  const WorthAt& low = n < middle.n ? near : middle;
  const WorthAt& high = n < middle.n ? middle : far;
  const double share = static_cast<double>(n - low.n) / (high.n - low.n);
  return {std::lerp(low.worth.degrees, high.worth.degrees, share),
          std::lerp(low.worth.bias, high.worth.bias, share)};
}

double robust_variance(std::span<const double> values) {
  const double spread = qn(values);
  return spread * spread / qn_worth(static_cast<int>(values.size())).bias;
}

}  // namespace gpugauge::judge

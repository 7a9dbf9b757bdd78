// The formulas of statistics.hpp, except Qn (qn.cpp).
#include "judge/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

namespace gpugauge::judge {

namespace {

void require(bool condition, const char* sentence) {
  if (!condition) throw std::invalid_argument(sentence);
}

}  // namespace

double median(std::span<const double> values) {
  require(!values.empty(), "median of no values");
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  if (sorted.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(sorted.begin(), middle), *middle);
}

double mean(std::span<const double> values) {
  require(!values.empty(), "mean of no values");
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double digamma(double x) {
  require(x > 0, "digamma of a value that is not positive");
  return boost::math::digamma(x);
}

double trigamma(double x) {
  require(x > 0, "trigamma of a value that is not positive");
  return boost::math::trigamma(x);
}

double trigamma_inverse(double x) {
  require(x > 0, "inverse trigamma of a value that is not positive");
  if (x > 1e7) return 1 / std::sqrt(x);
  if (x < 1e-6) return 1 / x;
  // Newton on 1/trigamma, which is convex and nearly linear: converges from below without overshooting (Smyth
  // 2004).
  double y = 0.5 + 1 / x;
  for (int step = 0; step < 50; ++step) {
    const double value = trigamma(y);
    const double change = value * (1 - value / x) / boost::math::polygamma(2, y);
    y += change;
    if (std::abs(change) < 1e-12 * y) break;
  }
  return y;
}

Prior fit_prior(std::span<const double> variances, std::span<const double> degrees) {
  require(variances.size() == degrees.size(), "as many variances as degrees of freedom");
  if (variances.size() < 2) return {};
  const auto count = static_cast<double>(variances.size());
  std::vector<double> logs;
  logs.reserve(variances.size());
  double expected = 0;  // variance of the logs if all metrics had the same true variance
  for (std::size_t i = 0; i < variances.size(); ++i) {
    require(variances[i] > 0 && std::isfinite(variances[i]), "a variance that is not positive");
    require(degrees[i] > 0, "degrees of freedom that are not positive");
    const double half = degrees[i] / 2;
    logs.push_back(std::log(variances[i]) - digamma(half) + std::log(half));
    expected += trigamma(half) / count;
  }
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / count;
  double observed = 0;
  for (const double value : logs) observed += (value - mean) * (value - mean) / (count - 1);
  const double excess = observed - expected;
  const double pooled = std::accumulate(degrees.begin(), degrees.end(), 0.0);
  if (excess <= 0) return {std::numeric_limits<double>::infinity(), std::exp(mean), pooled};
  const double half = trigamma_inverse(excess);
  return {2 * half, std::exp(mean + digamma(half) - std::log(half)), pooled};
}

Moderated moderate(const Prior& prior, double variance, double degrees) {
  if (std::isinf(prior.degrees)) return {prior.variance, prior.pooled};
  const double total = prior.degrees + degrees;
  return {(prior.degrees * prior.variance + degrees * variance) / total, std::min(total, prior.pooled)};
}

double t_quantile(double p, double degrees) {
  require(p > 0 && p < 1, "a probability outside ]0, 1[");
  require(degrees > 0, "degrees of freedom that are not positive");
  if (std::isinf(degrees)) return boost::math::quantile(boost::math::normal(), p);
  return boost::math::quantile(boost::math::students_t(degrees), p);
}

double t_upper_tail(double t, double degrees) {
  require(degrees > 0, "degrees of freedom that are not positive");
  if (std::isinf(degrees)) return boost::math::cdf(boost::math::complement(boost::math::normal(), t));
  return boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), t));
}

double binomial_upper_tail(int n, double p, int k) {
  require(n >= 0 && p >= 0 && p <= 1, "a binomial distribution that does not exist");
  if (k <= 0) return 1;
  if (k > n) return 0;
  return boost::math::cdf(boost::math::complement(boost::math::binomial(n, p), k - 1));
}

double share_lower_bound(long seen, long of) {
  require(seen >= 0 && seen <= of, "more seen than there were");
  if (seen == 0) return 0;
  return boost::math::binomial::find_lower_bound_on_p(static_cast<double>(of), static_cast<double>(seen),
                                                      .05);
}

int needed_rounds(int rounds, double contamination, double level) {
  for (int count = 2; count <= rounds; ++count) {
    if (binomial_upper_tail(rounds, contamination, count) <= level) return count;
  }
  return rounds + 1;
}

double chance_of_a_round(int rounds, int needed, double power) {
  require(power > 0 && power < 1, "a power outside ]0, 1[");
  require(needed > 0, "a count of no rounds");
  if (needed > rounds) return 1;
  return boost::math::ibeta_inv(static_cast<double>(needed), static_cast<double>(rounds - needed + 1), power);
}

std::vector<bool> holm(std::span<const double> p_values, double alpha) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // NaN is sorted last, since it has no order, and is never rejected.
  const auto placed = [&](std::size_t i) { return std::isnan(p_values[i]) ? 2 : p_values[i]; };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return placed(a) < placed(b); });
  std::vector<bool> rejected(p_values.size(), false);
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    if (!(p_values[order[rank]] <= alpha / static_cast<double>(order.size() - rank))) break;
    rejected[order[rank]] = true;
  }
  return rejected;
}

std::vector<bool> benjamini_hochberg(std::span<const double> p_values, double rate) {
  std::vector<double> sorted;
  for (const double p : p_values) {
    // This also excludes NaN, which would break the sorting.
    if (p <= rate) sorted.push_back(p);
  }
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<double>(p_values.size());
  double limit = -1;
  for (std::size_t rank = 0; rank < sorted.size(); ++rank) {
    if (sorted[rank] <= rate * static_cast<double>(rank + 1) / count) limit = sorted[rank];
  }
  std::vector<bool> rejected;
  rejected.reserve(p_values.size());
  for (const double p : p_values) rejected.push_back(p <= limit);
  return rejected;
}

double detection_quantiles(double degrees, double alpha, int fresh) {
  require(fresh > 0, "no fresh round");
  constexpr double in_doubt = 10;
  return t_quantile(1 - alpha / (in_doubt * fresh), degrees) + t_quantile(detection_power, degrees);
}

double minimum_detectable_change(double tolerance, double spread, double quantiles, int rounds, int fresh) {
  require(fresh > 0, "no fresh round");
  const double noise = spread * std::sqrt(1.0 / fresh + median_variance_factor(rounds));
  return std::max(tolerance, null_share * tolerance + quantiles * noise);
}

double median_variance_factor(int rounds) {
  require(rounds > 0, "a median of no rounds");
  return std::numbers::pi / (2.0 * rounds);
}

}  // namespace gpugauge::judge

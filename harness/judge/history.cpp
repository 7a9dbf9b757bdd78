#include "judge/history.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

constexpr std::size_t least_segment = 3;
constexpr double least_z = 5;

/// Standard deviation of a night's value, blind to a few steps.
double noise(std::span<const double> nights) {
  std::vector<double> differences;
  differences.reserve(nights.size());
  for (std::size_t i = 1; i < nights.size(); ++i) differences.push_back(nights[i] - nights[i - 1]);
  const double middle = median(differences);
  for (double& difference : differences) difference = std::abs(difference - middle);
  return 1.4826 * median(differences) / std::numbers::sqrt2;
}

/// The step between two neighbouring segments, by their means or medians. Values that repeat exactly have no
/// noise: any step of theirs is beyond all limits.
template <typename Level>
ChangePoint step_at(const Level& level, std::span<const double> nights, std::size_t from, std::size_t night,
                    std::size_t to, double sd) {
  const double step = level(nights.subspan(night, to - night)) - level(nights.subspan(from, night - from));
  const double error =
      sd * std::sqrt(1 / static_cast<double>(night - from) + 1 / static_cast<double>(to - night));
  return {night, step, step == 0 ? 0 : step / error};
}

void split(std::span<const double> nights, std::size_t from, std::size_t to, double sd, double least_step,
           std::vector<std::size_t>& found) {
  ChangePoint best;
  for (std::size_t night = from + least_segment; night + least_segment <= to; ++night) {
    const ChangePoint here = step_at(mean, nights, from, night, to, sd);
    if (std::abs(here.z) > std::abs(best.z) ||
        (std::isinf(here.z) && std::isinf(best.z) && std::abs(here.step) > std::abs(best.step)))
      best = here;
  }
  if (!(std::abs(best.z) > least_z && std::abs(best.step) >= least_step)) return;
  found.push_back(best.night);
  split(nights, from, best.night, sd, least_step, found);
  split(nights, best.night, to, sd, least_step, found);
}

}  // namespace

std::vector<double> cumulative_sums(std::span<const double> nights, const Watched& watched) {
  if (!(watched.spread > 0 && watched.tolerance > 0 && watched.contamination > 0 &&
        watched.contamination < 1))
    throw std::invalid_argument("a monitor needs a spread, a tolerance and a share of bad rounds in ]0, 1[");
  const double most = std::log(1 / watched.contamination);
  const double slope = watched.tolerance / (watched.spread * watched.spread);
  std::vector<double> sums;
  sums.reserve(nights.size());
  double sum = 0;
  for (const double x : nights) {
    sum = std::max(0.0, sum + std::min(most, slope * (x - watched.centre - watched.tolerance / 2)));
    sums.push_back(sum);
  }
  return sums;
}

double alarm_limit(int metrics) {
  if (metrics < 1) throw std::invalid_argument("a monitor of no metrics");
  return std::log(365.0 * metrics);
}

std::optional<std::size_t> first_alarm(std::span<const double> nights, const Watched& watched, int metrics) {
  const double limit = alarm_limit(metrics);
  const std::vector<double> sums = cumulative_sums(nights, watched);
  const auto found = std::find_if(sums.begin(), sums.end(), [&](double sum) { return sum >= limit; });
  if (found == sums.end()) return std::nullopt;
  return static_cast<std::size_t>(found - sums.begin());
}

std::vector<ChangePoint> change_points(std::span<const double> nights, double least_step) {
  if (nights.size() < 2 * least_segment) return {};
  const double sd = noise(nights);
  std::vector<std::size_t> found;
  split(nights, 0, nights.size(), sd, least_step, found);
  std::sort(found.begin(), found.end());
  // A first split may have served only to find the others, and the mean of three nights may be one bad night:
  // what does not stand between the medians of its neighbours goes, the weakest first.
  while (true) {
    std::vector<ChangePoint> out;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t from = i == 0 ? 0 : found[i - 1];
      const std::size_t to = i + 1 == found.size() ? nights.size() : found[i + 1];
      out.push_back(step_at(median, nights, from, found[i], to, sd));
    }
    const auto weakest = std::min_element(out.begin(), out.end(), [](const auto& a, const auto& b) {
      return std::abs(a.step) < std::abs(b.step);
    });
    const bool stands =
        weakest == out.end() || (std::abs(weakest->z) > least_z && std::abs(weakest->step) >= least_step);
    if (stands) return out;
    found.erase(found.begin() + (weakest - out.begin()));
  }
}

}  // namespace gpugauge::judge

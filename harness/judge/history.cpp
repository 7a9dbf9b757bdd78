// Alarms and change points in a series of nights.
#include "judge/history.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "judge/statistics.hpp"

namespace gpugauge::judge {
namespace {

constexpr double least_z = 5;

/// Standard deviation of a night's value, insensitive to a few steps. The larger of two estimates from the
/// differences of neighbouring nights: their median, and their two-thirds quantile. With two modes that
/// persist on half of the nights or more, the median shows only the jitter within a mode. A quantile above
/// two thirds would count fewer bad nights as noise, since each makes two differences.
double noise(std::span<const double> nights) {
  std::vector<double> differences;
  differences.reserve(nights.size());
  for (std::size_t i = 1; i < nights.size(); ++i) differences.push_back(nights[i] - nights[i - 1]);
  const double middle = median(differences);
  for (double& difference : differences) difference = std::abs(difference - middle);
  // A share p of normal differences is below Phi^-1((1 + p) / 2) of their standard deviations.
  const double by_middle = 1.4826 * median(differences);  // 1 / Phi^-1(3/4)
  const auto upper = differences.begin() + static_cast<std::ptrdiff_t>((differences.size() - 1) * 2 / 3);
  std::nth_element(differences.begin(), upper, differences.end());
  const double by_upper = 1.03368 * *upper;  // 1 / Phi^-1(5/6)
  return std::max(by_middle, by_upper) / std::numbers::sqrt2;
}

/// Divides a step by its standard error. Values that repeat exactly have no noise, and any step exceeds every
/// limit.
ChangePoint weighed(double step, std::size_t from, std::size_t night, std::size_t to, double sd) {
  const double error =
      sd * std::sqrt(1 / static_cast<double>(night - from) + 1 / static_cast<double>(to - night));
  return {night, step, step == 0 ? 0 : step / error};
}

/// The step between the medians of two neighbouring segments.
ChangePoint step_at(std::span<const double> nights, std::size_t from, std::size_t night, std::size_t to,
                    double sd) {
  const double step = median(nights.subspan(night, to - night)) - median(nights.subspan(from, night - from));
  return weighed(step, from, night, to, sd);
}

/// Means of segments, each in constant time.
class Means {
 public:
  explicit Means(std::span<const double> nights) : origin_(nights.front()) {
    sums_.reserve(nights.size() + 1);
    for (const double night : nights) sums_.push_back(sums_.back() + (night - origin_));
  }
  /// The mean minus the first night's value.
  double of(std::size_t from, std::size_t to) const {
    return (sums_[to] - sums_[from]) / static_cast<double>(to - from);
  }

 private:
  double origin_;
  std::vector<double> sums_{0};  ///< sum of the nights before each night
};

void split(const Means& means, std::size_t from, std::size_t to, double sd, double least_step,
           std::vector<std::size_t>& found) {
  ChangePoint best;
  for (std::size_t night = from + least_level; night + least_level <= to; ++night) {
    const ChangePoint here = weighed(means.of(night, to) - means.of(from, night), from, night, to, sd);
    if (std::abs(here.z) > std::abs(best.z) ||
        (std::isinf(here.z) && std::isinf(best.z) && std::abs(here.step) > std::abs(best.step)))
      best = here;
  }
  if (!(std::abs(best.z) > least_z && std::abs(best.step) >= least_step)) return;
  found.push_back(best.night);
  split(means, from, best.night, sd, least_step, found);
  split(means, best.night, to, sd, least_step, found);
}

/// The split of [from, to) with the least absolute deviations from the medians before and after `night`;
/// `night` itself among equals.
std::size_t moved(std::span<const double> nights, std::size_t from, std::size_t night, std::size_t to) {
  const double before = median(nights.subspan(from, night - from));
  const double after = median(nights.subspan(night, to - night));
  std::size_t best = night;
  double best_gain = 0;
  // Reduction of the deviations against the split at `night`.
  double gain = 0;
  for (std::size_t at = night; at < to; ++at) {
    gain += std::abs(nights[at] - after) - std::abs(nights[at] - before);
    if (gain > best_gain) {
      best = at + 1;
      best_gain = gain;
    }
  }
  gain = 0;
  for (std::size_t at = night; at-- > from;) {
    gain += std::abs(nights[at] - before) - std::abs(nights[at] - after);
    if (gain > best_gain) {
      best = at;
      best_gain = gain;
    }
  }
  return best;
}

/// Moves each point to the best split; drops a point that leaves a level with too few nights.
void settle(std::span<const double> nights, std::vector<std::size_t>& found) {
  for (std::size_t i = 0; i < found.size();) {
    const std::size_t from = i == 0 ? 0 : found[i - 1];
    const std::size_t to = i + 1 == found.size() ? nights.size() : found[i + 1];
    const std::size_t at = moved(nights, from, found[i], to);
    if (at < from + least_level || at + least_level > to) {
      found.erase(found.begin() + static_cast<std::ptrdiff_t>(i));
      i -= std::min<std::size_t>(i, 1);  // the neighbours' levels have changed
    } else {
      found[i++] = at;
    }
  }
}

}  // namespace

double evidence_of(double night, const Watched& watched) {
  if (!(watched.spread > 0 && watched.tolerance > 0 && watched.contamination > 0 &&
        watched.contamination < 1))
    throw std::invalid_argument("a monitor needs a spread, a tolerance and a share of bad rounds in ]0, 1[");
  const double slope = watched.tolerance / (watched.spread * watched.spread);
  return std::min(std::log(1 / watched.contamination),
                  slope * (night - watched.centre - watched.tolerance / 2));
}

double least_watched_spread(double tolerance, double contamination) {
  return tolerance / std::sqrt(2 * std::log(1 / contamination));
}

std::vector<double> cumulative_sums(std::span<const double> nights, const Watched& watched) {
  std::vector<double> sums;
  sums.reserve(nights.size());
  double sum = 0;
  for (const double x : nights) {
    sum = std::max(0.0, sum + evidence_of(x, watched));
    sums.push_back(sum);
  }
  return sums;
}

double alarm_limit(int metrics) {
  if (metrics < 1) throw std::invalid_argument("a monitor of no metrics");
  return std::log(365.0 * metrics);
}

std::vector<Alarm> alarms(std::span<const double> sums, double limit) {
  if (!(limit > 0)) throw std::invalid_argument("a monitor without a limit");
  std::vector<Alarm> out;
  std::size_t from = 0;
  bool raised = false;
  for (std::size_t night = 0; night < sums.size(); ++night) {
    if (sums[night] <= 0) {
      from = night + 1;
      raised = false;
    } else if (!raised && sums[night] >= limit) {
      out.push_back({from, night});
      raised = true;
    }
  }
  return out;
}

std::vector<ChangePoint> change_points(std::span<const double> nights, double least_step) {
  if (nights.size() < 2 * least_level) return {};
  const double sd = noise(nights);
  std::vector<std::size_t> found;
  split(Means(nights), 0, nights.size(), sd, least_step, found);
  std::sort(found.begin(), found.end());
  // An early split may only have helped to find others, and a mean of three nights may be one bad night. Drop
  // points that do not stand between their neighbours' medians, weakest first.
  while (true) {
    settle(nights, found);
    std::vector<ChangePoint> out;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t from = i == 0 ? 0 : found[i - 1];
      const std::size_t to = i + 1 == found.size() ? nights.size() : found[i + 1];
      out.push_back(step_at(nights, from, found[i], to, sd));
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

std::optional<ChangePoint> too_few_for_a_level(std::span<const double> nights, std::size_t from,
                                               double least_step) {
  if (nights.size() <= from + least_level) return std::nullopt;
  const double sd = noise(nights);
  for (std::size_t few = least_level - 1; few > 0; --few) {
    if (nights.size() < from + least_level + few) continue;
    const std::size_t first = nights.size() - few;
    const ChangePoint all = step_at(nights, from, first, nights.size(), sd);
    const double level = median(nights.subspan(from, first - from));
    const double error = sd * std::sqrt(1 + 1 / static_cast<double>(first - from));
    const bool each =
        std::all_of(nights.begin() + static_cast<std::ptrdiff_t>(first), nights.end(), [&](double x) {
          const double step = x - level;
          return step * all.step > 0 && std::abs(step) >= least_step && std::abs(step) > least_z * error;
        });
    if (each) return all;
  }
  return std::nullopt;
}

}  // namespace gpugauge::judge

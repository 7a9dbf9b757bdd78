// Chooses the probes whose answers would change a diagnosis, and judges repetitions.
#include "diagnose/probes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace gpugauge::diagnose {
namespace {

/// Lowest score of a cause that is considered when the next question is chosen.
constexpr double leading_from = .1;
constexpr std::size_t leading_most = 4;  ///< plus those as good as the last of them
constexpr double as_good = .05;

/// Variables that select the devices a program sees. Each measuring process sets them anyway, or only the
/// container's runtime reads them, so removing them changes nothing.
constexpr std::array<std::string_view, 4> names_of_devices{
    "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES"};

/// True for a slowdown large enough for a repetition to show; a mean judged slower by less is not worth a
/// question.
bool counts_as_slower(const Metric& metric) {
  return metric.fails || (slower_by_figure(metric) && *metric.factor >= slower_from);
}

bool has_slow_figure(const ProbeEntry& probe, const Observation& observation) {
  return std::any_of(observation.metrics.begin(), observation.metrics.end(), [&](const Metric& metric) {
    const bool meant = probe.classes.empty() || std::find(probe.classes.begin(), probe.classes.end(),
                                                          metric.metric_class) != probe.classes.end();
    return meant && counts_as_slower(metric);
  });
}

bool was_asked(const ProbeEntry& probe, const Observation& observation) {
  return std::any_of(observation.probes.begin(), observation.probes.end(),
                     [&](const Probe& one) { return one.by == probe.id; });
}

/// The result of a diagnosis: its best cause, if named, and every score.
struct Ranking {
  std::string_view first;
  double score = 0;
  double second = 0;
  std::vector<std::pair<std::string_view, double>> scores;  ///< best first

  double of(std::string_view cause) const {
    const auto found =
        std::find_if(scores.begin(), scores.end(), [&](const auto& one) { return one.first == cause; });
    return found == scores.end() ? 0 : found->second;
  }
};

Ranking ranking_of(const Observation& observation, const Weights& weights) {
  Ranking out;
  for (const Scored& one : score_all(observation, weights)) {
    out.scores.emplace_back(one.signature->name, one.score);
    if (one.score < weights.named || one.argument.evidence().empty()) continue;
    if (out.first.empty()) {
      out.first = one.signature->name;
      out.score = one.score;
    } else {
      out.second = std::max(out.second, one.score);
    }
  }
  return out;
}

/// The best causes, whether they are named yet or not.
std::vector<std::string_view> leading(const Ranking& ranking) {
  std::vector<std::string_view> out;
  double last = 0;
  for (const auto& [cause, score] : ranking.scores) {
    if (score < leading_from) break;
    if (out.size() >= leading_most && score < last - as_good) break;
    if (out.size() < leading_most) last = score;
    out.push_back(cause);
  }
  return out;
}

bool change_the_ranking(const Ranking& one, const Ranking& other) {
  return one.first != other.first || (one.score >= confident) != (other.score >= confident);
}

double score_distance(const Ranking& one, const Ranking& other, const std::vector<std::string_view>& causes) {
  double out = 0;
  for (const std::string_view cause : causes) out += std::abs(one.of(cause) - other.of(cause));
  return out;
}

Ranking supposed(const ProbeEntry& probe, const Answer& answer, Observation observation,
                 const Weights& weights) {
  std::string detail(probe.detail);
  for (const std::string& name : variables_without(probe, observation))
    detail += fmt::format("{}{}=unset", detail.empty() ? "" : ", ", name);
  add_answer(probe, answer.outcome, detail, observation);
  for (const auto& [key, value] : answer.telemetry) observation.telemetry[std::string(key)] = value;
  return ranking_of(observation, weights);
}

/// Share of the slowness that remains, as a ratio of logarithms: 0 gone, 1 as before.
double left_of(double slowness, double before) {
  return std::log(slowness) / std::log(before);
}

constexpr double mostly_gone = 1.0 / 3;   // at most this share of the slowness remains: gone
constexpr double mostly_there = 2.0 / 3;  // at least this share remains: unchanged
constexpr const char* half_way = "the answer lies half way: some of the slowness goes and some stays";

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

double spread_of(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return std::log(*high / *low);
}

}  // namespace

bool applies(const ProbeEntry& probe, const Observation& observation, bool gpu) {
  const bool kind = probe.measures == Measures::both || (probe.measures == Measures::gpu) == gpu;
  if (!kind || !has_slow_figure(probe, observation) || was_asked(probe, observation)) return false;
  if (!probe.without.empty() && variables_without(probe, observation).empty()) return false;
  return probe.needs == nullptr || probe.needs(Seen(observation));
}

std::vector<std::string> variables_without(const ProbeEntry& probe, const Observation& observation) {
  std::vector<std::string> out;
  for (const auto& variable : observation.environment) {
    const std::string& name = variable.first;
    const auto taken_away = [&](std::string_view pattern) {
      const bool open_end = pattern.ends_with('*');
      return open_end ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern;
    };
    if (std::find(names_of_devices.begin(), names_of_devices.end(), name) != names_of_devices.end()) continue;
    if (std::any_of(probe.without.begin(), probe.without.end(), taken_away)) out.push_back(name);
  }
  return out;
}

void add_answer(const ProbeEntry& probe, std::string_view outcome, const std::string& detail,
                Observation& observation) {
  if (probe.fact.empty()) return;
  Probe fact;
  fact.name = probe.fact;
  fact.outcome = outcome;
  fact.detail = detail;
  fact.by = probe.id;
  observation.probes.push_back(std::move(fact));
}

std::vector<WorthAsking> worth_asking(const Observation& observation, const std::vector<Costed>& candidates,
                                      const Weights& weights) {
  const Ranking now = ranking_of(observation, weights);
  const bool settled = now.score >= confident && now.score - now.second >= clear_lead;
  if (settled || !Seen(observation).harm()) return {};
  const std::vector<std::string_view> causes = leading(now);
  std::vector<WorthAsking> out;
  for (const Costed& candidate : candidates) {
    const ProbeEntry& probe = *candidate.probe;
    WorthAsking worth{&probe, candidate.seconds, 0, {}};
    for (const std::string_view cause : causes)
      if (worth.between.size() < leading_most &&
          std::find(probe.separates.begin(), probe.separates.end(), cause) != probe.separates.end())
        worth.between.emplace_back(cause);
    if (worth.between.empty()) continue;
    std::vector<std::string_view> watched = probe.separates;
    for (const std::string_view cause : causes)
      if (std::find(watched.begin(), watched.end(), cause) == watched.end()) watched.push_back(cause);
    std::vector<Ranking> answers;
    for (const Answer& answer : probe.answers)
      answers.push_back(supposed(probe, answer, observation, weights));
    for (std::size_t i = 0; i < answers.size(); ++i)
      for (std::size_t j = i + 1; j < answers.size(); ++j)
        if (change_the_ranking(answers[i], answers[j]))
          worth.separation = std::max(worth.separation, score_distance(answers[i], answers[j], watched));
    if (worth.separation > 0) out.push_back(std::move(worth));
  }
  std::stable_sort(out.begin(), out.end(), [](const WorthAsking& a, const WorthAsking& b) {
    return a.separation / a.seconds > b.separation / b.seconds;
  });
  return out;
}

Repeated outcome_of_repetition(double before, const std::vector<double>& control,
                               const std::vector<double>& treated) {
  constexpr double more = 1.5;    // from this share on: worse
  constexpr double clear = 1.05;  // smallest slowness that a short repetition can show
  constexpr double noise = .5;    // largest spread, as share of the slowness
  const double as_it_was = geometric_mean(control);
  if (before < slower_from) return {"", "nothing was slower", false};
  if (as_it_was <= 1 || left_of(as_it_was, before) <= mostly_gone)
    return {"",
            fmt::format("it was no longer slow when it was repeated ({:.3g} times, {:.3g} before)", as_it_was,
                        before),
            true};
  if (as_it_was < clear)
    return {"", fmt::format("{:.3g} times as slow is too little for a short repetition", as_it_was), false};
  if (std::max(spread_of(control), spread_of(treated)) > noise * std::log(as_it_was))
    return {"", "its repetitions differ among themselves by more than half of the slowness", false};
  const double with = geometric_mean(treated);
  const double left = left_of(with, as_it_was);
  if (left <= mostly_gone) return {"recovers", "", false, with, as_it_was};
  if (left >= more) return {"worse", "", false, with, as_it_was};
  if (left >= mostly_there) return {"no_change", "", false, with, as_it_was};
  return {"", half_way, false};
}

Repeated outcome_of_standing(double before, const std::vector<double>& now, double least) {
  if (before <= 1 || before < least) return {"", "nothing was slower", false};
  const double mean = geometric_mean(now);
  const double left = mean <= 1 ? 0 : left_of(mean, before);
  if (left <= mostly_gone) return {"normal", "", true, mean, 0};
  if (left >= mostly_there) return {"slow", "", false, mean, 0};
  return {"", half_way, false};
}

}  // namespace gpugauge::diagnose

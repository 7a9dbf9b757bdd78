// A baseline of 30 quiet metrics, and rounds measured against it as the conductor does: plain numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "judge/gate.hpp"

namespace gpugauge::judge {

inline constexpr double gate_tolerance = .03;
inline constexpr int metrics = 30;
inline constexpr int processes = 5;

/// Normal noise, the same for the same place.
inline double offset(int round, int process, int metric) {
  std::mt19937_64 engine(static_cast<std::uint64_t>(round * 10007 + process * 101 + metric + 5));
  engine.discard(3);
  return std::normal_distribution<double>()(engine);
}

inline RoundValues round_values(int round, int metric, double noise, double shift) {
  RoundValues out;
  for (int p = 0; p < processes; ++p) out.push_back(noise * offset(round, p, metric) + shift);
  return out;
}

inline std::vector<Series> quiet_baseline(int rounds, double noise = .005) {
  std::vector<Series> out(metrics);
  for (int m = 0; m < metrics; ++m) {
    auto& series = out[static_cast<std::size_t>(m)];
    series.tolerance = gate_tolerance;
    for (int k = 0; k < rounds; ++k) series.rounds.push_back(round_values(k, m, noise, 0));
  }
  return out;
}

/// Measures as the conductor would: round 1 everything, then what is wanted. `shift(metric, round)` is added.
template <typename Shift>
std::vector<GateResult> run_gate(const Calibration& calibration, const Shift& shift, double noise = .005) {
  std::vector<std::vector<RoundValues>> now(metrics);
  std::vector<GateResult> results;
  for (int round = 1; round <= extended_rounds + 1; ++round) {
    bool measured = false;
    for (int m = 0; m < metrics; ++m) {
      const auto index = static_cast<std::size_t>(m);
      const bool wanted = round == 1 || results[index].again;
      measured = measured || wanted;
      now[index].push_back(wanted ? round_values(round + 20, m, noise, shift(m, round)) : RoundValues{});
    }
    if (!measured) return results;
    results = decide(calibration, now, {});
  }
  ADD_FAILURE() << "the gate never ends";
  return results;
}

/// A baseline in which these rounds took so much longer, in every metric.
inline std::vector<Series> partly_slow(int rounds, const std::vector<std::size_t>& slow, double by) {
  auto series = quiet_baseline(rounds, .001);
  for (auto& metric : series)
    for (const std::size_t round : slow)
      for (double& value : metric.rounds[round]) value += by;
  return series;
}

}  // namespace gpugauge::judge

// The machine of the simulation: 150 metrics in 15 classes, with the noise that nights have.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "judge/gate.hpp"

namespace gpugauge::simulation {

inline constexpr std::size_t metrics = 150;
inline constexpr std::size_t class_size = 10;  ///< metrics of one class stand together
inline constexpr std::size_t injected = 15;  ///< the first so many metrics are slower in a night with a drop
inline constexpr int processes = 5;
inline constexpr int repetitions = 9;
inline constexpr double tolerance = .03;

/// bad: 10% of processes, or of the rounds of a metric, 3 to 5% slower. common: rounds move the metrics of a
/// class together, by .3% (standard deviation), on top of clean noise. two_modes: one metric of each class
/// has them, as launches, waits and attention had on a recorded H100: a process is in the slow one with a
/// chance of 20 to 60%, which is 5 to 60% slower (both by the node, for good), whatever round it is in.
enum class Noise { clean, bad_processes, bad_rounds, common, two_modes };

/// A process value has a coefficient of variation of .5 to 2%, log-uniform over the metrics; a fifth of its
/// variance is shared by the round. Repetitions inside one process spread by a third of that.
class Machine {
 public:
  Machine(std::uint64_t seed, Noise noise) : engine_(seed), noise_(noise), spread_(metrics, .01) {}

  void new_node() {
    for (double& spread : spread_) spread = .005 * std::pow(4.0, uniform_(engine_));
    if (noise_ != Noise::two_modes) return;
    for (Mode& mode : modes_) mode = {.2 + .4 * uniform_(engine_), .05 * std::pow(12.0, uniform_(engine_))};
  }
  /// Makes the first metrics of every class this noisy.
  void make_noisy(std::size_t of_each_class, double spread) {
    for (std::size_t m = 0; m < metrics; ++m)
      if (m % class_size < of_each_class) spread_[m] = spread;
  }
  /// Draws what a round does to each class; call before each round.
  void new_round() {
    common_.assign(metrics / class_size, 0);
    if (noise_ == Noise::common)
      for (double& shift : common_) shift = .003 * normal_(engine_);
  }
  judge::RoundValues round(std::size_t metric, double drop) {
    const double shared = round_value(metric, drop);
    judge::RoundValues out;
    out.reserve(processes);
    for (int p = 0; p < processes; ++p) out.push_back(shared + process_value(metric));
    return out;
  }
  /// One process of a round of its own.
  double single(std::size_t metric, double drop) { return round_value(metric, drop) + process_value(metric); }
  /// The repetitions inside one process.
  std::vector<double> repeated(std::size_t metric, double drop) {
    const double middle = single(metric, drop);
    std::vector<double> out;
    out.reserve(repetitions);
    for (int r = 0; r < repetitions; ++r) out.push_back(middle + spread_[metric] / 3 * normal_(engine_));
    return out;
  }

 private:
  double round_value(std::size_t metric, double drop) {
    return spread_[metric] * std::sqrt(.2) * normal_(engine_) + drop + common_[metric / class_size] +
           (noise_ == Noise::bad_rounds ? slow() : 0);
  }
  double process_value(std::size_t metric) {
    return spread_[metric] * std::sqrt(.8) * normal_(engine_) +
           (noise_ == Noise::bad_processes ? slow() : 0) + mode_of(metric);
  }
  double mode_of(std::size_t metric) {
    constexpr std::size_t which = class_size - 1;  // no drop is injected into it but in the first class
    if (noise_ != Noise::two_modes || metric % class_size != which) return 0;
    const Mode& mode = modes_[metric / class_size];
    return uniform_(engine_) < mode.share ? mode.slower : 0;
  }
  double slow() { return uniform_(engine_) < .1 ? .03 + .02 * uniform_(engine_) : 0; }

  /// The slow one of two modes: how often a process is in it, and by how much it is slower.
  struct Mode {
    double share = 0, slower = 0;
  };

  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  Noise noise_;
  std::vector<double> spread_;
  std::vector<Mode> modes_ = std::vector<Mode>(metrics / class_size);
  std::vector<double> common_ = std::vector<double>(metrics / class_size, 0);
};

inline double drop_of(std::size_t metric, double drop) {
  return metric < injected ? drop : 0;
}

}  // namespace gpugauge::simulation

// The rules of other tools, rebuilt from their published behaviour: what they would say on the same nights.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "nights.hpp"

namespace gpugauge::simulation {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  const double middle = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

/// slower(machine, metric, drop): does the rule report a regression?
Tally nights(const Cell& cell, const std::function<bool(Machine&, std::size_t, double)>& slower) {
  Machine machine(
      77003 + static_cast<std::uint64_t>(cell.noise) * 1000 + static_cast<std::uint64_t>(cell.drop * 10000),
      cell.noise);
  Tally tally;
  tally.nights = cell.nights;
  for (int night = 0; night < cell.nights; ++night) {
    machine.new_node();
    bool alarm = false;
    for (std::size_t m = 0; m < metrics; ++m) {
      const double drop = drop_of(m, cell.drop);
      const bool found = slower(machine, m, drop);
      if (drop > 0) {
        ++tally.injected;
        ++(found ? tally.found : tally.called_ok);
      } else {
        ++tally.healthy;
        alarm = alarm || found;
      }
    }
    tally.alarmed_nights += alarm ? 1 : 0;
  }
  return tally;
}

}  // namespace

Tally u_test_nights(const Cell& cell) {
  return nights(cell, [](Machine& machine, std::size_t metric, double drop) {
    constexpr int critical = 17;  // U of two samples of 9, two-sided .05 (Mann and Whitney 1947)
    const std::vector<double> then = machine.repeated(metric, 0);
    const std::vector<double> now = machine.repeated(metric, drop);
    int below = 0;
    for (const double a : then)
      for (const double b : now) below += b < a ? 1 : 0;
    return below <= critical;
  });
}

Tally smaller_noise_nights(const Cell& cell) {
  return nights(cell, [](Machine& machine, std::size_t metric, double drop) {
    const std::vector<double> then = machine.repeated(metric, 0);
    const std::vector<double> now = machine.repeated(metric, drop);
    return mean(now) - mean(then) > std::min(deviation(then), deviation(now));
  });
}

Tally fixed_share_nights(const Cell& cell) {
  return nights(cell, [&](Machine& machine, std::size_t metric, double drop) {
    std::vector<double> then;
    then.reserve(static_cast<std::size_t>(cell.baseline_rounds));
    for (int k = 0; k < cell.baseline_rounds; ++k) then.push_back(machine.single(metric, 0));
    return machine.single(metric, drop) - mean(then) > .05;
  });
}

Tally z_score_nights(const Cell& cell) {
  return nights(cell, [](Machine& machine, std::size_t metric, double drop) {
    constexpr int history = 30;
    std::vector<double> then;
    then.reserve(history);
    for (int k = 0; k < history; ++k) then.push_back(machine.single(metric, 0));
    return machine.single(metric, drop) - mean(then) > 5 * deviation(then);
  });
}

}  // namespace gpugauge::simulation

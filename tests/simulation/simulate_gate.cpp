// Puts the gate through simulated nights and holds it to its bounds (docs/verdicts.md shows the table).
//
// A night: a fresh baseline of K rounds, then the whole sequence of rounds until the gate wants no more. A
// round: 5 processes for each of 150 metrics. Noise of a process value: coefficient of variation .5 to 2% per
// metric, a fifth of its variance shared by the round. Contamination: 10% of processes, or 10% of the rounds
// of a metric, 3 to 5% slower.
//
//   simulate_gate [nights] [K]      ends with 1 when a bound is broken; bounds are checked for K = 10 only
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "judge/gate.hpp"

namespace {

using gpugauge::judge::Decision;
using gpugauge::judge::RoundValues;

constexpr int metrics = 150;
constexpr int processes = 5;
constexpr double tolerance = .03;
constexpr int injected = 15;  ///< metrics that are slower in a night with a drop

enum class Noise { clean, bad_processes, bad_rounds };

class Machine {
 public:
  Machine(std::uint64_t seed, Noise noise) : engine_(seed), noise_(noise) {}

  void new_node() {
    spread_.clear();
    for (int m = 0; m < metrics; ++m) spread_.push_back(.005 * std::pow(4.0, uniform_(engine_)));
  }
  RoundValues round(int metric, double drop) {
    const double spread = spread_[static_cast<std::size_t>(metric)];
    const double shared =
        spread * std::sqrt(.2) * normal_(engine_) + drop + (noise_ == Noise::bad_rounds ? slow() : 0);
    RoundValues out;
    for (int p = 0; p < processes; ++p) {
      out.push_back(shared + spread * std::sqrt(.8) * normal_(engine_) +
                    (noise_ == Noise::bad_processes ? slow() : 0));
    }
    return out;
  }

 private:
  double slow() { return uniform_(engine_) < .1 ? .03 + .02 * uniform_(engine_) : 0; }

  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  Noise noise_;
  std::vector<double> spread_;
};

struct Tally {
  int alarmed_nights = 0;
  int injected_metrics = 0, found = 0, called_ok = 0, inconclusive = 0;
  long healthy_metrics = 0, healthy_ok = 0, healthy_inconclusive = 0, repeated = 0;
};

void one_night(Machine& machine, int baseline_rounds, double drop, Tally& tally) {
  const gpugauge::judge::GateRules rules;
  machine.new_node();
  std::vector<gpugauge::judge::Series> baseline(metrics);
  for (int m = 0; m < metrics; ++m) {
    baseline[static_cast<std::size_t>(m)].tolerance = tolerance;
    for (int k = 0; k < baseline_rounds; ++k) {
      baseline[static_cast<std::size_t>(m)].rounds.push_back(machine.round(m, 0));
    }
  }
  const auto calibration = gpugauge::judge::calibrate(baseline, rules);
  const auto drop_of = [&](int m) { return m < injected ? drop : 0; };

  std::vector<std::vector<RoundValues>> now(metrics);
  for (int m = 0; m < metrics; ++m) now[static_cast<std::size_t>(m)].push_back(machine.round(m, drop_of(m)));
  auto results = gpugauge::judge::decide(calibration, now, rules);
  for (bool again = true; again;) {
    again = false;
    for (int m = 0; m < metrics; ++m) {
      const auto index = static_cast<std::size_t>(m);
      if (results[index].again) {
        now[index].push_back(machine.round(m, drop_of(m)));
        ++tally.repeated;
        again = true;
      } else {
        now[index].emplace_back();
      }
    }
    if (again) results = gpugauge::judge::decide(calibration, now, rules);
  }

  bool alarm = false;
  for (int m = 0; m < metrics; ++m) {
    const Decision decision = results[static_cast<std::size_t>(m)].decision;
    if (drop > 0 && m < injected) {
      ++tally.injected_metrics;
      tally.found += decision == Decision::regressed;
      tally.called_ok += decision == Decision::ok || decision == Decision::improved;
      tally.inconclusive += decision == Decision::inconclusive || decision == Decision::unstable;
    } else {
      ++tally.healthy_metrics;
      alarm = alarm || decision == Decision::regressed;
      tally.healthy_ok += decision == Decision::ok;
      tally.healthy_inconclusive += decision == Decision::inconclusive || decision == Decision::unstable;
    }
  }
  tally.alarmed_nights += alarm;
}

Tally simulate(Noise noise, int nights, int baseline_rounds, double drop) {
  // One seed a cell, so that cells may be added without changing the others.
  Machine machine(
      20240607 + static_cast<std::uint64_t>(noise) * 1000 + static_cast<std::uint64_t>(drop * 10000), noise);
  Tally tally;
  for (int night = 0; night < nights; ++night) one_night(machine, baseline_rounds, drop, tally);
  return tally;
}

bool hold(const std::string& name, double value, double bound, bool at_least) {
  const bool held = at_least ? value >= bound : value <= bound;
  if (!held) {
    std::printf("BROKEN: %s is %.4f; it must be %s %.4f\n", name.c_str(), value,
                at_least ? "at least" : "at most", bound);
  }
  return held;
}

struct Bounds {
  Noise noise;
  const char* name;
  double false_alarm;
  double power_at_5, power_at_10;
};

}  // namespace

int main(int argc, char** argv) {
  const int nights =
      argc > 1 ? std::atoi(argv[1]) : 500;  // NOLINT(cert-err34-c): a bad number is refused below
  const int baseline_rounds = argc > 2 ? std::atoi(argv[2]) : 10;  // NOLINT(cert-err34-c)
  if (nights < 1 || baseline_rounds < 2) {
    std::fputs("usage: simulate_gate [nights >= 1] [baseline rounds >= 2]\n", stderr);
    return 2;
  }
  constexpr Bounds all_bounds[] = {{Noise::clean, "clean", .015, .97, .995},
                                   {Noise::bad_processes, "10% bad processes", .015, .93, .995},
                                   {Noise::bad_rounds, "10% bad rounds", .03, .85, .985}};
  std::printf("%d nights a cell, %d metrics, K = %d, tolerance %.0f%%\n", nights, metrics, baseline_rounds,
              100 * tolerance);
  std::printf("%-18s %5s %12s %8s %8s %8s %11s %12s\n", "noise", "drop", "false alarm", "found", "ok",
              "undecid.", "healthy ok", "again/night");
  bool held = true;
  for (const Bounds& bounds : all_bounds) {
    for (const double drop : {0.0, .03, .05, .10}) {
      const Tally tally = simulate(bounds.noise, nights, baseline_rounds, drop);
      const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
      const double alarm = share(tally.alarmed_nights, nights);
      const double found = share(tally.found, tally.injected_metrics);
      const double called_ok = share(tally.called_ok, tally.injected_metrics);
      std::printf("%-18s %4.0f%% %12.4f %8.4f %8.4f %8.4f %11.4f %12.1f\n", bounds.name, 100 * drop, alarm,
                  found, called_ok, share(tally.inconclusive, tally.injected_metrics),
                  share(static_cast<double>(tally.healthy_ok), static_cast<double>(tally.healthy_metrics)),
                  static_cast<double>(tally.repeated) / nights);
      std::fflush(stdout);
      if (baseline_rounds != 10) continue;
      const std::string cell =
          std::string(bounds.name) + ", drop " + std::to_string(std::lround(100 * drop)) + "%: ";
      held = hold(cell + "false alarms a night", alarm, bounds.false_alarm, false) && held;
      if (drop == .05) held = hold(cell + "power", found, bounds.power_at_5, true) && held;
      if (drop == .10) held = hold(cell + "power", found, bounds.power_at_10, true) && held;
      if (drop == .03) held = hold(cell + "share called ok", called_ok, .13, false) && held;
    }
  }
  return held ? 0 : 1;
}

// Puts the judges, and the rules of other tools, through simulated nights and fleets; holds ours to their
// bounds and draws the tables of docs/verdicts-statistics.md.
//
//   simulate_gate [NIGHTS]       nights a cell (default 500); ends with 1 when a bound is broken
//   simulate_gate --brief        a tenth of the nights and only what is held to a bound, in seconds: broken
//   is a
//                                bound that so few nights contradict at 0.1%, by the binomial distribution
//   GPUGAUGE_WRITE_DOCS=1        also writes the tables into docs/verdicts-statistics.md, between its markers
//
// Everything is seeded: the same nights each time.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fleets.hpp"
#include "judge/statistics.hpp"
#include "nights.hpp"

namespace {

using gpugauge::simulation::Cell;
using gpugauge::simulation::fleet_nights;
using gpugauge::simulation::FleetTally;
using gpugauge::simulation::gate_nights;
using gpugauge::simulation::Members;
using gpugauge::simulation::Noise;
using gpugauge::simulation::printed_drops;
using gpugauge::simulation::PrintedTally;
using gpugauge::simulation::Tally;
using gpugauge::simulation::whole_fleets;
using gpugauge::simulation::WholeCell;
using gpugauge::simulation::WholeTally;

bool all_held = true;
bool brief = false;
int bounds_held = 0;

/// So few nights contradict a bound only when what they show has no more than this probability under it.
constexpr double contradiction = .001;

void hold(const std::string& name, long events, long trials, double bound, bool at_least) {
  const double value = static_cast<double>(events) / static_cast<double>(trials);
  bool held = at_least ? value >= bound : value <= bound;
  if (brief && !held) {
    const long against = at_least ? trials - events : events;
    held = gpugauge::judge::binomial_upper_tail(static_cast<int>(trials), at_least ? 1 - bound : bound,
                                                static_cast<int>(against)) > contradiction;
  }
  if (held) {
    ++bounds_held;
    return;
  }
  all_held = false;
  std::printf("BROKEN: %s is %.4f (%ld of %ld); it must be %s %.4f\n", name.c_str(), value, events, trials,
              at_least ? "at least" : "at most", bound);
}

/// ".003", "1", ".97": two or three digits, as much as a few hundred nights know.
std::string share(double value) {
  if (value >= .9995) return "1";
  std::string text = fmt::format("{:.{}f}", value, value < .1 || value > .9 ? 3 : 2);
  return text.substr(1);
}

/// The cells of one rule at one K under one kind of noise.
struct Row {
  Tally healthy, three, five, ten;
};

template <typename Rule>
Row run(const Rule& rule, Noise noise, int baseline_rounds, int nights) {
  const auto cell = [&](double drop) { return rule(Cell{noise, baseline_rounds, drop, 0, nights}); };
  return {cell(0), cell(.03), cell(.05), cell(.10)};
}

struct Bounds {
  const char* name;
  Noise noise;
  double false_alarm, power_at_5, power_at_10;
};
constexpr Bounds bounds[] = {{"clean", Noise::clean, .015, .97, .995},
                             {"10% of processes slow", Noise::bad_processes, .015, .93, .995},
                             {"10% of rounds slow", Noise::bad_rounds, .03, .85, .985},
                             {"clean, .3% common to a class", Noise::common, .015, .96, .995},
                             {"one metric of a class with two modes", Noise::two_modes, .03, .85, .9}};

void check(const Bounds& bound, const Row& row) {
  const std::string name = std::string(bound.name) + ": ";
  for (const Tally* tally : {&row.healthy, &row.three, &row.five, &row.ten})
    hold(name + "false alarms a night", tally->alarmed_nights, tally->nights, bound.false_alarm, false);
  hold(name + "share of 3% drops called ok", row.three.called_ok, row.three.injected, .13, false);
  hold(name + "power at 5%", row.five.found, row.five.injected, bound.power_at_5, true);
  hold(name + "power at 10%", row.ten.found, row.ten.injected, bound.power_at_10, true);
}

/// `kept` takes the rows of K = 10.
std::string gate_table(int nights, std::vector<Row>& kept) {
  std::string out =
      "| noise | K | false alarm a night | 3% found | 5% | 10% | 3% called ok | healthy undecided a night | "
      "measured again a night |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const Bounds& bound : bounds) {
    for (const int rounds : {5, 10, 20}) {
      if (brief && rounds != 10) continue;
      const auto rule = [](const Cell& cell) { return gate_nights(cell); };
      const Row row = run(rule, bound.noise, rounds,
                          rounds == 10 && (brief || bound.noise != Noise::common) ? nights : nights / 5 + 1);
      if (rounds == 10) {
        check(bound, row);
        kept.push_back(row);
      }
      out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {:.2f} of 165 | {:.1f} |\n", bound.name,
                         rounds, share(row.healthy.alarms()), share(row.three.power()),
                         share(row.five.power()), share(row.ten.power()), share(row.three.false_ok()),
                         row.healthy.undecided_a_night(), row.healthy.repeated_a_night());
    }
  }
  return out;
}

/// Few metrics and a small baseline: the moderation has three spreads of five rounds to go by, and must not
/// take them for the truth.
std::string small_table(int nights) {
  constexpr std::size_t few = 3;
  // Three metrics cost a fiftieth of a whole night.
  const int cells = 20 * nights;
  const auto cell = [&](double drop) {
    return gate_nights(Cell{Noise::clean, 5, drop, 0, cells, few}, Members::none);
  };
  const Row row{cell(0), cell(.03), cell(.05), cell(.10)};
  // Between what the judge shows, .095, and the .114 of one whose spreads claim 0.82 (K - 1) degrees each and
  // any number together.
  constexpr double called_ok = .105;
  const std::string name = "3 metrics, K = 5: ";
  hold(name + "false alarms a night", row.healthy.alarmed_nights, row.healthy.nights, .005, false);
  hold(name + "share of 3% drops called ok", row.three.called_ok, row.three.injected, called_ok, false);
  return fmt::format(
      "| metrics | K | nights a cell | false alarm a night | 3% found | 5% | 10% | 3% called ok | healthy "
      "undecided a night |\n|---|---|---|---|---|---|---|---|---|\n"
      "| {} | 5 | {} | {:.4f} | {} | {} | {} | {} | {:.2f} of {} |\n",
      few, cells, row.healthy.alarms(), share(row.three.power()), share(row.five.power()),
      share(row.ten.power()), share(row.three.false_ok()), row.healthy.undecided_a_night(), few);
}

/// The drop that is printed is found, and counts, in 9 of 10 nights.
std::string printed_table(int nights) {
  std::string out =
      "| baseline | K | tolerance | spread | mean printed drop | found, and counts "
      "|\n|---|---|---|---|---|---|\n";
  struct Variant {
    double tolerance, spread;
    int baseline_rounds;
    bool provisional;
  };
  constexpr Variant variants[] = {{.03, .004, 5, true},  {.03, .008, 5, true}, {.03, .008, 10, true},
                                  {.10, .03, 5, true},   {.10, .07, 5, true},  {.03, .006, 5, false},
                                  {.03, .006, 10, false}};
  for (const Variant& one : variants) {
    const PrintedTally tally =
        printed_drops({one.baseline_rounds, one.tolerance, one.spread, one.provisional, 2 * nights});
    const std::string name = one.provisional ? "provisional" : "mature";
    hold(fmt::format("{}, K = {}, tolerance {}, spread {}: the printed drop found", name, one.baseline_rounds,
                     one.tolerance, one.spread),
         tally.counted, tally.nights, .89, true);
    out += fmt::format("| {} | {} | {:.0f}% | {:.1f}% | {:.1f}% | {} |\n", name, one.baseline_rounds,
                       100 * one.tolerance, 100 * one.spread, 100 * std::expm1(tally.drops / tally.nights),
                       share(static_cast<double>(tally.counted) / tally.nights));
  }
  return out;
}

std::string comparison_table(int nights, const std::vector<Row>& ours) {
  struct Rule {
    const char* name;
    Tally (*nights)(const Cell&);
  };
  const Rule rules[] = {
      {"this gate, class means included", nullptr},
      {"U test on 9 repetitions (Google Benchmark's compare)", gpugauge::simulation::u_test_nights},
      {"mean against the smaller noise (nvbench's first rule)", gpugauge::simulation::smaller_noise_nights},
      {"fixed 5%, one run (SuperBench's style)", gpugauge::simulation::fixed_share_nights},
      {"z > 5 over 30 earlier runs (Conbench)", gpugauge::simulation::z_score_nights}};
  std::string out =
      "| rule, K = 10 | P(any false alarm a night) | 3% found | 5% | 10% |\n|---|---|---|---|---|\n";
  for (const Rule& rule : rules) {
    std::string cells[4];
    for (const Noise noise : {Noise::clean, Noise::bad_processes, Noise::bad_rounds}) {
      const Row row = rule.nights == nullptr ? ours[static_cast<std::size_t>(noise)]
                                             : run(rule.nights, noise, 10, nights / 2 + 1);
      const double values[] = {row.healthy.alarms(), row.three.power(), row.five.power(), row.ten.power()};
      for (int i = 0; i < 4; ++i) cells[i] += (cells[i].empty() ? "" : " / ") + share(values[i]);
    }
    out += fmt::format("| {} | {} | {} | {} | {} |\n", rule.name, cells[0], cells[1], cells[2], cells[3]);
  }
  return out;
}

std::string class_table(int nights) {
  struct Variant {
    const char* name;
    Members members;
    std::size_t noisy;
    double false_alarm;
  };
  const Variant variants[] = {
      {"no class means", Members::none, 0, .015},
      {"class means", Members::not_advisory, 0, .015},
      {"3 metrics of 10 with a variation of 5%, no class means", Members::none, 3, .08},
      {"the same, class means of all metrics", Members::all, 3, .08},
      {"the same, advisory metrics left out", Members::not_advisory, 3, .08}};
  std::string out =
      "| K = 10, clean | false alarm a night | a whole class 1.5% slower: found | 2% | 3% | measured again a "
      "night |\n|---|---|---|---|---|---|\n";
  for (const Variant& variant : variants) {
    const auto found = [&](double drop) {
      return gate_nights(Cell{Noise::clean, 10, 0, drop, nights / 5 + 1}, variant.members, variant.noisy);
    };
    const std::string name = std::string(variant.name) + ": ";
    const Tally healthy = found(0);
    hold(name + "false alarms a night", healthy.alarmed_nights, healthy.nights, variant.false_alarm, false);
    const bool bounded = variant.members == Members::not_advisory;
    if (brief && !bounded) continue;
    const Tally two = found(.02);
    if (bounded) hold(name + "a class 2% slower found", two.class_found, two.nights, .9, true);
    if (brief) continue;
    out += fmt::format("| {} | {} | {} | {} | {} | {:.1f} |\n", variant.name, share(healthy.alarms()),
                       share(found(.015).class_power()), share(two.class_power()),
                       share(found(.03).class_power()), healthy.repeated_a_night());
  }
  return out;
}

/// Rules of the comparison of nodes: without and with the question whether a node stands out as a whole.
struct NodeRule {
  const char* name;
  double level;  ///< judge::PeerRules::node_level
};
constexpr NodeRule node_rules[] = {{"each metric by itself", 1}, {"as it is", .01}};

std::string fleet_table(int nights) {
  std::string out =
      "| nodes | rule | a healthy node accused, fleets | healthy nodes measured again | 5% slower: confirmed "
      "| 10% slower: confirmed | 10% slower: said |\n|---|---|---|---|---|---|---|\n";
  for (const std::size_t nodes : {8U, 12U, 16U, 64U, 256U}) {
    const int fleets = std::max(20, nights / 5 * 16 / static_cast<int>(nodes));
    for (const NodeRule& rule : node_rules) {
      if (brief && rule.level >= 1) continue;
      const FleetTally healthy = fleet_nights({nodes, 0, fleets, rule.level});
      const FleetTally five = fleet_nights({nodes, .05, fleets, rule.level});
      const FleetTally ten = fleet_nights({nodes, .10, fleets, rule.level});
      out += fmt::format("| {} | {} | {} of {} | {} | {} | {} | {} |\n", nodes, rule.name,
                         healthy.alarmed_fleets, healthy.fleets, share(healthy.again()), share(five.power()),
                         share(ten.power()), share(ten.spoken()));
      if (rule.level >= 1) continue;
      const std::string name = fmt::format("fleet of {}: ", nodes);
      hold(name + "fleets with a healthy node accused", healthy.alarmed_fleets, fleets,
           static_cast<double>(std::max(1, fleets / 100)) / fleets, false);
      if (nodes >= 16) hold(name + "power at 10%", ten.found, ten.slow, .95, true);
      if (nodes >= 64) hold(name + "power at 5%", five.found, five.slow, .6, true);
    }
  }
  return out;
}

/// Few nodes, all healthy, that differ by more than the tolerance: no warning may doubt them by the dozen.
std::string noisy_fleet_table(int nights) {
  std::string out =
      "| nodes | such metrics | a healthy node accused, fleets | healthy nodes measured again | in doubt after "
      "it |\n|---|---|---|---|---|\n";
  for (const std::size_t nodes : {8U, 12U, 15U}) {
    const int fleets = std::max(20, nights / 5 * 16 / static_cast<int>(nodes));
    for (const double noisy : {.1, .3}) {
      const FleetTally healthy = fleet_nights({nodes, 0, fleets, .01, noisy});
      out +=
          fmt::format("| {} | {:.0f}% | {} of {} | {} | {} |\n", nodes, 100 * noisy, healthy.alarmed_fleets,
                      healthy.fleets, share(healthy.again()), share(healthy.doubted()));
      hold(fmt::format("noisy fleet of {}: share of healthy nodes measured again", nodes),
           healthy.healthy_again, healthy.healthy_nodes, nodes < 12 ? .07 : .03, false);
    }
  }
  return out;
}

/// Whole fleets of the shape of run files: a healthy one must be left alone in 99 of 100 seeds, and of
/// another exactly the faulty nodes named.
std::string whole_fleet_table(int nights) {
  std::string out =
      "| nodes | rule | healthy fleet: a node accused | of its nodes measured again | fleet with faults: "
      "exactly "
      "the faulty named | a healthy node accused | faulty nodes found |\n|---|---|---|---|---|---|---|\n";
  constexpr double healthy_accused = .01;
  for (const std::size_t nodes : {200U, 1000U}) {
    const int fleets = brief && nodes > 200 ? 3 : std::max(10, nights / 5);
    for (const NodeRule& rule : node_rules) {
      if (brief && rule.level >= 1) continue;
      const WholeTally healthy = whole_fleets({nodes, false, rule.level, fleets});
      const WholeTally faulty = whole_fleets({nodes, true, rule.level, fleets});
      out += fmt::format("| {} | {} | {} of {} | {} in all | {} of {} | {} of {} | {} of {} |\n", nodes,
                         rule.name, healthy.accused, healthy.fleets, healthy.healthy_again, faulty.exact,
                         faulty.fleets, faulty.accused, faulty.fleets, faulty.found, faulty.faulty);
      if (rule.level >= 1) continue;
      const std::string name = fmt::format("whole fleet of {}: ", nodes);
      hold(name + "share of healthy fleets with a node accused", healthy.accused, healthy.fleets,
           healthy_accused, false);
      hold(name + "share of fleets that name exactly the faulty", faulty.exact, faulty.fleets, .99, true);
    }
  }
  if (brief) return out;
  // The largest fleet, as it is judged: one cell, since a seed of it takes some two seconds of a processor
  // (and 110 MiB), so that 100 seeds add three to four minutes.
  const WholeCell largest{10000, false, node_rules[1].level, std::max(10, nights / 5)};
  const WholeTally healthy = whole_fleets(largest);
  out += fmt::format("| {} | {} | {} of {} | {} in all | | | |\n", largest.nodes, node_rules[1].name,
                     healthy.accused, healthy.fleets, healthy.healthy_again);
  hold(fmt::format("whole fleet of {}: share of healthy fleets with a node accused", largest.nodes),
       healthy.accused, healthy.fleets, healthy_accused, false);
  return out;
}

/// Replaces what stands between the markers; false when they are not there.
bool write_docs(const std::string& tables) {
  const std::string file = GPUGAUGE_SOURCE_DIR "/docs/verdicts-statistics.md";
  const std::string begin = "<!-- simulation: written by simulate_gate -->\n";
  const std::string end = "<!-- /simulation -->";
  std::ifstream in(file);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto from = text.find(begin);
  const auto to = text.find(end);
  if (from == std::string::npos || to == std::string::npos) {
    std::fprintf(stderr, "%s has no markers\n", file.c_str());
    return false;
  }
  text.replace(from + begin.size(), to - from - begin.size(), tables);
  std::ofstream out(file);
  out << text;
  return static_cast<bool>(out.flush());
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int brief_nights = 50;
  brief = argc > 1 && std::string(argv[1]) == "--brief";
  const int nights = brief      ? brief_nights
                     : argc > 1 ? std::atoi(argv[1])  // NOLINT(cert-err34-c): a bad number is refused below
                                : 500;
  if (nights < 1 || (brief && std::getenv("GPUGAUGE_WRITE_DOCS") != nullptr)) {
    std::fputs("usage: simulate_gate [NIGHTS >= 1 | --brief]; the tables are written without --brief only\n",
               stderr);
    return 2;
  }
  std::string tables = fmt::format(
      "150 metrics in 15 classes, tolerance 3%, {} nights a cell ({} for K = 5 and 20 and for the common "
      "noise), everything seeded.\n\n"
      "This gate, class means included:\n\n",
      nights, nights / 5 + 1);
  std::vector<Row> ours;
  tables += gate_table(nights, ours);
  tables += "\nThree metrics alone, without class means, clean:\n\n";
  tables += small_table(nights);
  tables += "\nOne of 40 metrics worse by the drop that is printed for it:\n\n";
  tables += printed_table(nights);
  if (brief) {
    class_table(nights);
    fleet_table(nights);
    noisy_fleet_table(nights);
    whole_fleet_table(nights);
    std::printf("%d bounds held\n", bounds_held);
    return all_held ? 0 : 1;
  }
  tables += fmt::format(
      "\nThe same nights by the rules of other tools (clean / 10% of processes / 10% of rounds slow; {} "
      "nights "
      "a cell):\n\n",
      nights / 2 + 1);
  tables += comparison_table(nights, ours);
  tables += "\nWhat class means add, and why metrics that are too noisy to count take no part in them:\n\n";
  tables += class_table(nights);
  tables += "\nNodes of one kind against each other, after the fresh round of each suspect:\n\n";
  tables += fleet_table(nights);
  tables +=
      "\nNodes that differ, in a share of the metrics, by half to twice the tolerance (standard deviation), all "
      "healthy:\n\n";
  tables += noisy_fleet_table(nights);
  tables += fmt::format(
      "\nFleets of the shape of run files (200 metrics, two a benchmark; nodes differ by 1% for good, which "
      "a fresh round repeats), {} seeds a cell. Every 97th node has a fault: a class 8% slower, or one "
      "benchmark at half speed. Of 10,000 nodes the healthy fleet alone is tried:\n\n",
      std::max(10, nights / 5));
  tables += whole_fleet_table(nights);
  std::fputs(tables.c_str(), stdout);
  if (std::getenv("GPUGAUGE_WRITE_DOCS") != nullptr && !write_docs(tables)) return 2;
  return all_held ? 0 : 1;
}

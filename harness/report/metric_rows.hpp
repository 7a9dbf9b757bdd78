// The table of a device's metrics on a console, and how grave a verdict looks there.
#pragma once

#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "report/summary.hpp"
#include "report/terminal.hpp"

namespace gpugauge::report {

/// Worst first: the order in which verdicts of one row hide each other.
int verdict_rank(const judge::Verdict& verdict);
/// What a person must act on or know of.
bool is_problem(const judge::Verdict& verdict);
Tone verdict_tone(const judge::Verdict& verdict);         ///< How the word of a verdict is painted.
std::string verdict_word(const judge::Verdict& verdict);  ///< "regressed", "ok, advisory".

/// What the table is of.
struct MetricTable {
  std::vector<Measured> measured;        ///< values of now, a metric each
  std::vector<judge::Verdict> verdicts;  ///< on them, of every judge
  std::size_t rounds = 1;                ///< behind the values
  bool judged = false;                   ///< held against something, so that there are changes
  bool every_metric = false;             ///< a row a metric instead of one a benchmark
};

/// The table with its legend; nothing where there is no row. Where the width is short, columns are left out
/// rather than a line be longer.
std::string draw(const MetricTable& table, const Terminal& terminal);

}  // namespace gpugauge::report

// Draws the table of a device's metrics on a console, and ranks verdicts for it.
#pragma once

#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "report/summary.hpp"
#include "report/terminal.hpp"

namespace gpugauge::report {

/// Lower ranks are worse; a row shows its worst verdict.
int verdict_rank(const judge::Verdict& verdict);
/// True for a verdict on which a person must act, or of which they must know.
bool is_problem(const judge::Verdict& verdict);
Tone verdict_tone(const judge::Verdict& verdict);         ///< colour of a verdict's word
std::string verdict_word(const judge::Verdict& verdict);  ///< "regressed", "ok, advisory".

/// Content of the table.
struct MetricTable {
  std::vector<Measured> measured;        ///< current values, one per metric
  std::vector<judge::Verdict> verdicts;  ///< verdicts of every judge on these metrics
  std::size_t rounds = 1;                ///< number of rounds behind the values
  bool judged = false;                   ///< compared with something, so that there are changes
  bool every_metric = false;             ///< one row per metric instead of one per benchmark
};

/// Draws the table with its legend; "" if there is no row. If the width is small, leaves out columns rather
/// than exceed it.
std::string draw(const MetricTable& table, const Terminal& terminal);

}  // namespace gpugauge::report

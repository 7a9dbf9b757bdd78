// The report for a person at a terminal: problems first, then the table, the verdict last.
#pragma once

#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "report/summary.hpp"
#include "report/terminal.hpp"

namespace gpugauge::report {

/// How much of a report to show.
struct ConsoleOptions {
  bool every_metric = false;  ///< one row per metric instead of one per benchmark
};

/// Draws the layers of the stack as a table, uncut where nobody set a width.
std::string draw_stack(const std::vector<stack::Layer>& stack, const Terminal& terminal);

/// Draws a whole report.
std::string draw(const Report& report, const Terminal& terminal, const ConsoleOptions& options = {});

/// Draws a run without a judgement (`gpugauge run`).
std::string draw(const result::Run& run, const Terminal& terminal, const ConsoleOptions& options = {});

/// Draws which changes a baseline can detect (`gpugauge baseline create`).
std::string draw(const std::vector<judge::Sensitivity>& sensitivity, const Terminal& terminal);

}  // namespace gpugauge::report

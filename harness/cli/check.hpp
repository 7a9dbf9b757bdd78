// gpugauge check: what it is asked for, and what it does.
#pragma once

#include <string>

#include "cli/command.hpp"

namespace gpugauge::cli {

/// The options of `gpugauge check`.
struct CheckArguments {
  MeasureArguments measure;       ///< what is measured, and how
  ReportArguments report;         ///< what is written, and where
  PolicyArguments policy;         ///< what the site decided
  std::string baseline;           ///< name or folder; empty = select
  std::string observation;        ///< also written there, of one device; empty = not
  std::string store;              ///< history whose nights the page shows; empty = none
  bool strict = false;            ///< what stays in doubt ends with 4
  bool devices_together = false;  ///< all GPUs at the same time
  bool no_probes = false;         ///< measure nothing more to separate causes
  double budget = conductor::CheckOptions{}.budget_seconds;  ///< seconds, of all devices
};

/// Measures, judges, keeps and reports. Returns the exit code. Throws for everything that makes the check
/// impossible before it costs a measurement, and for a measurement that nothing was learnt from.
int check(const CheckArguments& arguments, const Invocation& invocation);

}  // namespace gpugauge::cli

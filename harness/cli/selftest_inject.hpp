// `gpugauge selftest --inject`: faults set on this machine, each of which must be found and named.
#pragma once

#include "cli/command.hpp"

namespace gpugauge::cli {

/// Options that go with --inject.
struct InjectArguments {
  bool wanted = false;            ///< --inject was given
  std::string device = "all";     ///< beside the host: all, host, an index or a UUID
  std::string profile = "smoke";  ///< of every check
  std::vector<std::string> only;  ///< ids of faults; empty = all
  int rounds = 5;                 ///< healthy ones
  int repeat = 1;                 ///< trials of each fault
  int quiet_runs = 0;             ///< checks without a fault
  std::string output;             ///< also the JSON there
};

/// Adds --inject and what goes with it; each of the latter is refused without it.
void add_inject_options(CLI::App& command, InjectArguments& arguments);

/// Tries the faults and prints what became of them; returns the exit code.
int inject(const InjectArguments& arguments, bool json, bool quiet);

}  // namespace gpugauge::cli

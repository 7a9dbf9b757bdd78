// The subcommands of `gpugauge baseline`, one file each group.
#pragma once

#include "cli/command.hpp"

namespace gpugauge::cli {

void add_baseline_create(CLI::App& baseline, const Invocation& invocation, Action& action);
/// list, show
void add_baseline_listing(CLI::App& baseline, Action& action);
/// accept, retire
void add_baseline_decisions(CLI::App& baseline, Action& action);
/// export, import
void add_baseline_transfer(CLI::App& baseline, Action& action);

}  // namespace gpugauge::cli

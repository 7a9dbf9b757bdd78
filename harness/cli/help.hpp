// How --help stands on a terminal.
#pragma once

#include <memory>

#include <CLI/CLI.hpp>

namespace gpugauge::cli {

/// Help whose sentences are wrapped to the terminal, or to COLUMNS; as it is written where neither says how
/// wide that is. For the command before its subcommands are added, which take it over.
std::shared_ptr<CLI::Formatter> wrapped_help();

}  // namespace gpugauge::cli

// How the exit codes are told to those who have their own: one table for every command.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpugauge::judge {

/// Whose conventions an exit status follows.
enum class ExitStyle {
  ci,      ///< the codes of docs/exit-codes.md as they are
  nagios,  ///< 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN
  slurm,   ///< a prolog or health check: not 0 only where the node is to be drained
  npd,     ///< a plugin of node-problem-detector: 0 OK, 1 problem, 2 unknown
};

/// By the word of --exit-style: "ci", "nagios", "slurm", "npd". nullopt for a word that names none.
std::optional<ExitStyle> exit_style(std::string_view word);
/// "ci, nagios, ...": for sentences.
std::string exit_styles();

/// The exit status for one of our codes, 0 to 4; any other is taken for a tool error, 2.
int exit_status(ExitStyle style, int code);

/// "OK", "WARNING", "CRITICAL" or "UNKNOWN": what Nagios calls the status of one of our codes.
std::string_view nagios_word(int code);

}  // namespace gpugauge::judge

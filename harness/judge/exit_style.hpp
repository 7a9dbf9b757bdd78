// Maps our exit codes to the conventions of other systems: one table for every command.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpugauge::judge {

/// Whose conventions an exit status follows.
enum class ExitStyle {
  ci,      ///< the codes of docs/exit-codes.md as they are
  nagios,  ///< 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN
  slurm,   ///< a prolog or health check: non-zero only where the node is to be drained
  npd,     ///< a node-problem-detector plugin: 0 OK, 1 problem, 2 unknown
};

/// Parses the word of --exit-style: "ci", "nagios", "slurm", "npd". nullopt for any other word.
std::optional<ExitStyle> exit_style(std::string_view word);
/// "ci, nagios, ...", for use in a sentence.
std::string exit_styles();

/// The exit status for one of our codes, 0 to 4; any other code counts as a tool error, 2.
int exit_status(ExitStyle style, int code);

/// Nagios's word for one of our codes: "OK", "WARNING", "CRITICAL" or "UNKNOWN".
std::string_view nagios_word(int code);

}  // namespace gpugauge::judge

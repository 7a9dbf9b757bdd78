// Samples that need a process of their own. What happens only once per process (making a context, a first
// launch) is timed in a fresh process, which returns its times through a pipe.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpugauge::bench {

/// What a fresh process reports: names (letters, digits, '_') and finite numbers.
using Report = std::map<std::string, double>;

/// Writes the report as lines of "name value"; the last line is "end".
std::string report_text(const Report& report);
/// Parses the text of report_text(). Throws std::runtime_error with one sentence for a text that is cut off,
/// is malformed, or comes from failure_text().
Report parse_report(const std::string& text);
/// What a failed process writes in place of a report.
std::string failure_text(const std::string& reason);

/// The file descriptor that the report is written to.
inline constexpr int report_descriptor = 3;

/// A process to start for its report.
struct FreshProcess {
  /// A path; PATH is not searched.
  std::string executable;
  std::vector<std::string> arguments;  ///< without the program's name
  /// Added to this process's own environment; nullopt removes a variable.
  std::map<std::string, std::optional<std::string>> environment;
  /// Seconds after which the process is killed.
  double limit_seconds = 30;
};

/// The outcome of one fresh process.
struct FreshResult {
  /// What it reported.
  Report report;
  double wall_seconds = 0;  ///< from its start to its end
};

/// Starts the process without a shell and waits for it. Its standard output is discarded. Throws
/// std::runtime_error with one sentence when it cannot start, fails, reports nothing, or exceeds the limit
/// (it is then killed). Kills it and throws Interrupted when a signal asks this process to end.
FreshResult run_fresh(const FreshProcess& process);

/// This executable, started as child `name` (see Child) and ended with this process.
FreshProcess own_child(const std::string& name);

/// A role that this executable can play instead of measuring: --gpugauge_child=NAME. `body` returns the
/// report or throws.
class Child {
 public:
  /// Registers the role under the name that --gpugauge_child gives.
  Child(std::string name, std::function<Report()> body);
};

/// Plays the role and writes its report to report_descriptor. Returns the exit code of the process: 0, or 1
/// when the body threw. Throws result::UsageError for a name that nobody registered.
int play_child(const std::string& name);

}  // namespace gpugauge::bench

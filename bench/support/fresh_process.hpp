// Samples that need a process of their own: what happens only once in a process (making a context, a first
// launch) is timed inside a fresh one, which hands its times back through a pipe.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpugauge::bench {

/// What a fresh process found out: names (letters, digits, '_') and finite numbers.
using Report = std::map<std::string, double>;

/// Lines of "name value", the last one "end".
std::string report_text(const Report& report);
/// The other way. Throws std::runtime_error, one sentence, for a text that is cut off, holds anything else,
/// or is a message of failure_text().
Report parse_report(const std::string& text);
/// What a process writes that failed, in place of a report.
std::string failure_text(const std::string& reason);

/// The report is written to this file descriptor.
inline constexpr int report_descriptor = 3;

/// A process to be started for its report.
struct FreshProcess {
  /// A path; PATH is not searched.
  std::string executable;
  std::vector<std::string> arguments;  ///< without the program's name
  /// Beside this process's own environment; nullopt takes a variable away.
  std::map<std::string, std::optional<std::string>> environment;
  /// Then it is killed.
  double limit_seconds = 30;
};

/// How one of them went.
struct FreshResult {
  /// What it handed back.
  Report report;
  double wall_seconds = 0;  ///< from its start until it had ended
};

/// Starts the process, without a shell, and waits for it. Its standard output is discarded. Throws
/// std::runtime_error with one sentence when it cannot be started, fails, hands back no report, or exceeds
/// the limit (it is killed then); throws Interrupted, having killed it, when a signal asks this process to
/// end.
FreshResult run_fresh(const FreshProcess& process);

/// This executable, to be started as child `name` (see Child) and to end with this process.
FreshProcess own_child(const std::string& name);

/// A part that this executable can play instead of measuring: --gpugauge_child=NAME. `body` returns the
/// report or throws.
class Child {
 public:
  /// Takes the part under its name, which --gpugauge_child gives.
  Child(std::string name, std::function<Report()> body);
};

/// Plays the part and writes what it found to report_descriptor. Returns the exit code of the process: 0, or
/// 1 when the body threw. Throws result::UsageError for a name that nobody registered.
int play_child(const std::string& name);

}  // namespace gpugauge::bench

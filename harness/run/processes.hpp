// Looking at and ending other processes.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

namespace gpugauge::run {

/// Processes whose parent is this one. `with_ended` includes those that have ended and wait to be collected.
std::set<pid_t> children_of_this_process(bool with_ended = true);

/// The content of a file below /proc; "" if it cannot be read or its process has ended. A stream would throw
/// in the latter case.
std::string read_kernel_file(const std::filesystem::path& file);

/// Fields of /proc/PID/stat.
struct ProcessStat {
  char state = '?';                   ///< 'R', 'S', 'Z', ...
  pid_t parent = 0;                   ///< its parent's number
  pid_t session = 0;                  ///< number of its session
  double cpu_ticks = 0;               ///< used so far, user and system
  std::optional<double> start_ticks;  ///< when it began, since the machine started; absent in a short line
};
/// Parses such a line; nullopt if it is malformed. The process name may hold blanks, parentheses and line
/// ends.
std::optional<ProcessStat> parse_process_stat(const std::string& line);

/// When a process began, "2026-01-31T04:05:06Z". `line` is from /proc/PID/stat; `kernel_stat` is /proc/stat,
/// which has the boot time. `ticks_per_second` > 0. "" if a part is missing, or after the year 9999.
std::string process_start(const std::string& line, const std::string& kernel_stat, double ticks_per_second);

/// Processor seconds that a process has used so far, user and system; 0 when it is gone.
double cpu_seconds_of(pid_t process);

/// "SIGSEGV"; "signal 63" for a number without a name.
std::string signal_name(int signal);

/// The signals that ask the command to stop: SIGINT, SIGTERM, and SIGHUP unless it is ignored. Under nohup a
/// command keeps running after its terminal has gone.
std::vector<int> stop_signals();

/// While one exists, orphaned descendants become children of this process instead of init's, so that we can
/// find and end them. The last one destroyed restores the earlier state, in any order of destruction.
class Subreaper {
 public:
  Subreaper();
  ~Subreaper();
  /// True if this process was a subreaper before the first Subreaper.
  static bool was_one_before();
  Subreaper(const Subreaper&) = delete;
  Subreaper& operator=(const Subreaper&) = delete;
};

}  // namespace gpugauge::run

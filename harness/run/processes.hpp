// Looking at and ending other processes.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

namespace gpugauge::run {

/// Processes whose parent is this one. Those that have ended and wait to be collected count only if asked
/// for.
std::set<pid_t> children_of_this_process(bool with_ended = true);

/// What a file below /proc holds; "" when it cannot be read, or its process ended meanwhile: a stream would
/// throw then.
std::string read_kernel_file(const std::filesystem::path& file);

/// What the line of /proc/PID/stat tells.
struct ProcessStat {
  char state = '?';                   ///< 'R', 'S', 'Z', ...
  pid_t parent = 0;                   ///< its parent's number
  pid_t session = 0;                  ///< number of its session
  double cpu_ticks = 0;               ///< used so far, user and system
  std::optional<double> start_ticks;  ///< when it began, since the machine started; absent in a short line
};
/// Reads such a line; nullopt for what is none. The name in it may hold blanks, parentheses and line ends.
std::optional<ProcessStat> parse_process_stat(const std::string& line);

/// When a process began, "2026-01-31T04:05:06Z", from the lines of /proc/PID/stat and of /proc/stat, which
/// has the machine's start. `ticks_per_second` > 0. "" where one of them does not tell, and after the year
/// 9999.
std::string process_start(const std::string& line, const std::string& kernel_stat, double ticks_per_second);

/// Processor seconds that a process has used so far, user and system; 0 when it is gone.
double cpu_seconds_of(pid_t process);

/// "SIGSEGV"; "signal 63" for a number without a name.
std::string signal_name(int signal);

/// The signals that ask the command to stop: SIGINT, SIGTERM, and SIGHUP unless it is ignored. Under nohup a
/// command goes on after the terminal has gone.
std::vector<int> stop_signals();

/// While it lives, orphaned descendants become children of this process instead of init's, so that they can
/// be found and ended. The earlier state is put back at the end of the last of several, in whichever order
/// they end.
class Subreaper {
 public:
  Subreaper();
  ~Subreaper();
  /// Whether this process was one before the first of them.
  static bool was_one_before();
  Subreaper(const Subreaper&) = delete;
  Subreaper& operator=(const Subreaper&) = delete;
};

}  // namespace gpugauge::run

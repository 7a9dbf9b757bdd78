// One child process with a time limit: small on purpose, for asking what may hang or crash.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gpugauge::stack {

/// How a child ended and what it printed.
struct ChildResult {
  std::string start_error;       ///< the system's reason when it could not be started, else ""
  bool timed_out = false;        ///< it was killed after the time limit
  bool unkillable = false;       ///< it did not even end when killed: it waits inside the kernel
  bool unknown = false;          ///< it ended, and how was told to somebody else in this process
  std::optional<int> exit_code;  ///< as it ended with it; absent when a signal ended it, or nothing did
  std::optional<int> signal;     ///< that ended it, SIGKILL at the time limit; absent when none did
  std::string out;               ///< standard output, at most 1 MiB
  std::string err;               ///< end of the standard error stream, at most 4 KiB
};

/// Runs command[0] (a path, no search, no shell) with the rest as arguments, standard input empty. Ends when
/// the child ends, also when a grandchild keeps its output open; kills it at the limit. Throws nothing but
/// std::bad_alloc.
ChildResult run_child(const std::vector<std::string>& command, double limit_seconds);

/// The last line that is not blank, without its end; "" where there is none.
std::string last_line(const std::string& text);

}  // namespace gpugauge::stack

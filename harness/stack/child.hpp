// One child process with a time limit. Kept small, for calls that may hang or crash. Measuring processes are
// run by run/child.hpp, whose head says in what the two differ.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gpugauge::stack {

/// How a child ended and what it printed.
struct ChildResult {
  std::string start_error;       ///< why the system could not start it, else ""
  bool timed_out = false;        ///< it was killed after the time limit
  bool unkillable = false;       ///< it did not end even when killed: it waits inside the kernel
  bool unknown = false;          ///< it ended, but another caller in this process collected its status
  std::optional<int> exit_code;  ///< absent when a signal ended it, or nothing did
  std::optional<int> signal;     ///< the signal that ended it (SIGKILL at the time limit); absent if none did
  std::string out;               ///< standard output, at most 1 MiB
  std::string err;               ///< end of the standard error stream, at most 4 KiB
};

/// Runs command[0] (a path, no search, no shell) with the rest as arguments and empty standard input. Returns
/// when the child ends, even if a grandchild keeps the output open. Kills the child at the limit. Throws only
/// std::bad_alloc.
ChildResult run_child(const std::vector<std::string>& command, double limit_seconds);

/// What a child that reached its limit has done so far.
struct ChildProgress {
  const std::string& out;          ///< its standard output until now
  double last_output_seconds = 0;  ///< when it last printed, after its start; 0 if it never did
};
/// The same. `limit` is asked at the start and whenever the limit is reached: the seconds, counted from the
/// start, that the child may take. An answer that has passed ends it; `passed`, if given, receives that answer.
ChildResult run_child(const std::vector<std::string>& command,
                      const std::function<double(const ChildProgress&)>& limit, double* passed = nullptr);

/// The last non-blank line without its line end; "" if there is none.
std::string last_line(const std::string& text);

}  // namespace gpugauge::stack

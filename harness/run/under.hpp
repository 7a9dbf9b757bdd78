// The child's side of a fault: this process takes on what is set around it, and becomes another command.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace gpugauge::run {

/// What is set around a command before it begins. All of it goes with the process, nothing stays.
struct Under {
  pid_t parent = 0;             ///< whose end ends it, too (SIGTERM); 0 = nobody's
  std::vector<int> processors;  ///< the only ones that it may use; empty = as this process
  std::filesystem::path group;  ///< control group that it enters; empty = none
  int shm_mib = 0;              ///< size of the /dev/shm that it sees; 0 = as it is
};

/// The exit code of a command that could not be put under what was asked for: no command of ours ends so.
inline constexpr int under_refused = 9;

/// Takes it on, and becomes the program `words` (a path first; PATH is not searched). Comes back only by
/// throwing std::system_error, whose text is one sentence: what the kernel refused.
[[noreturn]] void become(const Under& under, const std::vector<std::string>& words);

}  // namespace gpugauge::run

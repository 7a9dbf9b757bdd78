// The child's side of a fault: this process applies the requested surroundings, then becomes another command.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace gpugauge::run {

/// The surroundings to apply before a command begins. They end with the process.
struct Under {
  pid_t parent = 0;             ///< its end sends SIGTERM to this process; 0 = no parent
  std::vector<int> processors;  ///< the only ones that it may use; empty = as this process
  std::filesystem::path group;  ///< control group that it enters; empty = none
  int shm_mib = 0;              ///< size of the /dev/shm that it sees; 0 = as it is
};

/// Exit code of a command whose surroundings could not be applied. No command of ours uses it otherwise.
inline constexpr int under_refused = 9;

/// Applies `under`, then becomes the program `words` (a path first; PATH is not searched). Returns only by
/// throwing std::system_error, whose text is one sentence on what the kernel refused.
[[noreturn]] void become(const Under& under, const std::vector<std::string>& words);

}  // namespace gpugauge::run

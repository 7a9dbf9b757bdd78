// What every fault's library shares: how it says that the fault was really set, and where it is meant.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

/// A function that the loader or a driver finds by its name.
#define GPUGAUGE_FAULT_EXPORT extern "C" __attribute__((visibility("default")))

namespace gpugauge::faults {

/// Makes the file that GPUGAUGE_FAULT_MARK names: a trial without it is none, since nothing was set. Called
/// where the fault takes effect, not where the library is loaded. Errors are left alone: the mark is then
/// missing, which is said.
inline void mark() {
  static bool marked = false;
  if (marked) return;
  const char* const file = std::getenv("GPUGAUGE_FAULT_MARK");
  if (file == nullptr) return;
  const int made = ::open(file, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (made < 0) return;
  ::close(made);
  marked = true;
}

/// Whether this process is a family: what is preloaded is loaded by the command itself and by its tools, too.
inline bool in_a_family() {
  constexpr const char* prefix = "gpugauge-bench-";
  return std::strncmp(program_invocation_short_name, prefix, std::strlen(prefix)) == 0;
}

}  // namespace gpugauge::faults

// Shared by all fault libraries: how a fault reports that it took effect, and in which processes it acts.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

/// Exports a function that the loader or a driver finds by name.
#define GPUGAUGE_FAULT_EXPORT extern "C" __attribute__((visibility("default")))

namespace gpugauge::faults {

/// Makes the file that GPUGAUGE_FAULT_MARK names. A trial without it does not count, because the fault was
/// not set. Call it where the fault takes effect, not where the library is loaded. Errors are ignored: the
/// missing mark is then reported.
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

/// Whether this process is a family. The command itself and its tools also load what is preloaded.
inline bool in_a_family() {
  constexpr const char* prefix = "gpugauge-bench-";
  return std::strncmp(program_invocation_short_name, prefix, std::strlen(prefix)) == 0;
}

}  // namespace gpugauge::faults

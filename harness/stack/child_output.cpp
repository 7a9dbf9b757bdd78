#include "stack/child_output.hpp"

#include <cerrno>

#include <unistd.h>

namespace gpugauge::stack {

int take_standard_output() {
  const int taken = ::dup(STDOUT_FILENO);
  if (taken < 0) return STDOUT_FILENO;
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return taken;
}

bool write_line(int output, std::string line) {
  line += '\n';
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t count = ::write(output, line.data() + done, line.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace gpugauge::stack

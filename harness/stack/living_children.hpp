// Children that must not outlive this process, whichever signal ends it.
#pragma once

#include <sys/types.h>

namespace gpugauge::stack {

/// While it lives, kill_living_children() reaches the child. The child may be in a session of its own;
/// hanging in a driver, it would otherwise stay there after Ctrl-C.
class LivingChild {
 public:
  /// A process id, or the negative id of a process group, as kill() takes them.
  explicit LivingChild(pid_t child);
  ~LivingChild();
  LivingChild(const LivingChild&) = delete;
  LivingChild& operator=(const LivingChild&) = delete;

 private:
  int slot_ = -1;
};

/// Sends SIGKILL to all of them. Safe in a signal handler.
void kill_living_children() noexcept;

}  // namespace gpugauge::stack

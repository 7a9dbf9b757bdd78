#include "stack/living_children.hpp"

#include <array>
#include <atomic>
#include <csignal>

namespace gpugauge::stack {
namespace {

// A signal handler may read this at any time: no container, no lock. Children beyond the slots are not
// killed.
std::array<std::atomic<pid_t>, 64> children{};
static_assert(std::atomic<pid_t>::is_always_lock_free);

}  // namespace

LivingChild::LivingChild(pid_t child) {
  for (std::size_t slot = 0; slot < children.size(); ++slot) {
    pid_t free = 0;
    if (!children[slot].compare_exchange_strong(free, child)) continue;
    slot_ = static_cast<int>(slot);
    return;
  }
}

LivingChild::~LivingChild() {
  if (slot_ >= 0) children[static_cast<std::size_t>(slot_)] = 0;
}

void kill_living_children() noexcept {
  for (const std::atomic<pid_t>& child : children)
    if (const pid_t process = child; process != 0) ::kill(process, SIGKILL);
}

}  // namespace gpugauge::stack

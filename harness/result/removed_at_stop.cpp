#include "result/removed_at_stop.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

#include <unistd.h>

namespace gpugauge::result {
namespace {

// A signal handler may read this at any time: no container, no lock.
std::array<std::atomic<const char*>, 32> files{};
static_assert(std::atomic<const char*>::is_always_lock_free);

}  // namespace

RemovedAtStop::RemovedAtStop(std::string file) : file_(std::move(file)) {
  for (std::size_t slot = 0; slot < files.size(); ++slot) {
    const char* free = nullptr;
    if (!files[slot].compare_exchange_strong(free, file_.c_str())) continue;
    slot_ = static_cast<int>(slot);
    return;
  }
}

RemovedAtStop::~RemovedAtStop() {
  if (slot_ >= 0) files[static_cast<std::size_t>(slot_)] = nullptr;
}

void remove_at_stop() noexcept {
  for (const std::atomic<const char*>& one : files)
    if (const char* const file = one; file != nullptr) ::unlink(file);
}

}  // namespace gpugauge::result

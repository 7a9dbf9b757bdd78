#include "support/cuda/room.hpp"

#include <utility>

#include "support/cuda/device.hpp"
#include "support/gpu_room.hpp"
#include "support/host.hpp"

namespace gpugauge::bench::cuda {

void require_room(Trial& trial, std::size_t bytes) {
  if (auto reason = why_too_large(bytes)) end_for_room(trial, std::move(*reason), bytes);
}

void require_room_with_host(Trial& trial, std::size_t bytes, std::size_t host_bytes) {
  require_room(trial, memory_now().shared_with_host ? bytes + host_bytes : bytes);
  auto reason = why_host_too_small(available_memory_bytes(), host_bytes);
  if (!reason) return;
  if (why_host_too_small(allowed_memory_bytes(), host_bytes)) trial.skip(std::move(*reason));
  trial.unavailable(std::move(*reason), true);
}

bool card_has_room(std::size_t bytes) {
  return has_room(memory_now(), bytes);
}

void end_for_room(Trial& trial, std::string reason, std::size_t bytes) {
  Skipped lack = without_room(std::move(reason), has_room(memory_now(), bytes));
  if (lack.status == result::Status::skipped) trial.skip(std::move(lack.reason));
  trial.unavailable(std::move(lack.reason), lack.occupied);
}

}  // namespace gpugauge::bench::cuda

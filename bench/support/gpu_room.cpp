#include "support/gpu_room.hpp"

#include <fmt/format.h>

#include "result/occupied.hpp"

namespace gpugauge::bench {

bool has_room(const GpuMemory& gpu, std::size_t bytes) {
  return !gpu.shared_with_host && bytes + gpu.total / 10 <= gpu.total / 4 * 3;
}

bool held_by_others(const OutOfGpuMemory& lack, const GpuMemory& now) {
  if (now.shared_with_host) return false;
  return (lack.bytes() > 0 && has_room(now, lack.bytes())) || now.free < now.total / 4 * 3;
}

Skipped without_room(std::string reason, bool held) {
  if (!held) return {std::move(reason)};
  if (reason.ends_with('.')) reason.pop_back();
  return {fmt::format("{}: {}; `nvidia-smi` shows who uses this GPU", reason, result::no_room_left),
          result::Status::unavailable, true};
}

}  // namespace gpugauge::bench

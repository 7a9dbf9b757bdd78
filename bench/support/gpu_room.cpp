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

void require_library_room(const GpuMemory& now, std::string what) {
  if (now.free >= library_bytes) return;
  if (what.ends_with('.')) what.pop_back();
  throw OutOfGpuMemory(fmt::format("{}; only {} MiB of GPU memory are free", what, now.free >> 20));
}

std::optional<std::size_t> held_one(const OutOfGpuMemory& lack,
                                    const std::vector<std::optional<GpuMemory>>& now) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (!now[i]) return i;
    const GpuMemory& gpu = *now[i];
    if (!held_by_others(lack, gpu)) continue;
    if (lack.bytes() > 0 && lack.bytes() + gpu.total / 10 <= gpu.free) continue;  // whoever held it has gone
    if (!found || gpu.free < now[*found]->free) found = i;
  }
  return found;
}

Skipped without_room(std::string reason, bool held) {
  if (!held) return {std::move(reason)};
  if (reason.ends_with('.')) reason.pop_back();
  return {fmt::format("{}: {}; `nvidia-smi` shows who uses this GPU", reason, result::no_room_left),
          result::Status::unavailable, true};
}

}  // namespace gpugauge::bench

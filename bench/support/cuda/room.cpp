#include "support/cuda/room.hpp"

#include <fmt/format.h>

#include "support/cuda/device.hpp"

namespace gpugauge::bench::cuda {

void require_room(Trial& trial, std::size_t bytes) {
  const auto reason = why_too_large(bytes);
  if (!reason) return;
  // The context and what the driver keeps for itself take their part of an empty GPU.
  const std::size_t memory = device().memory_bytes;
  if (bytes + memory / 10 > memory - memory / 20) trial.skip(*reason);
  trial.unavailable(
      fmt::format("{}: something else holds the rest; `nvidia-smi` shows who uses this GPU", *reason));
}

}  // namespace gpugauge::bench::cuda

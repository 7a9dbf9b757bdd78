#include "support/cuda/room.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "result/occupied.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/error.hpp"

namespace gpugauge::bench::cuda {

void require_room(Trial& trial, std::size_t bytes) {
  const auto reason = why_too_large(bytes);
  if (!reason) return;
  // What shares its memory with the host calls free what no file is kept in, and the context and a desktop
  // take their part of a small GPU: neither is to blame on somebody.
  int shared_with_host = 0;
  check(cudaDeviceGetAttribute(&shared_with_host, cudaDevAttrIntegrated, 0),
        "reading whether the GPU is integrated");
  const std::size_t memory = device().memory_bytes;
  if (shared_with_host != 0 || bytes + memory / 10 > memory / 4 * 3) trial.skip(*reason);
  trial.unavailable(
      fmt::format("{}: {}; `nvidia-smi` shows who uses this GPU", *reason, result::no_room_left));
}

}  // namespace gpugauge::bench::cuda

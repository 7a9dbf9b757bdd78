// A machine with two GPUs, and what was kept of them.
#pragma once

#include <string>
#include <vector>

#include "judge/standing.hpp"

namespace gpugauge::judge {

inline constexpr double noon = 1768478400;  // 2026-01-15T12:00:00Z
inline const SeenGpu first_gpu{"0000:01:00.0", "GPU-11111111-0000", "NVIDIA H200"};
inline const SeenGpu second_gpu{"0000:02:00.0", "GPU-22222222-0000", "NVIDIA H200"};

inline Present two_gpus() {
  Present out;
  out.boot_id = "boot";
  out.unix_seconds = noon;
  out.nvidia = out.gpus_listed = true;
  out.gpus = {first_gpu, second_gpu};
  out.driver_version = "580.65.06";
  return out;
}

inline StoredVerdict verdict_of(const SeenGpu& gpu, int index, ExitCode code = ExitCode::pass) {
  StoredVerdict out;
  out.device = gpu.uuid;
  out.label = "GPU " + std::to_string(index);
  out.index = index;
  out.address = gpu.address;
  out.boot_id = "boot";
  out.finished = "2026-01-15T09:00:00.000Z";
  out.profile = "standard";
  out.word = code == ExitCode::pass ? "pass" : code == ExitCode::regressed ? "regressed" : "cannot judge";
  out.outcome = {code, out.word + ": of a test"};
  out.driver_version = "580.65.06";
  out.gpus = {first_gpu, second_gpu};
  return out;
}

inline std::vector<Kept> all_pass() {
  return {{verdict_of(first_gpu, 0), {}}, {verdict_of(second_gpu, 1), {}}};
}

}  // namespace gpugauge::judge

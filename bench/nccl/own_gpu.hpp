// Which of a node's GPUs a rank takes. Pure.
#pragma once

#include <optional>
#include <string>

namespace gpugauge::bench::nccl {

/// Returns what CUDA_VISIBLE_DEVICES must be for the rank with this number on its node: one of the GPUs that
/// `visible` (its value so far; nullopt = not set, all are visible) names, by number or UUID. nullopt: it
/// stays as it is, because a launcher showed this rank one GPU or none, or the list has fewer than the number.
/// Two ranks of a node then have one GPU, which ranks::disagreement() reports.
std::optional<std::string> own_gpu(const std::optional<std::string>& visible, int local_rank);

}  // namespace gpugauge::bench::nccl

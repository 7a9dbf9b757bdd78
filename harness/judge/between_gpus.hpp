// Checks between the GPUs of one machine that need no history: link limits, pairs against each other, and the
// transport that NCCL chose.
#pragma once

#include <vector>

#include "judge/collect.hpp"
#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Judges each judged metric of the classes p2p and coll_large in bytes per second:
/// - Against the slower of the links that telemetry saw at the two ends (for a collective, at all GPUs): the
///   sum of its NVLinks at NVML's speed, else PCI Express. An all-reduce through NVSwitches may reach twice
///   that: with NVLS the switches add, and busbw counts bytes that were never sent. A higher value means that
///   another path was used, and is advisory. Less than 40% through NVSwitches is inconclusive and counted
///   (for collectives, only at 256 MiB).
///   Copies both ways at once are held against both directions.
/// - Against the other pairs of the same benchmark, where both have NVLinks to switches: less than 80% of what
///   the better quarter reaches is inconclusive and counted. Less than 60% in every process has failed, and so
///   has a pair without peer access.
/// - A pair on PCI Express is inconclusive and counted where one direction has less than half of the other.
/// Also returns "nccl/transport", failed, where collectives of one machine go through sockets, or through
/// host memory or a network card although every GPU has NVLinks to switches. Returns "links/nvlinks", failed,
/// where one GPU has fewer NVLinks up than another on the same switches; inconclusive and counted where all
/// have fewer than their model, or some are down and the model's number is not known.
std::vector<Verdict> judge_between_gpus(const Collected& collected, const result::Run& run);

}  // namespace gpugauge::judge

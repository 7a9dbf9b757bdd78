// What needs no history between the GPUs of one machine: what their links can do, pairs beside each other,
// and which way NCCL took.
#pragma once

#include <vector>

#include "judge/collect.hpp"
#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// Of every judged metric of the classes p2p and coll_large in bytes a second, a verdict:
/// - against the slower of the ways that telemetry saw at the two ends (for a collective, at all GPUs): their
///   NVLinks together, as NVML gives their speed, else PCI Express. An all-reduce may come to twice that:
///   with NVLS the switches add, and busbw counts what was never sent. More says that the way was another
///   one, and is not counted; less than 40% through NVSwitches is inconclusive and counted (of collectives
///   that of 256 MiB).
/// - beside the other pairs, where both have NVLinks to switches: less than 80% of what the better quarter of
///   them reach is inconclusive and counted, less than 60% in every process has failed, and so has a pair
///   without peer access;
/// - inconclusive and counted, where a pair on PCI Express has less than half in one direction of what it has
///   in the other.
/// And "nccl/transport", failed, where collectives of one machine go through sockets, or through the host's
/// memory or a network card although every GPU has NVLinks to switches; "links/nvlinks", failed, where one
/// GPU has fewer of them up than another on the same switches.
std::vector<Verdict> judge_between_gpus(const Collected& collected, const result::Run& run);

}  // namespace gpugauge::judge

// What a text tells beside its single lines: sentences of a person, variables of a shell, tables of a tool.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/observation.hpp"

namespace gpugauge::diagnose {

using TextLineList = std::vector<std::string>;  ///< lines of a text, in their order

/// The sentences of a person among the lines: of four words or more, two thirds of them plain words, and one of them such
/// as "the" and "when". In the first line, a title, half are enough, and none need be such. What a program logs (a level, a time, a warning) is none.
TextLineList sentences_of(const TextLineList& lines);

/// What a person complains of, as figures of the application with the sentence as their note: at most one that is slower
/// and one that hangs. What may, might or would be slow is no complaint.
std::vector<Metric> complaints_of(const TextLineList& sentences);

/// What a person says was tried, with its outcome: "Setting NCCL_P2P_DISABLE=1 resolves it" is a change_setting that
/// recovers, "X=1 did not help" one with no_change. Questions and advice ("try", "should", "might") are none.
std::vector<Probe> tried_of(const TextLineList& sentences);

/// Variables of the GPU's stack that a line sets: "export NAME=VALUE", "NAME=VALUE command", "-x NAME=VALUE", "-e
/// NAME=VALUE", "ENV NAME=VALUE", and "NAME set by environment to VALUE" of NCCL.
std::map<std::string, std::string> variables_of(const TextLineList& lines);

/// What NVIDIA's p2pBandwidthLatencyTest printed, as a figure of class p2p: how much slower copies between GPUs are with
/// peer access than without, or a failure where a write to a peer takes longer than a millisecond. nullopt where a matrix
/// that this takes is missing or has no two GPUs.
std::optional<Metric> peer_matrix_of(const TextLineList& lines);

/// The GPU that the lines name, where they name one model only: "GeForce GTX 1650". "" where they name none or several.
std::string gpu_of(const TextLineList& lines);

/// Versions that a person says changed, or compares: "since the driver went from 535 to 550", "slower in torch 2.5.1
/// compared to 2.3.1". Only sentences count that name one component and two
/// versions, or compare ("than") two versions of each component that they name.
std::map<std::string, Change> changes_of(const TextLineList& sentences);

/// Adds the versions and architectures that nvidia-smi, deviceQuery and PyTorch print among the lines of the log. What
/// the observation has already stays.
void add_printed_facts(Observation& seen);

/// Adds what somebody says was tried and changed to an observation. What the observation has already stays.
void read_words(const std::string& says, Observation& seen);

/// Adds all of it to an observation that holds the lines as its log: what was tried and changed where something is wrong,
/// and variables that hide no GPU and no library only where work is slow or fails, a start left aside. What the observation has already stays.
void read_log(Observation& seen);

}  // namespace gpugauge::diagnose

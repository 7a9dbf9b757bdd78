// Finds which compared devices share a machine, and how sentences count them: "12 GPUs on 3 nodes" are not 12
// nodes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/peer_group.hpp"

namespace gpugauge::judge {

/// Returns a machine number for each device; nullopt if nothing identifies its machine. Machines are
/// identified by name (PeerRound::host) if known. Otherwise rounds of one boot, and rounds of one device,
/// belong to one machine.
std::vector<std::optional<std::size_t>> machines_of(const std::vector<PeerRounds>& devices);

/// The same for rounds, by boot and device only. nullopt for a device without a known boot.
std::vector<std::optional<std::size_t>> machines_by_boot(const std::vector<PeerRound>& rounds);

/// The name of a device's machine; "" if none of its rounds has one.
std::string host_of(const PeerRounds& device);

/// The number of compared devices and their machines, with the nouns for sentences.
struct DeviceCount {
  /// Compared devices.
  std::size_t devices = 0;
  /// Machines that hold them; 0 unless known for every device.
  std::size_t machines = 0;
  std::string_view one = "node";    ///< "GPU" if a machine holds several, or may
  std::string_view many = "nodes";  ///< plural of `one`

  /// `one` for 1, else `many`.
  std::string_view noun(std::size_t number) const { return number == 1 ? one : many; }
  bool shared() const { return machines > 0 && machines < devices; }  ///< whether some machine holds several
};
/// Counts the devices and their machines.
DeviceCount count_of(const std::vector<PeerRounds>& devices);

/// "12 nodes", "12 GPUs on 3 nodes", "12 GPUs".
std::string in_words(const DeviceCount& count);

}  // namespace gpugauge::judge

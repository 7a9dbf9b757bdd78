// Which of the compared devices sit in one machine, and how they are counted in sentences: "12 GPUs on 3
// nodes" are not 12 nodes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/peer_group.hpp"

namespace gpugauge::judge {

/// A number for the machine of each of these; nullopt where nothing tells. Machines are told apart by name
/// (PeerRound::host), where it is known; else rounds of one boot, and rounds of one device, are of one
/// machine.
std::vector<std::optional<std::size_t>> machines_of(const std::vector<PeerRounds>& devices);

/// The same of rounds, by boot and device alone. nullopt for a device whose boots are all unknown.
std::vector<std::optional<std::size_t>> machines_by_boot(const std::vector<PeerRound>& rounds);

/// The name of a device's machine; "" where no round of it has one.
std::string host_of(const PeerRounds& device);

/// How compared devices are counted.
struct DeviceCount {
  /// That are compared.
  std::size_t devices = 0;
  /// Machines that hold them; 0 where it is not known of each of them.
  std::size_t machines = 0;
  std::string_view one = "node";    ///< "GPU" where a machine holds several of them, or may
  std::string_view many = "nodes";  ///< of `one`

  /// `one` for 1, else `many`.
  std::string_view noun(std::size_t number) const { return number == 1 ? one : many; }
  bool shared() const { return machines > 0 && machines < devices; }  ///< some machine holds several
};
/// Counts them, and the machines that hold them.
DeviceCount count_of(const std::vector<PeerRounds>& devices);

/// "12 nodes", "12 GPUs on 3 nodes", "12 GPUs".
std::string in_words(const DeviceCount& count);

}  // namespace gpugauge::judge

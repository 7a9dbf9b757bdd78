// Parses NCCL's own log (NCCL_DEBUG=INFO). The log is for people and changes with versions. Unknown lines are
// ignored, and what was not found stays empty.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpugauge::bench::nccl {

/// Algorithm and protocol that NCCL chose for one size.
struct Choice {
  std::string collective;  ///< "AllReduce"; "" where old versions do not say
  std::uint64_t bytes = 0;
  std::string algorithm;  ///< lower case: tree ring collnet_direct collnet_chain nvls nvls_tree pat symmetric
  std::string protocol;   ///< lower case: ll ll128 simple
  std::string channels;   ///< "0..23" or ""
};

struct Log {
  std::string version;  ///< "2.28.9+cuda13.0"
  std::map<std::string, int>
      paths;  ///< "P2P/CUMEM", "SHM/direct/direct", "NET/IB/GDRDMA" -> lines that say so
  std::optional<int> collective_channels;
  std::optional<int> nvls_channels;
  std::string network;  ///< "IB", "Socket", a plugin's name
  std::string plugin;   ///< of the network: its name, "none", or "" where the log does not say
  std::vector<Choice> choices;
  std::vector<std::string> warnings;  ///< NCCL WARN lines, without host and process
  /// NCCL INFO lines that tell why NCCL goes the way it does, each once and without host and process: its
  /// network plugin, libibverbs, InfiniBand, GPU Direct RDMA, peer access, and variables that it follows. Few
  /// of each kind.
  std::vector<std::string> reasons;
};

Log parse_log(const std::string& text);

/// Lines of the log as one text for a note, with " | " between them (result::nccl_lines takes it apart). Each
/// once; `most` of them, and of a long one the beginning and the end.
std::string in_one(const std::vector<std::string>& lines, std::size_t most);

/// "p2p", "shm", "ib", "net" (a plugin's) or "socket": the slowest kind of path in use, which bounds a ring;
/// "" when there is none. The words are those of the observation's nccl.transport.
std::string transport_of(const Log& log);

}  // namespace gpugauge::bench::nccl

// The place where ranks meet: a TCP port of rank 0's node.
#pragma once

#include <string>

#include "support/ranks/launch.hpp"
#include "support/ranks/wire.hpp"

namespace gpugauge::bench::ranks {

/// Raises this process's limit of open files, as far as it may, so that it can hold this many connections.
void allow_connections(int count);

/// Rank 0's listening socket at launch.port, for IPv6 and IPv4. Listens only on the loopback where that is
/// the meeting place, so that no other machine can connect. Throws Parted where the port is taken.
Wire listening(const Launch& launch);

/// A connection to one of rank 0's addresses, in the resolver's order. Closed where none answers; `fault` then
/// says why, as the end of a sentence on the rank. Tries each address for at most 5 s.
Wire connected(const Launch& launch, double deadline, std::string& fault);

}  // namespace gpugauge::bench::ranks

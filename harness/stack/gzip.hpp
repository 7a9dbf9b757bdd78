// Unpacks files that logrotate packed with gzip.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gpugauge::stack {

/// False in a build without zlib, which cannot unpack.
bool can_unpack();

/// The last `limit` bytes of an unpacked gzip file; includes what comes before damage. nullopt if it is no
/// gzip file, or this build cannot unpack.
std::optional<std::string> unpacked(std::string_view packed, std::size_t limit);

}  // namespace gpugauge::stack

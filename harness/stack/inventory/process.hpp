// The files that a running process has mapped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stack/environment.hpp"

namespace gpugauge::stack {

/// A file that is mapped into a process.
struct MappedFile {
  std::string path;      ///< as the process sees it, without " (deleted)"
  bool deleted = false;  ///< the file was removed or replaced after mapping

  bool operator==(const MappedFile&) const = default;  ///< path and `deleted`
};

/// The files in /proc/<pid>/maps, each once, in order.
std::vector<MappedFile> mapped_files(std::string_view maps);

/// Parses NAME=value pairs, each ended by a zero byte.
Environment parse_environ(std::string_view bytes);

}  // namespace gpugauge::stack

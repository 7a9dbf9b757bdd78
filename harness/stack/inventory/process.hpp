// What a running process has mapped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stack/environment.hpp"

namespace gpugauge::stack {

/// A file that is mapped into a process.
struct MappedFile {
  std::string path;      ///< as the process sees it, without " (deleted)"
  bool deleted = false;  ///< the file was removed or replaced since

  bool operator==(const MappedFile&) const = default;  ///< path and whether it is deleted
};

/// The files of /proc/<pid>/maps, each once, in order.
std::vector<MappedFile> mapped_files(std::string_view maps);

/// NAME=value pairs, each ended by a zero.
Environment parse_environ(std::string_view bytes);

}  // namespace gpugauge::stack

// What a running process has mapped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stack/environment.hpp"

namespace gpugauge::stack {

struct MappedFile {
  std::string path;
  bool deleted = false;  ///< the file was removed or replaced since

  bool operator==(const MappedFile&) const = default;
};

/// The files of /proc/<pid>/maps, each once, in order.
std::vector<MappedFile> mapped_files(std::string_view maps);

/// NAME=value pairs, each ended by a zero.
Environment parse_environ(std::string_view bytes);

}  // namespace gpugauge::stack

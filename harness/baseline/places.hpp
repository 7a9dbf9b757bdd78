// Where baselines are looked for, and which of several comes first.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "baseline/baseline.hpp"

namespace gpugauge::baseline {

/// Where baselines are looked for.
struct Place {
  std::string_view name;       ///< "own", "site" or "shipped"
  std::filesystem::path root;  ///< that its baselines lie below
  int depth;                   ///< folders between the root and a baseline
};
/// In the order in which they are preferred. Throws result::FileError where one is a link in the state
/// folder.
std::vector<Place> places();

/// A folder into which no look is possible: baselines may lie there.
struct Closed {
  std::filesystem::path folder;  ///< or a link to one
  std::string fault;             ///< "FOLDER cannot be looked into: REASON"
};
/// What a look for baselines finds, both by name.
struct Found {
  std::vector<std::filesystem::path> folders;  ///< that hold a manifest
  std::vector<Closed> closed;                  ///< of which nobody can tell
};
/// At most `depth` levels below `root`, which need not be there.
Found found_below(const std::filesystem::path& root, int depth);

/// Of one node, by the cards and the host's identity, as far as both sides tell.
bool same_node(const result::Fingerprint& a, const result::Fingerprint& b);

/// True when `a` is to be taken before `b`, which fits as well: what can decide first, the newest then (it
/// was made to be compared with, also where it is provisional and an older one is not), and of two of one
/// second always the same.
bool better(const Manifest& a, const Manifest& b);

}  // namespace gpugauge::baseline

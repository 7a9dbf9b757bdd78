// The places to search for baselines, and the order among several that fit.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "baseline/baseline.hpp"

namespace gpugauge::baseline {

/// A place to search for baselines.
struct Place {
  std::string_view name;       ///< "own", "site" or "shipped"
  std::filesystem::path root;  ///< folder above its baselines
  int depth;                   ///< folder levels from the root to a baseline
};
/// Returns the places in order of preference. Throws result::FileError if one is a link in the state folder.
std::vector<Place> places();

/// A folder that cannot be opened and may hold baselines.
struct Closed {
  std::filesystem::path folder;  ///< or a link to one
  std::string fault;             ///< "FOLDER cannot be looked into: REASON"
};
/// The result of a search for baselines, each list by name.
struct Found {
  std::vector<std::filesystem::path> folders;  ///< folders that hold a manifest
  std::vector<Closed> closed;                  ///< folders whose content is unknown
};
/// Searches at most `depth` levels below `root`, which need not exist.
Found found_below(const std::filesystem::path& root, int depth);

/// Whether both come from one node, by cards and host identity, as far as both sides have these.
bool same_node(const result::Fingerprint& a, const result::Fingerprint& b);

/// True if `a` is preferred to `b` when both fit. First the one with enough rounds to decide, then the
/// newest, then a fixed order for those of one millisecond. The newest is preferred even if it is provisional,
/// because it was made to be compared with.
bool better(const Manifest& a, const Manifest& b);

}  // namespace gpugauge::baseline

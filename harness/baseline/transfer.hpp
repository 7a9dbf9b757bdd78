// A baseline as one file, to carry it from node to node.
#pragma once

#include <filesystem>
#include <string>

#include "baseline/baseline.hpp"

namespace gpugauge::baseline {

/// What a bundle's "schema" must be.
inline constexpr std::string_view bundle_schema = "gpugauge.baseline-bundle/1";

/// The baseline of a folder as one JSON text: manifest, log and runs, byte for byte. Verifies it first.
/// Throws like load.
std::string to_bundle(const std::filesystem::path& folder);

/// Unpacks a bundle to `parent`/`name` (the manifest's own name when empty), verifies it there, and appends
/// who imported it as a candidate. Nothing stays when anything is wrong. Throws result::FormatError for a
/// bundle that is damaged, result::UsageError when the place is taken or the name is none, result::FileError
/// when it cannot be written.
Baseline from_bundle(const std::string& text, const std::string& origin, const std::filesystem::path& parent,
                     const std::string& name, const std::string& reason, const std::string& time);

/// A name of letters, digits, '.', '_' and '-' that begins with a letter or digit: it becomes a folder's
/// name, and is typed as an argument, which a '-' in front would make an option.
bool is_name(std::string_view text);
/// Letters that such a name has at most.
inline constexpr std::size_t longest_name = 120;
/// A name made of what a run says of itself: '_' for what no name may hold, 'x' before what none may
/// begin with; 120 letters at most.
std::string name_from(std::string_view text);

}  // namespace gpugauge::baseline

// Exports a baseline as one file and imports it on another node.
#pragma once

#include <filesystem>
#include <string>

#include "baseline/baseline.hpp"

namespace gpugauge::baseline {

/// Required value of "schema" in a bundle.
inline constexpr std::string_view bundle_schema = "gpugauge.baseline-bundle/1";

/// Verifies the baseline of a folder and returns manifest, log and runs, byte for byte, as one JSON text.
/// Throws like load.
std::string to_bundle(const std::filesystem::path& folder);

/// Unpacks a bundle to `parent`/`name` (the manifest's name if empty), verifies it and logs the import as a
/// candidate. Leaves nothing behind on failure. Throws result::FormatError for a damaged bundle,
/// result::UsageError if the place is taken or the name invalid, result::FileError if it cannot be written.
Baseline from_bundle(const std::string& text, const std::string& origin, const std::filesystem::path& parent,
                     const std::string& name, const std::string& reason, const std::string& time);

/// True for a valid name: letters, digits, '.', '_' and '-', beginning with a letter or digit. It becomes a
/// folder name and an argument, where a leading '-' would make it an option.
bool is_name(std::string_view text);
/// The most letters that such a name has.
inline constexpr std::size_t longest_name = 120;
/// Makes a valid name from a run's text: '_' replaces invalid characters, 'x' is put before an invalid
/// beginning; at most longest_name characters.
std::string name_from(std::string_view text);

}  // namespace gpugauge::baseline

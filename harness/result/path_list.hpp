// Files that list other files: a JSON array of paths.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gpugauge::result {

/// The paths of a list; relative ones start at the list's own folder. nullopt for a text that does not begin
/// with "[". Throws FormatError, naming `list`, for an array that holds anything but paths.
std::optional<std::vector<std::string>> parse_path_list(const std::string& text,
                                                        const std::filesystem::path& list);

}  // namespace gpugauge::result

// Lists of files in a file: a JSON array of paths.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gpugauge::result {

/// The paths of a list, relative ones from the list's own folder; nullopt for a text that begins with
/// anything but "[". Throws FormatError, naming `list`, for an array that holds anything but paths.
std::optional<std::vector<std::string>> parse_path_list(const std::string& text,
                                                        const std::filesystem::path& list);

}  // namespace gpugauge::result

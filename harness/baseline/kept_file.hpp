// Writes files in the state folder without following links there.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "result/file.hpp"

namespace gpugauge::baseline {

/// Throws result::FileError (one sentence) if `place` is a link below the state folder or lies behind one.
/// `place` is a file or folder and need not exist. The state folder itself may be a link; links elsewhere are
/// the user's choice.
void refuse_links_in_state(const std::filesystem::path& place);

/// Calls refuse_links_in_state, then result::write_file. A link created between the two is replaced if it is
/// the file itself, but followed if it is a folder: its creator can write to the state folder anyway.
void keep_file(const std::filesystem::path& file, std::string_view content);
/// The same, unless the existing file is no longer in the state `before`.
void keep_file(const std::filesystem::path& file, std::string_view content,
               const std::optional<result::FileState>& before);

}  // namespace gpugauge::baseline

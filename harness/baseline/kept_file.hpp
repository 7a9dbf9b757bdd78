// What the command keeps in the state folder: it goes through no link there.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "result/file.hpp"

namespace gpugauge::baseline {

/// Throws result::FileError, one sentence, where `place` (a file or folder, which need not be there) is a
/// link below the state folder or lies behind one. The state folder itself may be a link, and elsewhere a
/// link is the user's own.
void refuse_links_in_state(const std::filesystem::path& place);

/// result::write_file after refuse_links_in_state. A link that somebody makes between the two is replaced at
/// the file's own name, and followed in a folder's place: who can do that writes to the state folder anyway.
void keep_file(const std::filesystem::path& file, std::string_view content);
/// The same, unless what lies there is no longer in the state `before`.
void keep_file(const std::filesystem::path& file, std::string_view content,
               const std::optional<result::FileState>& before);

}  // namespace gpugauge::baseline

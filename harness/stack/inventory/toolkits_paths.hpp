// Paths of the inspected machine, as text: what the collectors of toolkits, libraries and frameworks share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stack/environment.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {

std::string parent_of(const std::string& path);     ///< "/usr/lib" -> "/usr"; of "/" it is "/"
std::string file_name_of(const std::string& path);  ///< "/usr/lib/libc.so" -> "libc.so"
std::string join(const std::string& folder, std::string_view name);  ///< with one slash between them
/// "/usr/local/cuda/../x" -> "/usr/local/x"; text only.
std::string normal(const std::string& path);
/// The path itself or below it; text only.
bool within(const std::string& path, const std::string& folder);

/// A path that a user wrote: below "/" a relative one begins at the current folder.
std::string as_given(const Tree& tree, const std::string& path);

bool is_folder(const Tree& tree, const std::string& path);  ///< links followed, below the root
/// Where the symbolic link at this path points to, as an absolute path; "" where it is none.
std::string link_target(const Tree& tree, const std::string& path);
/// The path and each path that its own links lead to, one after the other, at most 40.
std::vector<std::string> link_chain(const Tree& tree, const std::string& path);
/// Entries of a folder whose names begin so, as paths, sorted.
std::vector<std::string> entries(const Tree& tree, const std::string& folder, std::string_view prefix = "");

/// First absolute folder of PATH that holds the name; "" where none does.
std::string find_in_path(const Tree& tree, const Environment& environment, const std::string& name);
/// The entries of a variable that is a search path; empty where it is not set.
std::vector<std::string> folders_of(const Environment& environment, const std::string& variable);

/// One line of foreign text, fit to be shown and stored: control characters and bytes beyond ASCII become
/// '?', what is longer than the limit is cut.
std::string shown(std::string_view text, std::size_t limit = 200);

/// A word of foreign text that looks like a version ("2.8.0+cu128", "1:12.2.0-14"): up to the first character
/// that no version has; "" where nothing is left, or it is longer than 64 characters.
std::string version_word(std::string_view text);

}  // namespace gpugauge::stack

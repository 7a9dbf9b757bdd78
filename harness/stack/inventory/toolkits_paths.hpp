// Paths of the inspected machine as text, shared by the collectors of toolkits, libraries and frameworks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stack/environment.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {

std::string parent_of(const std::string& path);                      ///< "/usr/lib" -> "/usr"; "/" -> "/"
std::string file_name_of(const std::string& path);                   ///< "/usr/lib/libc.so" -> "libc.so"
std::string join(const std::string& folder, std::string_view name);  ///< with one slash between them
/// "/usr/local/cuda/../x" -> "/usr/local/x". Looks at no file.
std::string normal(const std::string& path);
/// True if `path` is `folder` or below it. Looks at no file.
bool within(const std::string& path, const std::string& folder);

/// A path from the user as an absolute path. On the live machine a relative one starts at the current folder.
std::string as_given(const Tree& tree, const std::string& path);

bool is_folder(const Tree& tree, const std::string& path);  ///< links followed, below the root
/// The absolute target of the symbolic link at this path; "" if it is no link.
std::string link_target(const Tree& tree, const std::string& path);
/// The path and each path its own links lead to, in order, at most 40.
std::vector<std::string> link_chain(const Tree& tree, const std::string& path);
/// Paths of a folder's entries whose names begin with `prefix`, sorted.
std::vector<std::string> entries(const Tree& tree, const std::string& folder, std::string_view prefix = "");

/// First absolute folder in PATH that holds the name; "" if none does.
std::string find_in_path(const Tree& tree, const Environment& environment, const std::string& name);
/// The entries of a search path variable; empty if it is not set.
std::vector<std::string> folders_of(const Environment& environment, const std::string& variable);

/// Foreign text as one line for display and storage. Control characters and bytes beyond ASCII become '?';
/// text beyond the limit is cut.
std::string shown(std::string_view text, std::size_t limit = 200);

/// A foreign word that looks like a version ("2.8.0+cu128", "1:12.2.0-14"), cut at the first character that
/// no version has. "" if nothing is left or it exceeds 64 characters.
std::string version_word(std::string_view text);

}  // namespace gpugauge::stack

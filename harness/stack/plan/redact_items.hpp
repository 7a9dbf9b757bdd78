// What an item of the inventory may hold, by its key: where a redaction has to look, and where it must not.
#pragma once

#include <string_view>

namespace gpugauge::stack {

/// Free text, a path or a variable's value: a person or a machine may be named there. What any other item
/// holds is a word of docs/inventory.md, a number, a version or a product's name, which rules and locks read.
bool may_hold_names(std::string_view key);
/// Text that may hold addresses. Elsewhere four numbers are a version (12.8.4.1).
bool may_hold_addresses(std::string_view key);
/// The name behind "env." or "process.env."; "" where the key is of no variable.
std::string_view variable_of(std::string_view key);
/// The value is one path where it begins with '/', blanks included.
bool is_one_path(std::string_view key);
/// The value is paths joined by ':', blanks included, where it begins with '/'.
bool is_list_of_paths(std::string_view key);

/// A login or host name that names nobody ("ubuntu", "nvidia"): it is part of systems, packages and paths, of
/// settings that rules read, or of placeholders.
bool names_nobody(std::string_view name);

}  // namespace gpugauge::stack

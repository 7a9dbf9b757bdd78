// What an inventory item may hold, by its key: where redaction must look, and where it must not.
#pragma once

#include <string_view>

namespace gpugauge::stack {

/// True for free text, a path or a variable's value, which may name a person or machine. Other items hold a
/// word of docs/inventory.md, a number, a version or a product's name; rules and locks read those.
bool may_hold_names(std::string_view key);
/// True for text that may hold addresses. Elsewhere four numbers are a version (12.8.4.1).
bool may_hold_addresses(std::string_view key);
/// The name after "env." or "process.env."; "" if the key is no variable's.
std::string_view variable_of(std::string_view key);
/// True if a value that begins with '/' is one path, including blanks.
bool is_one_path(std::string_view key);
/// True if a value that begins with '/' is a list of paths joined by ':', including blanks.
bool is_list_of_paths(std::string_view key);

/// True for a generic login or host name ("ubuntu", "nvidia"). Names of systems, packages and paths, settings
/// that rules read, and placeholders contain it.
bool names_nobody(std::string_view name);

}  // namespace gpugauge::stack

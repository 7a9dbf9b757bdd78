// Passwords and keys in what a machine tells of its settings: withheld wherever it is kept or shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gpugauge::stack {

/// How far a URL's user, password, host and port go that begin at `start`, behind "://". A password may hold
/// what ends a URL in a sentence (',', ';', quotes, brackets): where an '@' follows before a path, a blank or
/// a double quote, it belongs to them.
std::size_t end_of_authority(std::string_view text, std::size_t start);

/// A text without the "name:word@" of its URLs, and without the values of their parameters that are called
/// like secrets ("?token=..."): "withheld" stands there.
std::string without_credentials(std::string_view text);

/// A variable that may be a secret by its name (NVIDIA_API_KEY).
bool may_be_secret(std::string_view variable);

/// Words NAME=value between blanks, a value with blanks in double quotes: a boot command line, or the
/// settings of a file. Without the values of options that are called like secrets, and of URLs as above.
std::string words_without_credentials(std::string_view words);

}  // namespace gpugauge::stack

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

/// A variable, a setting, a boot option or a URL's parameter that may be a secret by its name
/// (NVIDIA_API_KEY, systemd.set_credential).
bool may_be_secret(std::string_view name);

/// What stands in place of the value of a variable that may be a secret.
inline constexpr const char* withheld_value = "set, value withheld";

/// Words between blanks, one with blanks in double quotes: a command line, the settings of a file, a
/// variable's value, a program's last sentence. Without what follows NAME= where a NAME is called like a
/// secret, each one of a word ("systemd.setenv=API_TOKEN=..."), but the version of a package
/// ("tokenizers==0.13.3"); without "name:word@" of a host that has no scheme in front, and without what URLs
/// lose above. A word that begins with '/' is a path: of it only URLs are looked at.
std::string words_without_credentials(std::string_view words);

}  // namespace gpugauge::stack

// Withholds passwords and keys found in a machine's settings, wherever these are kept or shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gpugauge::stack {

/// End of a URL's user, password, host and port, which begin at `start`, after "://". A password may hold
/// characters that end a URL in a sentence (',', ';', quotes, brackets). They belong to it if an '@' follows
/// before a path, a blank or a double quote.
std::size_t end_of_authority(std::string_view text, std::size_t start);

/// Replaces, in a text's URLs, "name:word@" and the values of parameters with secret-like names
/// ("?token=...") by "withheld".
std::string without_credentials(std::string_view text);

/// True if the name of a variable, setting, boot option or URL parameter suggests a secret (NVIDIA_API_KEY,
/// systemd.set_credential).
bool may_be_secret(std::string_view name);

/// Replaces the value of a variable that may be a secret.
inline constexpr const char* withheld_value = "set, value withheld";

/// Removes secrets from words separated by blanks (a word in double quotes may hold blanks): a command line,
/// a file's settings, a variable's value, a program's last sentence. Removes what follows NAME= if NAME
/// suggests a secret, for each NAME in a word ("systemd.setenv=API_TOKEN=..."). Keeps a package's version
/// ("tokenizers==0.13.3"). Removes "name:word@" before a host without a scheme, and what
/// without_credentials() removes. In a word that begins with '/', a path, it treats only URLs.
std::string words_without_credentials(std::string_view words);

}  // namespace gpugauge::stack

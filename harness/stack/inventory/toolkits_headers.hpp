// Parses headers and version files of a toolkit. Pure functions of the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpugauge::stack {

/// The number in "#define NAME 13000"; nullopt if the text defines no such name or no number.
std::optional<int> defined_number(std::string_view text, std::string_view name);

/// "CUDA Version 10.1.243" -> "10.1.243"; "" if it is no version.txt of a toolkit.
std::string version_in_txt(std::string_view text);

/// The release in a version.json: "12.8.1". Early files have a date as third part ("11.4.20210623"), which is
/// dropped. "" if there is no release or no JSON.
std::string version_in_json(const std::string& text);

/// Newest major versions that crt/host_config.h accepts.
struct HostCompilerLimits {
  std::optional<int> gcc;    ///< 12 accepts every 12.x; absent if the header sets no limit
  std::optional<int> clang;  ///< as gcc
};
/// Parses the header's text. The first condition on a compiler's version counts.
HostCompilerLimits limits_in_host_config(std::string_view text);

}  // namespace gpugauge::stack

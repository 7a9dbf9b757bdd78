// What the headers and version files of a toolkit state. Pure functions of their text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpugauge::stack {

/// The number that "#define NAME 13000" gives a name; nullopt where the text defines none, or no number.
std::optional<int> defined_number(std::string_view text, std::string_view name);

/// "CUDA Version 10.1.243" -> "10.1.243"; "" where it is no version.txt of a toolkit.
std::string version_in_txt(std::string_view text);

/// The release that a version.json states: "12.8.1". Early ones state a date as the third part
/// ("11.4.20210623"), which is left out. "" where it states none or is no JSON.
std::string version_in_json(const std::string& text);

/// Newest major versions that crt/host_config.h lets pass.
struct HostCompilerLimits {
  std::optional<int> gcc;    ///< 12 passes every 12.x; absent where the header names no limit
  std::optional<int> clang;  ///< likewise
};
/// Of the header's text; the first condition on a compiler's version counts.
HostCompilerLimits limits_in_host_config(std::string_view text);

}  // namespace gpugauge::stack

// Checks whether a file can be executed on this machine, before we try.
#pragma once

#include <filesystem>
#include <string>

namespace gpugauge::run {

/// "" when the file can be executed here, else why not, as the end of a sentence ("is not executable; ...").
/// We check first because execvp hands a file of unknown format to /bin/sh, which would run a foreign binary
/// as a shell script.
std::string why_not_executable(const std::filesystem::path& file);

}  // namespace gpugauge::run

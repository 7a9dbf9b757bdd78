// What is wrong with a command line, in our words.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace gpugauge::cli {

/// One sentence, without an end of line, on why `words` (the command's own name first) could not be parsed:
/// what, where, and where to look. `error` is CLI11's; what it says in its own words is said in ours.
std::string usage_fault(const CLI::App& app, const CLI::Error& error, const std::vector<std::string>& words);

/// One sentence on the first option that was given an empty value, as a variable that is not set leaves it:
/// it would be taken for an option that was not given. "" where there is none.
std::string empty_value(const CLI::App& app);

}  // namespace gpugauge::cli

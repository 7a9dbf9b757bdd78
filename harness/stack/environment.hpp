// Environment variables as a value that tests can build.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result/samples.hpp"

namespace gpugauge::stack {

/// Variables by name.
using Environment = std::map<std::string, std::string>;

/// This process's environment.
Environment current_environment();

/// nullopt if it is not set; "" if it is set to nothing.
std::optional<std::string> value_of(const Environment& environment, const std::string& name);

/// The relative entries of a search path ("/a::b"), as written: "" for an empty one, "b" for a relative one.
/// They lead into the reader's working folder. Empty for "", and without the loader's $ORIGIN. `separators`:
/// characters that end an entry; the loader accepts both defaults.
std::vector<std::string> relative_entries(std::string_view list, std::string_view separators = ":;");

/// Removes those entries from this process's own PYTHONPATH; true if there was one. Otherwise a Python we
/// start could run modules of the working folder before its first line. Call only while no other thread runs.
bool drop_relative_python_path();

/// Variables that change how CUDA, its libraries, OpenMP or the loader behave, as env.NAME. Run files are
/// shared: a value that may be a secret (NVIDIA_API_KEY) is recorded as "set, value withheld". Others pass
/// through words_without_credentials().
result::Facts environment_facts(const Environment& environment);

/// environment_facts() and more variables that matter for a broken stack: those of frameworks, and those that
/// select a toolkit, a Python environment or a network. Secrets are withheld as above.
result::Facts environment_of_stack(const Environment& environment);

}  // namespace gpugauge::stack

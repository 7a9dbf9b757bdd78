// Environment variables, as a value that tests can make.
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

/// This process's own.
Environment current_environment();

/// nullopt where it is not set; "" where it is set to nothing.
std::optional<std::string> value_of(const Environment& environment, const std::string& name);

/// The entries of a search path ("/a::b") that lead into whatever folder the reader works in, as they are
/// written: "" for an empty one, "b" for a relative one. None for "", and none of the loader's $ORIGIN.
/// `separators`: characters that end an entry; the loader takes both of these.
std::vector<std::string> relative_entries(std::string_view list, std::string_view separators = ":;");

/// Takes those entries out of this process's own PYTHONPATH; true where there was one. A Python that is
/// started would run modules of the working folder, even before its first line. While no other thread runs.
bool drop_relative_python_path();

/// Those that change how CUDA, its libraries, OpenMP or the loader behave, as env.NAME. A value that may be a
/// secret (NVIDIA_API_KEY) is recorded as "set, value withheld", and others go words_without_credentials():
/// run files are shared.
result::Facts environment_facts(const Environment& environment);

/// These and what else a user should see beside a broken stack: frameworks' variables, the ones that choose a
/// toolkit, a Python environment or a network. As env.NAME, secrets withheld as above.
result::Facts environment_of_stack(const Environment& environment);

}  // namespace gpugauge::stack

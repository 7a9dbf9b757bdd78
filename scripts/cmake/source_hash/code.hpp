// What of a C++ or CUDA source is compiled, and which other sources it brings in.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::source_hash {

/// Returns the text without what a compiler ignores: comments, and blanks that separate no tokens. The lines of preprocessor
/// directives stay lines. Strings, characters and raw strings stay as they are. Text that ends within one of
/// them, or within a comment, is taken as it stands up to its end.
std::string code_of(std::string_view text);

/// Names of the "quoted" includes of a text, in their order.
std::vector<std::string> includes_of(std::string_view text);

/// Files by their absolute paths, with their contents.
using Files = std::map<std::filesystem::path, std::string>;

/// Returns those of `shared` that `sources` use: the headers that they include, directly or not, and the sources behind these.
///
/// A shared source (.cpp, .cu) lies behind the header of its name (.hpp, .cuh). One that has no such header
/// lies behind every header of its own folder that it includes: describe.cpp defines what family.hpp declares.
/// Includes are looked for beside the file, then in `roots` in their order.
std::set<std::filesystem::path> used_of(const Files& sources, const Files& shared,
                                        const std::vector<std::filesystem::path>& roots);

}  // namespace gpugauge::source_hash

// Which files a command line names: what is read, and what is written. No output may be one of its inputs.
#pragma once

#include <CLI/CLI.hpp>

namespace gpugauge::cli {

/// How much an option's value stands for.
enum class Reads {
  file,      ///< the file of that name
  runs,      ///< the same; of a folder or pattern each *.json that it stands for, but those that are no run
  baseline,  ///< a baseline, by name or as a folder: all files in it
};

/// Declares what is read, and the value's name in help. An option with the name of a file has one of these
/// two (structure.py looks).
CLI::Option* reads(CLI::Option* option, const char* value_name, Reads how = Reads::file);

/// Whether "-" is standard output, or refused.
enum class Dash { refused, standard_output };

/// Declares what is written: a file or a folder; behind the '=' where `value_name` is "KIND=FILE" or the
/// like.
CLI::Option* writes(CLI::Option* option, const char* value_name, Dash dash = Dash::refused);

/// Refuses (result::UsageError, one sentence with both) an output of the commands that were chosen below
/// `app` which is one of the files that they read, by whatever name: also the store and what the state folder
/// holds beside runs, whether or not they were named; further two outputs that are one file, and "-" where
/// nothing is written to standard output. Throws result::FileError for an output that cannot be written, as
/// result::require_place_to_write sees it. To be called before anything is done.
void keep_apart(const CLI::App& app);

}  // namespace gpugauge::cli

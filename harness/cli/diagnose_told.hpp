// What a person tells of a machine, as an observation: a file, logs, words, and what can be seen here.
#pragma once

#include <string>
#include <vector>

#include "diagnose/observation.hpp"

namespace gpugauge::cli {

/// Where it is told; at least one of the first three is given.
struct ToldArguments {
  std::string file;               ///< an observation; "-" standard input; "" for none
  std::vector<std::string> logs;  ///< files of any text; "-" standard input
  std::string says;               ///< what is wrong, in words
  bool here = false;              ///< add what is known of this machine without measuring
};

/// What was read.
struct Told {
  diagnose::Observation seen;  ///< all of it together
  bool by_a_person = false;  ///< a log or words were given, or the file is no observation of our own commands
};

/// Reads all of it. Throws result::UsageError where nothing is told or standard input is named twice, and FileError
/// and FormatError of the files.
Told read_told(const ToldArguments& arguments);

}  // namespace gpugauge::cli

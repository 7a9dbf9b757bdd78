// Figures, versions and failures that stand only in texts: in log lines, messages, notes and settings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {

/// Calls `read` with each text: log lines, messages of errors, notes of figures, and settings as "name = value",
/// with "." and "_" of the name as blanks.
template <typename Read>
void for_each_text(const Seen& seen, const Read& read) {
  for (const std::string& line : seen.it().log) read(line);
  for (const ErrorSeen& error : seen.it().errors) read(error.text);
  for (const Metric& metric : seen.it().metrics) read(metric.note);
  for (const auto& [key, value] : seen.it().settings) {
    std::string name = key;
    for (char& c : name)
      if (c == '_' || c == '.') c = ' ';
    read(name + " = " + value.text());
  }
}

/// The first number behind one of the names in a text, between `least` and `most`; words between name and number
/// other than "is", "of", "at" and the like belong to something else. Clauses with one of `unless` count not.
std::optional<double> told_number(std::string_view text, Words names, double least, double most,
                                  Words unless = {});

/// It does not run: a figure says so, an error of CUDA, NVML or the loader, or a note.
Fact stopped(const Seen& seen);
/// A figure of the unit "error", or a note, tells this number of CUDA's errors.
Fact told_error(const Seen& seen, int code);
/// A power supply of the machine failed or lost its input.
Fact supply_failed(const Seen& seen);
/// The temperature of the GPU in a note is at least this, in degrees Celsius.
Fact told_hot(const Seen& seen, double least);
/// The temperature of the memory in a text is at least this, in degrees Celsius.
Fact told_memory_hot(const Seen& seen, double least);
/// The power limit that nvidia-smi prints is below the default that it prints.
Fact printed_limit_lowered(const Seen& seen);
/// The CUDA that nvidia-smi prints is of an older major version than a build that is named ("cu124").
Fact told_runtime_newer(const Seen& seen);
/// The CUDA compiler's version, in a text; "" where none is told.
std::string told_toolkit(const Seen& seen);
/// Lines of a log give the rates of one work at three sizes or more, and one is far below its neighbours.
Fact one_size_slow(const Seen& seen);
/// Lines of a profile give the times of operations before and after a change of version, and only some are longer.
Fact some_operations_longer(const Seen& seen);

}  // namespace gpugauge::diagnose

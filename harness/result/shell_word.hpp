// Values of files within commands that the reader is told to type.
#pragma once

#include <string>

namespace gpugauge::result {

/// One word of a shell's command that stands for `text`, whatever that holds: as it is where a shell leaves
/// it alone, else between quotes. Each value that is put into a suggested command goes through it.
std::string shell_word(const std::string& text);

}  // namespace gpugauge::result

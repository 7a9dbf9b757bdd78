// For those who read thousands of run files.
#pragma once

#include <string>

#include "result/run_file.hpp"

namespace gpugauge::result {

/// parse_run into a run that is used for one file after another: nothing of what it held before is left, but
/// its room. After an exception it holds anything, and may be read into again.
void parse_run(const std::string& text, const std::string& origin, Detail detail, Run& run);

}  // namespace gpugauge::result

// For callers that read thousands of run files.
#pragma once

#include <string>

#include "result/run_file.hpp"

namespace gpugauge::result {

/// As parse_run, into a run reused for one file after another. Nothing of its old content stays but its
/// capacity. After an exception its content is unspecified, and it may be reused.
void parse_run(const std::string& text, const std::string& origin, Detail detail, Run& run);

}  // namespace gpugauge::result

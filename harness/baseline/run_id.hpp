// The format of a run id, which becomes part of a path.
#pragma once

#include <string_view>

namespace gpugauge::baseline {

/// True for 26 digits and capital letters (a ULID), which cannot lead out of a folder.
bool is_run_id(std::string_view text);

}  // namespace gpugauge::baseline

// What a child of this command writes for it: lines on a standard output that is its own alone.
#pragma once

#include <string>

namespace gpugauge::stack {

/// Standard output, taken away from everybody else: a driver that prints there must not garble what is
/// written to the descriptor returned.
int take_standard_output();

/// Writes the line and its end at once; false when nobody reads any more.
bool write_line(int output, std::string line);

}  // namespace gpugauge::stack

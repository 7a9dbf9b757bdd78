// Output of a child of this command: lines on a standard output that only it can write.
#pragma once

#include <string>

namespace gpugauge::stack {

/// Takes standard output away from everything else in this process and returns a descriptor for it. A driver
/// that prints to standard output then cannot garble what we write.
int take_standard_output();

/// Writes the line and its end in one call; false if nobody reads any more.
bool write_line(int output, std::string line);

}  // namespace gpugauge::stack

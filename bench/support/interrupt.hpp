// SIGINT and SIGTERM end a family between two batches, so that what was measured is still written.
#pragma once

#include <string>

namespace gpugauge::bench {

/// From now on SIGINT and SIGTERM only set a flag; a second one ends the process at once.
void catch_interrupts();
/// True once such a signal arrived.
bool interrupted();
/// "signal 15 (SIGTERM) ended the process", once interrupted() holds.
std::string interruption();

/// Kills this process when its parent ends. Returns false when the parent is not `parent_pid` any more.
bool die_with_parent(int parent_pid);

}  // namespace gpugauge::bench

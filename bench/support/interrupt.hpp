// SIGINT and SIGTERM end a family between two batches, so that what was measured is still written.
#pragma once

#include <string>

#include "result/process_limits.hpp"

namespace gpugauge::bench {

/// Installs handlers for SIGINT and SIGTERM that only set a flag; a second signal ends the process at once.
void catch_interrupts();
/// True once such a signal arrived.
bool interrupted();
/// How long an operation that is on its way may still take after such a signal, in seconds. What is kept then
/// must be kept before the command kills the process.
inline constexpr double interrupt_patience_seconds = result::grace_seconds / 4;
/// True once such a signal arrived interrupt_patience_seconds ago.
bool interrupted_for_long();
/// Returns for example "signal 15 (SIGTERM) ended the process". Valid once interrupted() is true.
std::string interruption();

/// Makes the kernel kill this process when its parent ends. Returns false when the parent is no longer
/// `parent_pid`.
bool die_with_parent(int parent_pid);

}  // namespace gpugauge::bench

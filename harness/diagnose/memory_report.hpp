// Reads what an out-of-memory message says about the device's memory.
#pragma once

#include <optional>
#include <string>

namespace gpugauge::diagnose {

/// Device memory according to one message, in MiB.
struct MemoryReport {
  double total_mib = 0;  ///< > 0
  double free_mib = 0;   ///< >= 0
  double own_mib = 0;    ///< held by this process, >= 0
  double asked_mib = 0;  ///< that could not be had; 0 where the message does not say
};

/// Reads PyTorch's sentences ("7.92 GiB total capacity; ... already allocated; ... free; ... reserved" and
/// "has a total capacity of ... of which ... is free ... this process has ..."). nullopt where any of the
/// three values is missing.
std::optional<MemoryReport> memory_report(const std::string& text);

}  // namespace gpugauge::diagnose

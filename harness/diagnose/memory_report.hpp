// What an out-of-memory message says about the device's memory.
#pragma once

#include <optional>
#include <string>

namespace gpugauge::diagnose {

/// Device memory as one message tells it, in MiB.
struct MemoryReport {
  double total_mib = 0;  ///< > 0
  double free_mib = 0;   ///< >= 0
  double own_mib = 0;    ///< that this process holds, >= 0
};

/// Reads the sentences of PyTorch ("7.92 GiB total capacity; ... already allocated; ... free; ... reserved"
/// and "has a total capacity of ... of which ... is free ... this process has ..."). nullopt where one of the
/// three is not said.
std::optional<MemoryReport> memory_report(const std::string& text);

}  // namespace gpugauge::diagnose

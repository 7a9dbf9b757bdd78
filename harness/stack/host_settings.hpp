// Settings of the host that decide how fast its processors run.
#pragma once

#include <filesystem>

#include "result/samples.hpp"

namespace gpugauge::stack {

/// host.governor ("performance", or all in use: "performance,powersave"; absent if the kernel scales no
/// frequency), host.cgroup_cpu_limit (processors, "1.5"; "none" if no limit is visible), host.cpus_allowed
/// ("0-3,8", of the calling process), host.numa_nodes (a count). A fact that cannot be read is absent.
result::Facts settings_of_host(const std::filesystem::path& root = "/");

}  // namespace gpugauge::stack

// Shared by the files of the host rules.
#pragma once

#include "stack/rules/support.hpp"

namespace gpugauge::stack {

void check_container(const RuleInput& input, Findings& findings);  ///< image against driver, C library, WSL
void check_limits(const RuleInput& input, Findings& findings);     ///< processors, shared memory
void check_buses(const RuleInput& input, Findings& findings);      ///< IOMMU, ACS
void check_network(const RuleInput& input, Findings& findings);    ///< RDMA: locked memory, GPU memory, ports
void check_ports(const RuleInput& input, Findings& findings);      ///< RDMA ports against their siblings
void check_environment(const RuleInput& input, Findings& findings);  ///< variables that change behaviour
void check_unreadable(const RuleInput& input, Findings& findings);   ///< missing permissions

}  // namespace gpugauge::stack

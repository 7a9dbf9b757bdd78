// The host below the GPUs: processor, memory, system, virtualisation. Facts are always present; "absent" and
// "unreadable" are values.
#pragma once

#include <string>

#include "result/samples.hpp"
#include "stack/environment.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {

/// host.cpu_model, host.cpus (online), host.sockets, host.memory_gib (rounded to whole GiB).
result::Facts device_of_host(const Tree& tree);

/// kernel.version, host.os ("linux", "wsl2"), host.distribution, host.libc ("glibc 2.36", of this process).
result::Facts stack_of_host(const Tree& tree);

/// host.governor, host.cgroup_cpu_limit, host.cpus_allowed, host.transparent_hugepage, host.virtualization,
/// host.container, and env.NAME for each variable that changes behaviour.
result::Facts settings_of_machine(const Tree& tree, const Environment& environment);

/// host.numa_nodes, host.smt, host.l1d, host.l2, host.l3 (size of one cache as the kernel writes it:
/// "2048K").
result::Facts topology_of_host(const Tree& tree);

/// True inside WSL, containers in it included: the kernel is Microsoft's.
bool in_wsl(const Tree& tree);

/// "none" on bare metal; "kvm", "vmware", "hyper-v", "virtualbox", "xen", "amazon", "google", or "hypervisor"
/// for one that does not name itself; "unreadable".
std::string virtualization(const Tree& tree);

}  // namespace gpugauge::stack

// Tells apart hosts of the same model without recording their names.
#pragma once

#include <string>

#include "result/run_file.hpp"
#include "stack/tree.hpp"

namespace gpugauge::conductor {

/// Sets baseline::host_identity_fact: 16 hex digits, the start of a salted SHA-256 of the machine id and the
/// host name. Neither is enough alone: cloned images share an id, and a name may be "localhost". Sets nothing
/// unless `fingerprint` says that this is no container, because a container's names are not the machine's.
/// Sets nothing where either cannot be read.
void add_host_identity(const stack::Tree& tree, result::Fingerprint& fingerprint);

/// The name of the machine whose root `tree` is, or of the container in which the command runs: the kernel's, below
/// another root that of /etc/hostname. For reports; run files hold none. "" where it cannot be read.
std::string node_name(const stack::Tree& tree);

/// The host that a command runs on, as far as it is known.
struct HostHere {
  std::string name;     ///< host name of the machine or container; "" where it cannot be read
  std::string machine;  ///< 16 hex digits, a salted hash of the machine id alone; "" in a container
};
HostHere host_here(const stack::Tree& tree, bool in_container);

}  // namespace gpugauge::conductor

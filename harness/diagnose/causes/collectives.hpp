// Facts that several signatures of collectives use.
#pragma once

#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {

/// A collective or an application is slower or fails.
Fact slow_collective(const Seen& seen);
/// NCCL searched for its network plugin and did not load it.
Fact plugin_not_loaded(const Seen& seen);
/// A library of the fabric has another version than the one the plugin was built for.
Fact plugin_symbols(const Seen& seen);
/// An environment variable takes a transport or path away from NCCL (disabled), only tunes it (tuned), or
/// only picks a card or interface (chosen).
Fact nccl_disabled(const Seen& seen);
Fact nccl_tuned(const Seen& seen);
Fact nccl_chosen(const Seen& seen);
/// The harm goes when GPUDirect RDMA is switched off. So GPUDirect RDMA is in use, and the fault lies between
/// the GPU and the network card.
Fact recovers_without_gdr(const Seen& seen);
/// It is a single machine. NCCL sets up its network there too and logs it, but does not use it.
Fact one_node(const Seen& seen);
/// Copies between devices without NCCL are unchanged.
Fact plain_copies_normal(const Seen& seen);

}  // namespace gpugauge::diagnose

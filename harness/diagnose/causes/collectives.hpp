// What the signatures of collectives ask.
#pragma once

#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {

/// Several GPUs work together and are slow or fail, or a log or the transport tells that they would be.
Fact slow_collective(const Seen& seen);
/// NCCL's network plugin was looked for and not loaded.
Fact plugin_not_loaded(const Seen& seen);
/// A library of the fabric is of another version than the plugin was built for.
Fact plugin_symbols(const Seen& seen);
/// A variable takes a transport or a path away from NCCL; one that only tunes it; one that only picks a card
/// or an interface.
Fact nccl_disabled(const Seen& seen);
Fact nccl_tuned(const Seen& seen);
Fact nccl_chosen(const Seen& seen);
/// With GPUDirect RDMA switched off it recovers: it is in use, and what is between the GPU and the network
/// card is at fault.
Fact recovers_without_gdr(const Seen& seen);
/// Copies between devices without NCCL are as fast as ever.
Fact plain_copies_normal(const Seen& seen);

}  // namespace gpugauge::diagnose

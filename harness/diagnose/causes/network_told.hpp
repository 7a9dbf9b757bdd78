// What logs and reports tell of the network between nodes.
#pragma once

#include "diagnose/causes/collectives.hpp"

namespace gpugauge::diagnose {

/// The kernel killed a part of the job for the host's memory.
Fact killed_for_memory(const Seen& seen);
/// More than one node is known to take part.
bool several_nodes(const Seen& seen);
/// NCCL says that its ranks are on several nodes: "rank 0 nRanks 16 nNodes 2 localRanks 8".
bool nodes_printed(const Seen& seen);
/// A job ended with an error. That there is no library for RDMA, of which NCCL warns, is none.
Fact failure_logged(const Seen& seen);
/// Work of several processes fails or hangs, or its library reported an error. A job that is only slow has met.
Fact job_failed(const Seen& seen);
/// A process failed for a reason of its own: the others then tell of lost connections.
Fact rank_died(const Seen& seen);
/// A rank could not open a connection to another, by the words of NCCL, PyTorch, Gloo or MPI.
Fact ranks_refused(const Seen& seen);
/// No interface could be picked, or the name of a node leads nowhere.
Fact no_interface(const Seen& seen);
/// In a job of several nodes NCCL or Gloo uses an interface that no other machine can reach.
Fact picked_local_interface(const Seen& seen);
/// RDMA between two nodes cannot be set up, or breaks.
Fact queue_failed(const Seen& seen);
/// A completion tells that its queue had failed before.
Fact queue_flushed(const Seen& seen);
/// An RDMA library could not register memory, for want of memory that it may lock.
Fact registration_refused(const Seen& seen);
/// A queue of an RDMA card could not be made for want of memory.
Fact queue_refused(const Seen& seen);
/// The limit of locked memory is named as one.
Fact lock_limit_named(const Seen& seen);
/// The kernel or NCCL says that a network port went down, or that its card's slot is too slow.
Fact port_down_told(const Seen& seen);
/// A tool shows one port at a lower rate than its siblings.
Fact port_rate_told(const Seen& seen);
/// The report tells that several machines work together, in words or options.
Fact nodes_told(const Seen& seen);
/// The log ends with what ends a program: an exception, or what a launcher says of it.
Fact ended_told(const Seen& seen);
/// A tool shows a port that is not active. Machines have ports that are meant to be empty.
Fact port_state_told(const Seen& seen);
/// Another cable, port or card of the network was tried, and the harm went away.
Fact network_part_replaced(const Seen& seen);
/// A setting of the network differs between the two sides.
Fact network_setting_changed(const Seen& seen);
/// The network is slow by itself, without GPUs or a library of collectives.
Fact network_slow_by_itself(const Seen& seen);

}  // namespace gpugauge::diagnose

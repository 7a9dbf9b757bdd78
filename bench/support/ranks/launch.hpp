// Which rank of how many this process is, as the launcher's environment says, and where the ranks meet.
#pragma once

#include <ctime>
#include <optional>
#include <string>

#include "result/launcher.hpp"

namespace gpugauge::bench::ranks {

/// One process among several that a launcher started together.
struct Launch {
  int rank = 0;          ///< 0 <= rank < size
  int size = 1;          ///< >= 2
  int local_rank = 0;    ///< among the ranks of this machine
  std::string launcher;  ///< "Open MPI", "Slurm", ...: for sentences
  std::string host;      ///< where rank 0 listens
  int port = 0;          ///< 1 to 65535
  std::string job;       ///< the same text in all ranks of a job: strangers on the port are told by it
  double patience_seconds = 60;  ///< how long ranks wait for each other
};

using result::Lookup;

/// nullopt for a process that stands alone (also a launcher's only rank). Ranks are read from GPUGAUGE_RANK
/// and GPUGAUGE_RANKS (by hand), Open MPI, Slurm (a step by srun, not a batch script), Hydra and torchrun, in
/// that order. The place is GPUGAUGE_RENDEZVOUS=HOST:PORT, else MASTER_ADDR and MASTER_PORT, else Slurm's
/// first node, else this machine when all ranks are on it and the launcher names the job (Open MPI,
/// torchrun): ranks of two jobs must not meet. GPUGAUGE_RENDEZVOUS_TIMEOUT gives the patience in seconds.
/// Throws result::UsageError for a variable that is no number in range, and when no place is known.
std::optional<Launch> find_launch(const Lookup& lookup = result::from_environment);

/// The first host of Slurm's compressed list: "node[003-007,9],x1" gives "node003". "" for an empty list.
std::string first_host(const std::string& list);

/// A job as a part of a file name: "node7.20260131T120000Z-4711" where the process `pid` of `host` began at
/// `start` (UTC). No two jobs have one, unless a clock was set back.
std::string job_word(const std::string& host, std::time_t start, int pid);

/// A port that all ranks of a job work out alike: 20000 to 29999, below the ports that systems give away.
int port_of(const std::string& job);

}  // namespace gpugauge::bench::ranks

// Which rank of how many this process is, from the launcher's environment, and where the ranks meet.
#pragma once

#include <ctime>
#include <optional>
#include <string>

#include "result/launcher.hpp"

namespace gpugauge::bench::ranks {

/// One process among several that a launcher started together.
struct Launch {
  int rank = 0;                   ///< 0 <= rank < size
  int size = 1;                   ///< >= 2
  std::optional<int> local_rank;  ///< among the ranks of this machine; nullopt if the launcher does not tell
  std::string launcher;           ///< "Open MPI", "Slurm", ...: for sentences
  std::string host;               ///< where rank 0 listens
  int port = 0;                   ///< 1 to 65535
  std::string job;               ///< the same text in all ranks of a job: it identifies strangers on the port
  double patience_seconds = 60;  ///< how long ranks wait for each other
};

using result::Lookup;

/// Returns nullopt for a process that runs alone (also a launcher's only rank). Ranks are read from
/// GPUGAUGE_RANK and GPUGAUGE_RANKS (by hand), Open MPI, Slurm (a step by srun, not a batch script), Hydra
/// and torchrun, in that order. The meeting place is the first of these: GPUGAUGE_RENDEZVOUS=HOST:PORT;
/// MASTER_ADDR and MASTER_PORT; Slurm's first node; this machine. This machine is used only when all ranks
/// are on it and the launcher names the job (Open MPI, torchrun), because ranks of two jobs must not meet.
/// GPUGAUGE_RENDEZVOUS_TIMEOUT sets the patience in seconds. Throws result::UsageError for a variable that is
/// not a number in range, and when no place is known.
std::optional<Launch> find_launch(const Lookup& lookup = result::from_environment);

/// The first host of Slurm's compressed list: "node[003-007,9],x1" gives "node003". "" for an empty list.
std::string first_host(const std::string& list);

/// Formats a job as part of a file name: "node7.20260131T120000Z-4711" where process `pid` of `host` began at
/// `start` (UTC). It is unique per job unless a clock was set back.
std::string job_word(const std::string& host, std::time_t start, int pid);

/// A port that all ranks of a job derive from its name: 20000 to 29999, below the ephemeral ports.
int port_of(const std::string& job);

}  // namespace gpugauge::bench::ranks

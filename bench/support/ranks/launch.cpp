#include "support/ranks/launch.hpp"

#include <cstdint>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "result/error.hpp"

namespace gpugauge::bench::ranks {

namespace {

using result::UsageError;
using result::whole_number;

/// The variable that is the same in all ranks of a job and differs between jobs; nullptr where the launcher
/// has none. A parent's process id does not qualify: a shell may start two jobs, and a wrapper may stand
/// between Hydra and a rank.
const char* job_variable(const std::string& launcher) {
  if (launcher == "Open MPI") return "PMIX_NAMESPACE";
  if (launcher == "Slurm") return "SLURM_JOB_ID";
  if (launcher == "torchrun") return "TORCHELASTIC_RUN_ID";
  return nullptr;
}

// "Open MPI" also sets the address of its own daemon. It is not used, because it is not that of rank 0.
void find_place(const Lookup& lookup, bool one_machine, Launch& launch) {
  if (const auto place = lookup("GPUGAUGE_RENDEZVOUS")) {
    const std::size_t colon = place->rfind(':');
    if (colon == std::string::npos || colon == 0)
      throw UsageError(fmt::format(
          "GPUGAUGE_RENDEZVOUS={}: give HOST:PORT, the node of rank 0 and a free port on it", *place));
    launch.host = place->substr(0, colon);
    launch.port = whole_number("GPUGAUGE_RENDEZVOUS", place->substr(colon + 1), 1, 65'535);
    if (launch.host.size() > 2 && launch.host.front() == '[' && launch.host.back() == ']')
      launch.host = launch.host.substr(1, launch.host.size() - 2);
    return;
  }
  if (const auto host = lookup("MASTER_ADDR"); host && !host->empty()) {
    if (const auto port = whole_number(lookup, "MASTER_PORT", 1, 65'534)) {
      launch.host = *host;
      // torchrun's own store may listen on the port itself.
      launch.port = *port + (launch.launcher == "torchrun" ? 1 : 0);
      return;
    }
  }
  if (launch.launcher == "Slurm") {
    const auto nodes = lookup("SLURM_STEP_NODELIST");
    launch.host = first_host(nodes ? *nodes : lookup("SLURM_JOB_NODELIST").value_or(""));
  } else if (one_machine) {
    launch.host = "127.0.0.1";
  }
  launch.port = port_of(launch.job);
  if (launch.host.empty() || launch.job.empty())
    throw UsageError(
        fmt::format("{} ranks, started by {}, do not know where to meet: set GPUGAUGE_RENDEZVOUS=HOST:PORT "
                    "for all of them, the "
                    "node of rank 0 and a free port on it",
                    launch.size, launch.launcher));
}

}  // namespace

std::string first_host(const std::string& list) {
  const std::size_t bracket = list.find('[');
  const std::size_t comma = list.find(',');
  if (bracket == std::string::npos || comma < bracket) return list.substr(0, comma);
  const std::size_t end = list.find_first_of(",-]", bracket);
  const std::size_t close = list.find(']', bracket);
  if (end == std::string::npos || close == std::string::npos) return "";
  // What follows the brackets, up to the next host, belongs to the name.
  const std::size_t next = list.find(',', close);
  const std::string suffix = list.substr(close + 1, next == std::string::npos ? next : next - close - 1);
  if (suffix.find('[') != std::string::npos) return "";  // more than one range: such lists are not supported
  return list.substr(0, bracket) + list.substr(bracket + 1, end - bracket - 1) + suffix;
}

std::string job_word(const std::string& host, std::time_t start, int pid) {
  return fmt::format("{}.{:%Y%m%dT%H%M%SZ}-{}", result::host_word(host), fmt::gmtime(start), pid);
}

int port_of(const std::string& job) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char byte : job) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  return 20'000 + static_cast<int>((hash ^ (hash >> 32)) % 10'000);
}

std::optional<Launch> find_launch(const Lookup& lookup) {
  const auto rank = result::find_rank_of_several(lookup);
  if (!rank) return std::nullopt;
  Launch launch;
  launch.rank = rank->rank;
  launch.size = rank->size;
  launch.launcher = rank->launcher;
  launch.local_rank = rank->local_rank;
  if (const char* const job = job_variable(launch.launcher)) launch.job = lookup(job).value_or("");
  if (launch.launcher == "Slurm") launch.job += "." + lookup("SLURM_STEP_ID").value_or("");
  find_place(lookup, rank->local_size && *rank->local_size == launch.size, launch);
  if (launch.job.empty()) launch.job = fmt::format("{}:{}", launch.host, launch.port);
  if (const auto patience = whole_number(lookup, "GPUGAUGE_RENDEZVOUS_TIMEOUT", 1, 3600))
    launch.patience_seconds = *patience;
  return launch;
}

}  // namespace gpugauge::bench::ranks

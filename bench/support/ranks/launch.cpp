#include "support/ranks/launch.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>

#include <fmt/format.h>

#include "result/error.hpp"

namespace gpugauge::bench::ranks {

namespace {

using result::UsageError;

/// Variables of one launcher; nullptr where it has none.
struct Names {
  const char* launcher;
  const char* rank;
  const char* size;
  const char* local_rank;
  const char* local_size;
  const char* job;
};

constexpr std::array launchers{
    Names{"hand", "GPUGAUGE_RANK", "GPUGAUGE_RANKS", "GPUGAUGE_LOCAL_RANK", nullptr, nullptr},
    Names{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
          "OMPI_COMM_WORLD_LOCAL_SIZE", "PMIX_NAMESPACE"},
    // SLURM_PROCID alone also stands in a batch script, which is not a rank.
    Names{"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr, "SLURM_JOB_ID"},
    Names{"Hydra", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", nullptr},
    Names{"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "TORCHELASTIC_RUN_ID"},
};

int number(const char* name, const std::string& text, int least, int most) {
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size() || value < least || value > most)
    throw UsageError(fmt::format("{}={}: not a whole number from {} to {}", name, text, least, most));
  return value;
}

std::optional<int> number(const Lookup& lookup, const char* name, int least, int most) {
  if (name == nullptr) return std::nullopt;
  const auto text = lookup(name);
  if (!text) return std::nullopt;
  return number(name, *text, least, most);
}

constexpr int most_ranks = 65'536;

// "Open MPI" also leaves the address of its own daemon, which is not that of rank 0: it is not used.
void find_place(const Lookup& lookup, bool one_machine, Launch& launch) {
  if (const auto place = lookup("GPUGAUGE_RENDEZVOUS")) {
    const std::size_t colon = place->rfind(':');
    if (colon == std::string::npos || colon == 0)
      throw UsageError(fmt::format(
          "GPUGAUGE_RENDEZVOUS={}: give HOST:PORT, the node of rank 0 and a free port on it", *place));
    launch.host = place->substr(0, colon);
    launch.port = number("GPUGAUGE_RENDEZVOUS", place->substr(colon + 1), 1, 65'535);
    if (launch.host.size() > 2 && launch.host.front() == '[' && launch.host.back() == ']')
      launch.host = launch.host.substr(1, launch.host.size() - 2);
    return;
  }
  if (const auto host = lookup("MASTER_ADDR")) {
    if (const auto port = number(lookup, "MASTER_PORT", 1, 65'534)) {
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

std::optional<std::string> from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

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
  if (suffix.find('[') != std::string::npos)
    return "";  // more than one range: not a list that Slurm needs a port for
  return list.substr(0, bracket) + list.substr(bracket + 1, end - bracket - 1) + suffix;
}

int port_of(const std::string& job) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char byte : job) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  return 20'000 + static_cast<int>((hash ^ (hash >> 32)) % 10'000);
}

std::optional<Launch> find_launch(const Lookup& lookup) {
  for (const Names& names : launchers) {
    const auto rank = number(lookup, names.rank, 0, most_ranks - 1);
    const auto size = number(lookup, names.size, 1, most_ranks);
    if (!rank || !size) continue;
    if (*rank >= *size)
      throw UsageError(fmt::format("{}={}: there are {} ranks, numbered from 0", names.rank, *rank, *size));
    if (*size == 1) return std::nullopt;
    Launch launch;
    launch.rank = *rank;
    launch.size = *size;
    launch.launcher = names.launcher;
    launch.local_rank = number(lookup, names.local_rank, 0, most_ranks - 1).value_or(0);
    const auto local_size = number(lookup, names.local_size, 1, most_ranks);
    if (names.job != nullptr) launch.job = lookup(names.job).value_or("");
    if (launch.launcher == "Slurm") launch.job += "." + lookup("SLURM_STEP_ID").value_or("");
    find_place(lookup, local_size && *local_size == *size, launch);
    if (launch.job.empty()) launch.job = fmt::format("{}:{}", launch.host, launch.port);
    if (const auto patience = number(lookup, "GPUGAUGE_RENDEZVOUS_TIMEOUT", 1, 3600))
      launch.patience_seconds = *patience;
    return launch;
  }
  return std::nullopt;
}

}  // namespace gpugauge::bench::ranks

// Finds this process's rank from the variables that launchers set.
#include "result/launcher.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "result/error.hpp"
#include "result/number.hpp"

namespace gpugauge::result {
namespace {

/// A launcher's variables; nullptr for one it does not set.
struct Names {
  const char* launcher;
  const char* rank;
  const char* size;
  const char* local_rank;
  const char* local_size;
  const char* only_with = nullptr;  ///< a variable that only this launcher sets
};

constexpr std::array launchers{
    Names{"hand", "GPUGAUGE_RANK", "GPUGAUGE_RANKS", "GPUGAUGE_LOCAL_RANK", "GPUGAUGE_LOCAL_RANKS"},
    Names{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
          "OMPI_COMM_WORLD_LOCAL_SIZE"},
    // Before Slurm: inside a Slurm step these start ranks of their own, which inherit the step's variables.
    // With some plugins Slurm itself sets PMI_RANK, but not the variables that only Hydra and torchrun set.
    Names{"Hydra", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "MPI_LOCALRANKID"},
    Names{"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "TORCHELASTIC_RUN_ID"},
    // A batch script, which is not a rank, also has SLURM_PROCID.
    Names{"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr},
    Names{"Hydra", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    Names{"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
};

constexpr int most_ranks = 65'536;

/// Parses Slurm's tasks per node: "2(x3),1" is two on each of the first three nodes and one on the fourth.
/// nullopt for another format or a node beyond the end.
std::optional<int> tasks_of_node(std::string_view list, int node) {
  while (!list.empty()) {
    const auto tasks = take_number<int>(list);
    if (!tasks || *tasks <= 0) return std::nullopt;
    int nodes = 1;
    if (list.starts_with("(x")) {
      list.remove_prefix(2);
      nodes = take_number<int>(list).value_or(0);
      if (nodes <= 0 || !list.starts_with(')')) return std::nullopt;
      list.remove_prefix(1);
    }
    if (node < nodes) return tasks;
    node -= nodes;
    if (list.empty()) break;
    if (!list.starts_with(',')) return std::nullopt;
    list.remove_prefix(1);
  }
  return std::nullopt;
}

std::optional<int> slurm_local_size(const Lookup& lookup) {
  const auto list = lookup("SLURM_STEP_TASKS_PER_NODE");
  const auto node = whole_number(lookup, "SLURM_NODEID", 0, most_ranks);
  return list && node ? tasks_of_node(*list, *node) : std::nullopt;
}

}  // namespace

std::optional<std::string> from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

int whole_number(const std::string& name, const std::string& text, int least, int most) {
  const auto value = number_in<int>(text);
  if (!value || *value < least || *value > most)
    throw UsageError(fmt::format("{}={}: not a whole number from {} to {}", name, text, least, most));
  return *value;
}

std::optional<int> whole_number(const Lookup& lookup, const char* name, int least, int most) {
  if (name == nullptr) return std::nullopt;
  const auto text = lookup(name);
  if (!text) return std::nullopt;
  return whole_number(name, *text, least, most);
}

std::optional<Rank> find_rank(const Lookup& lookup) {
  for (const Names& names : launchers) {
    // RANK alone, or an empty PMI_RANK, may come from anybody.
    const auto said = [&](const char* name) { return !lookup(name).value_or("").empty(); };
    if (names.only_with != nullptr && !said(names.only_with)) continue;
    if (!said(names.rank) || !said(names.size)) continue;
    const auto rank = whole_number(lookup, names.rank, 0, most_ranks - 1);
    const auto size = whole_number(lookup, names.size, 1, most_ranks);
    if (!rank || !size) continue;
    if (*rank >= *size)
      throw UsageError(fmt::format("{}={}: there are {} ranks, numbered from 0", names.rank, *rank, *size));
    Rank out;
    out.rank = *rank;
    out.size = *size;
    out.launcher = names.launcher;
    out.local_rank = whole_number(lookup, names.local_rank, 0, most_ranks - 1);
    out.local_size = whole_number(lookup, names.local_size, 1, most_ranks);
    if (out.launcher == "Slurm") out.local_size = slurm_local_size(lookup);
    return out;
  }
  return std::nullopt;
}

std::optional<Rank> find_rank_of_several(const Lookup& lookup) {
  auto rank = find_rank(lookup);
  return rank && rank->size > 1 ? rank : std::nullopt;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string host_word() {
  return host_word(host_name());
}

std::string host_word(const std::string& name) {
  std::string word = name;
  std::replace_if(
      word.begin(), word.end(),
      [](char c) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        return !letter && c != '-' && c != '_' && c != '.';
      },
      '_');
  if (word.empty() || word.front() == '.') word.insert(word.begin(), '_');
  return word;
}

std::filesystem::path with_rank(const std::filesystem::path& file, const std::string& host,
                                const std::optional<Rank>& rank) {
  std::error_code ignored;
  if (!rank || rank->size < 2 || std::filesystem::is_other(file, ignored)) return file;
  std::filesystem::path own = file;
  own.replace_filename(
      fmt::format("{}.{}.rank{}{}", file.stem().string(), host, rank->rank, file.extension().string()));
  return own;
}

}  // namespace gpugauge::result

// Finds this process's rank if a launcher (mpirun, srun, torchrun) started several, and gives each rank its
// own files.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace gpugauge::result {

/// One process among those that a launcher started.
struct Rank {
  int rank = 0;                   ///< 0 <= rank < size
  int size = 1;                   ///< >= 1
  std::optional<int> local_rank;  ///< among the ranks of this machine; nullopt if the launcher does not tell
  std::optional<int> local_size;  ///< ranks on this machine; nullopt if the launcher does not tell
  std::string launcher;           ///< "Open MPI", "Slurm", ...: for sentences
};

/// Reads one variable; nullopt if it is not set.
using Lookup = std::function<std::optional<std::string>(const char* name)>;
/// Looks in the process's own environment.
std::optional<std::string> from_environment(const char* name);

/// nullopt for a process that no launcher started. Reads ranks from GPUGAUGE_RANK and GPUGAUGE_RANKS (set by
/// hand), Open MPI, Slurm (a step by srun, not a batch script), Hydra and torchrun, in that order. Throws
/// UsageError for a variable that is not a number in range.
std::optional<Rank> find_rank(const Lookup& lookup = from_environment);
/// As find_rank, but also nullopt for a launcher's only rank, which needs no distinct files.
std::optional<Rank> find_rank_of_several(const Lookup& lookup = from_environment);

/// `text` as a whole number from `least` to `most`. Throws UsageError that names the variable.
int whole_number(const std::string& name, const std::string& text, int least, int most);
/// Reads the variable as such a number; nullopt if it is not set.
std::optional<int> whole_number(const Lookup& lookup, const char* name, int least, int most);

/// This machine's name as the kernel has it; "" if it does not tell.
std::string host_name();
/// This machine's name as a part of a file name. Characters other than letters, digits, '-', '_' and '.'
/// become '_'. Never empty, never begins with '.'.
std::string host_word();
std::string host_word(const std::string& name);  ///< the same for a given name

/// "run.json" becomes "run.node7.rank3.json" if `rank` is one of several. Ranks that were given one name then
/// do not replace each other's file. Otherwise returns `file`.
std::filesystem::path with_rank(const std::filesystem::path& file, const std::string& host,
                                const std::optional<Rank>& rank);

}  // namespace gpugauge::result

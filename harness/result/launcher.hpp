// Which of several processes this one is, where a launcher (mpirun, srun, torchrun) started them together;
// and how the files of one are told from those of the others.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace gpugauge::result {

/// One process among those of a launcher.
struct Rank {
  int rank = 0;                   ///< 0 <= rank < size
  int size = 1;                   ///< >= 1
  int local_rank = 0;             ///< among the ranks of this machine
  std::optional<int> local_size;  ///< ranks on this machine; nullopt where the launcher does not tell
  std::string launcher;           ///< "Open MPI", "Slurm", ...: for sentences
};

/// Reads one variable; nullopt when it is not set.
using Lookup = std::function<std::optional<std::string>(const char* name)>;
/// The process's own environment.
std::optional<std::string> from_environment(const char* name);

/// nullopt for a process that no launcher started. Ranks are read from GPUGAUGE_RANK and GPUGAUGE_RANKS (by
/// hand), Open MPI, Slurm (a step by srun, not a batch script), Hydra and torchrun, in that order. Throws
/// UsageError for a variable that is no number in range.
std::optional<Rank> find_rank(const Lookup& lookup = from_environment);
/// The same, but nullopt for a launcher's only rank as well: nobody to be told from.
std::optional<Rank> find_rank_of_several(const Lookup& lookup = from_environment);

/// `text` as a whole number from `least` to `most`. Throws UsageError that names the variable.
int whole_number(const std::string& name, const std::string& text, int least, int most);
/// The variable as such a number; nullopt when it is not set.
std::optional<int> whole_number(const Lookup& lookup, const char* name, int least, int most);

/// This machine's name as a part of a file name: what is no letter, digit, '-', '_' or '.' becomes '_'; never
/// empty, never begins with '.'.
std::string host_word();
std::string host_word(const std::string& host_name);  ///< likewise of a name that is given

/// "run.json" becomes "run.node7.rank3.json" where `rank` is one of several, so that several that were given
/// one name do not replace each other's file; otherwise it stays as it is.
std::filesystem::path with_rank(const std::filesystem::path& file, const std::string& host,
                                const std::optional<Rank>& rank);

}  // namespace gpugauge::result

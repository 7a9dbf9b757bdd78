// NCCL's variables as NCCL finds them, and which of them ranks must have in common. Pure: no NCCL, no CUDA.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "result/launcher.hpp"
#include "result/samples.hpp"

namespace gpugauge::bench::nccl {

/// One variable as NCCL finds it.
struct Setting {
  std::string value;  ///< "" only by as_set()
  std::string file;   ///< "" = set in the environment
};

/// Paths of the configuration files that an NCCL of this version (22809 for 2.28.9) reads, in its order:
/// NCCL_CONF_FILE (from 2.23.4 on) or else .nccl.conf in the home folder, then /etc/nccl.conf. `home` may be
/// "", for none. Source: NCCL's documentation, "Environment Variables", and src/misc/param.cc.
std::vector<std::string> configuration_files(int nccl_version, const std::string& conf_file,
                                             const std::string& home);

/// NCCL's variables from the environment and its configuration files.
class Configuration {
 public:
  /// `files`: paths and texts, in the order of configuration_files(). `nccl_version`: of the NCCL that reads them
  /// (22809 for 2.28.9).
  Configuration(result::Lookup environment, const std::vector<std::pair<std::string, std::string>>& files,
                int nccl_version);

  /// The environment comes first, then the first line of the first file that has the name. nullopt where none
  /// has it, or it is empty: NCCL takes an empty one for not set, except where as_set() is asked.
  std::optional<Setting> find(const std::string& name) const;
  /// The same, with an empty value for one that is set to nothing: NCCL_SYM_KERNEL then names no kernel.
  std::optional<Setting> as_set(const std::string& name) const;

  /// As the constructor was given it.
  int nccl_version() const { return nccl_version_; }

 private:
  result::Lookup environment_;
  std::map<std::string, Setting> from_files_;
  int nccl_version_;
};

/// What this process's environment and files say at this moment, for an NCCL of this version. Later changes do
/// not show: NCCL itself sets in the environment what it finds in files.
Configuration configuration_here(int nccl_version);

/// Adds the variables that decide how ranks talk to each other, in the form that ranks::disagreement() takes:
/// "setting.NAME" for those that all ranks must share, "node_setting.NAME" for those that ranks of one node
/// must, and "from.NAME" for a file. Texts that mean the same to NCCL give the same value: words in lower case,
/// numbers in decimal, names of a plain list sorted, a level and a policy by name. NCCL_P2P_LEVEL=LOC is
/// NCCL_P2P_DISABLE=1, which leaves no level. What NCCL takes anyway is left out. So is a variable that may differ, among them names of cards, interfaces and files, limits of the network, the log, and what
/// NCCL itself agrees on; and the names of plugins, which are compared by what they load.
void add_settings(const Configuration& configuration, result::Facts& facts);

/// The same variables, and those that NCCL itself agrees on (NCCL_NVLS_ENABLE, NCCL_COLLNET_ENABLE), as one
/// text: "NCCL_ALGO=ring NCCL_SHM_DISABLE=1", by name; "none" where none is set.
std::string settings_text(const Configuration& configuration);

}  // namespace gpugauge::bench::nccl

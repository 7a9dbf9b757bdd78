// Reads installed Python distributions from their metadata, without importing them. A broken installation is
// read too, and its fault reported.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/tree.hpp"

namespace gpugauge::stack {

/// One installed distribution (an unpacked wheel).
struct Distribution {
  std::string name;     ///< normalised: "nvidia-cudnn-cu12"
  std::string version;  ///< "9.10.2.21", "2.8.0+cu128"; "" if nothing tells it
  std::string folder;   ///< "/.../torch-2.8.0+cu128.dist-info", or an .egg-info
  std::string site;     ///< the package folder in which it is installed
  /// "METADATA", or what is wrong and which source was used instead.
  std::string how;
  bool damaged = false;                       ///< its metadata is missing, unreadable or useless
  std::vector<std::string> requires_exactly;  ///< "nvidia-nccl-cu12==2.27.3", without requirements of extras
};

/// "Nvidia_cuDNN.cu12" -> "nvidia-cudnn-cu12": lower case; each run of other characters becomes one "-".
std::string normalised(std::string_view name);

/// The distributions in a package folder whose normalised name passes `wanted`, sorted by folder name. Reads
/// the metadata of these only.
std::vector<Distribution> distributions_in(const Tree& tree, const std::string& site,
                                           bool (*wanted)(const std::string& name));

/// True for NVIDIA's wheels: nvidia-..., tensorrt...
bool is_nvidia_wheel(const std::string& name);

/// Finds the distribution that installed a file, from the RECORD lists of NVIDIA's wheels. Reads each list
/// once, at the first question.
class WheelOwners {
 public:
  explicit WheelOwners(const Tree& tree) : tree_(tree) {}  ///< `tree` must outlive this object
  /// `file` is a real path below `site`; nullptr if no wheel lists it.
  const Distribution* owner(const std::string& site, const std::string& file);

 private:
  struct Site {
    std::vector<Distribution> wheels;
    std::map<std::string, std::size_t> files;  ///< path of a library -> wheel
  };
  const Tree& tree_;
  std::map<std::string, Site> sites_;
};

/// File names in a RECORD: the first field of each line, without quotes.
std::vector<std::string> files_in_record(std::string_view text);

}  // namespace gpugauge::stack

// Installed Python distributions, read from their metadata and never imported: a broken installation is still
// read, and what is broken about it is said.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/tree.hpp"

namespace gpugauge::stack {

/// One installed distribution (a wheel, as it lies unpacked).
struct Distribution {
  std::string name;                           ///< normalised: "nvidia-cudnn-cu12"
  std::string version;                        ///< "9.10.2.21", "2.8.0+cu128"; "" where nothing tells it
  std::string folder;                         ///< "/.../torch-2.8.0+cu128.dist-info", or an .egg-info
  std::string site;                           ///< the folder of packages that it is installed in
  std::string how;                            ///< "METADATA", or what is wrong and what was taken instead
  bool damaged = false;                       ///< its metadata is missing, unreadable, or says nothing of use
  std::vector<std::string> requires_exactly;  ///< "nvidia-nccl-cu12==2.27.3", without those of extras
};

/// "Nvidia_cuDNN.cu12" -> "nvidia-cudnn-cu12": lower case, runs of anything but letters and digits as one
/// "-".
std::string normalised(std::string_view name);

/// The distributions of a folder of packages whose normalised name passes; sorted by folder name. Metadata is
/// read of these only.
std::vector<Distribution> distributions_in(const Tree& tree, const std::string& site,
                                           bool (*wanted)(const std::string& name));

/// Is it one of NVIDIA's: nvidia-..., tensorrt...
bool is_nvidia_wheel(const std::string& name);

/// Which distribution installed a file, by the lists of installed files (RECORD) of NVIDIA's wheels. Lists
/// are read once each, when first asked.
class WheelOwners {
 public:
  explicit WheelOwners(const Tree& tree) : tree_(tree) {}  ///< `tree` must outlive this object
  /// `file` is a real path below `site`; nullptr where no wheel lists it.
  const Distribution* owner(const std::string& site, const std::string& file);

 private:
  struct Site {
    std::vector<Distribution> wheels;
    std::map<std::string, std::size_t> files;  ///< path of a library -> wheel
  };
  const Tree& tree_;
  std::map<std::string, Site> sites_;
};

/// Files named in a RECORD: the first field of each line, quotes removed.
std::vector<std::string> files_in_record(std::string_view text);

}  // namespace gpugauge::stack

// CUDA's libraries as files: their names, copies and versions. Shared by the collectors of libraries, of a
// running process and of frameworks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/inventory/collect.hpp"
#include "stack/inventory/packages.hpp"
#include "stack/inventory/wheels.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {

/// Library names in the inventory, in reading order. Further sub-libraries of cuDNN are added as found.
const std::vector<std::string>& library_names();

/// The parts of a known library's file name.
struct LibraryFile {
  std::string name;     ///< "cublasLt", "cudnn_ops", "nccl_net"
  std::string stem;     ///< "libcublasLt"
  std::string numbers;  ///< the part after ".so.": "13.0.0.19", "13", ""
};
/// nullopt for files of other libraries.
std::optional<LibraryFile> library_of_file(const std::string& file_name);

/// The version of one copy of a library, or why it is not known.
struct VersionFact {
  std::string value = "unknown";  ///< "unknown" unless known
  std::string how;                ///< how it was found, or the build id
  bool known = false;             ///< `value` is a version
};

/// The version of a copy from its file name, else from its code or data together with the header beside it,
/// else unknown. `real` is a path without symbolic links.
VersionFact version_of_file(const Tree& tree, const LibraryFile& library, const std::string& real);

/// The version that the file itself states: a function that only returns a number, a version variable, or a
/// version text. "" if it states none. Reads at most a few MiB of the file.
VersionFact version_in_file(const Tree& tree, const LibraryFile& library, const std::string& real);

/// The version in the library's header, in the include folder beside it.
VersionFact version_in_header(const Tree& tree, const LibraryFile& library, const std::string& real);

/// What two days or nodes tell a library's version by: "13.1.0.3" of its file name, else what the file or its
/// header says, or the soname's number, with the build id: "9.10.2 (build 0123456789ab)". NVIDIA's wheels name
/// every version libcublas.so.13. "unknown" if there is neither. `path` has no symbolic links, on this machine.
std::string library_version(const std::string& path);

/// Finds the package or wheel that installed a file. Reads lists of files at the first question.
class FileOwners {
 public:
  /// `sites`: folders of Python packages whose wheels are searched, beside the one that a file lies in. `tree`
  /// must outlive this object.
  FileOwners(const Tree& tree, std::vector<std::string> sites)
      : tree_(tree), wheels_(tree), sites_(std::move(sites)) {}
  /// The owner's version; unknown if nobody owns the file.
  VersionFact version(const std::string& real);
  /// The CUDA version that the file's system package is built for, "13.0" or only "13"; unknown if it does
  /// not say.
  VersionFact cuda(const std::string& real);
  const std::vector<std::string>& sites() const { return sites_; }  ///< as given

 private:
  void read_packages_of_libraries();

  struct Owned {
    std::string package;
    std::string version;
  };
  const Tree& tree_;
  WheelOwners wheels_;
  std::vector<std::string> sites_;
  bool packages_read_ = false;
  std::map<std::string, Owned> packages_;  ///< real path -> package
  std::vector<Package> rpms_;              ///< packages of the stack; rpm's lists of files are not read
};

/// From the file name, else the owner, else the file itself and its header. Otherwise unknown, with the build
/// id.
VersionFact version_of_copy(const Tree& tree, const LibraryFile& library, const std::string& real,
                            FileOwners& owners);

/// The CUDA version that a copy of NCCL or cuDNN is built for: from its version, else its package, else
/// NCCL's own text. Unknown for other libraries. File names do not tell it.
VersionFact cuda_of_copy(const Tree& tree, const LibraryFile& library, const std::string& real,
                         const VersionFact& version, FileOwners& owners);

/// One copy of a library on the machine.
struct LibraryCopy {
  LibraryFile file;      ///< from the name of the link's target, if that is of the same library
  std::string found_as;  ///< path before following links
  std::string real;      ///< path without symbolic links, below the root; identifies the copy
  /// The name programs ask for: from the file's dynamic section, else its name up to the first number.
  std::string soname;
  std::string origin;   ///< "LD_LIBRARY_PATH", "loader cache", "standard folder", "toolkit", "wheel", "conda"
  bool picked = false;  ///< the loader takes this copy for its soname
};

/// Every copy, each file once. Per library the picked copies come first, newest soname first.
std::vector<LibraryCopy> find_libraries(const Context& context);

}  // namespace gpugauge::stack

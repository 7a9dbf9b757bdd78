// CUDA's libraries as files: which they are, where copies lie, and which version a copy is of. Shared by the
// collectors of libraries, of a running process and of frameworks.
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

/// Names of the inventory, in reading order; cuDNN's sub-libraries of other names come as they are found.
const std::vector<std::string>& library_names();

/// A file's name taken apart, of a library that is known here.
struct LibraryFile {
  std::string name;     ///< "cublasLt", "cudnn_ops", "nccl_net"
  std::string stem;     ///< "libcublasLt"
  std::string numbers;  ///< what follows ".so.": "13.0.0.19", "13", ""
};
/// By a file's name; nullopt for files of no library in the list.
std::optional<LibraryFile> library_of_file(const std::string& file_name);

/// The version of one copy of a library, or why it is not known.
struct VersionFact {
  std::string value = "unknown";  ///< "unknown" unless known
  std::string how;                ///< how it was found, or the build id
  bool known = false;             ///< `value` is a version
};

/// The version of a copy by its file name, else by what its code or data say, together with the header beside
/// it, else unknown. `real` is a path without symbolic links.
VersionFact version_of_file(const Tree& tree, const LibraryFile& library, const std::string& real);

/// What the file itself says, "" where it does not: a version function that only answers with a number, a
/// version variable, a version text. At most a few MiB of the file are read.
VersionFact version_in_file(const Tree& tree, const LibraryFile& library, const std::string& real);

/// What the library's header in the include folder beside it says.
VersionFact version_in_header(const Tree& tree, const LibraryFile& library, const std::string& real);

/// Which package or wheel installed a file. Lists of files are read when first asked.
class FileOwners {
 public:
  /// `sites`: folders of Python packages whose wheels are asked. `tree` must outlive this object.
  FileOwners(const Tree& tree, std::vector<std::string> sites)
      : tree_(tree), wheels_(tree), sites_(std::move(sites)) {}
  /// Its version, unknown where nobody owns it.
  VersionFact version(const std::string& real);
  /// The CUDA that the system's package of it is built for, "13.0" or only "13"; unknown where it does not
  /// say.
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
  std::vector<Package> rpms_;              ///< those of the stack: rpm's lists of files are not read
};

/// File name, else owner, else the file itself and its header, else unknown with the build id.
VersionFact version_of_copy(const Tree& tree, const LibraryFile& library, const std::string& real,
                            FileOwners& owners);

/// The CUDA that a copy of NCCL or cuDNN is built for: by its version, else its package, else NCCL's own
/// text; unknown for other libraries. File names tell none.
VersionFact cuda_of_copy(const Tree& tree, const LibraryFile& library, const std::string& real,
                         const VersionFact& version, FileOwners& owners);

/// One copy of a library on the machine.
struct LibraryCopy {
  LibraryFile file;      ///< by the name of the file that links lead to, where that is of the same library
  std::string found_as;  ///< path before links were followed
  std::string real;      ///< without symbolic links, below the root: tells copies apart
  /// What programs ask for: by the file's dynamic section, else its name up to the first number.
  std::string soname;
  std::string origin;   ///< "LD_LIBRARY_PATH", "loader cache", "standard folder", "toolkit", "wheel", "conda"
  bool picked = false;  ///< the loader takes this copy for its soname
};

/// Every copy that can be found, each file once; of each library the picked ones first, newest soname first.
std::vector<LibraryCopy> find_libraries(const Context& context);

}  // namespace gpugauge::stack

// A library opened at run time. Never closed: NVIDIA's libraries leave threads behind.
#pragma once

#include <string>

#include "stack/driver_library.hpp"

namespace gpugauge::stack {

/// A library found by the loader's own search, and its entry points.
class SharedObject {
 public:
  /// By name or path. Throws nothing where it cannot be opened, or must not be (refused_library): opened()
  /// says why. May hang or crash: the library's initialisers run.
  explicit SharedObject(const std::string& soname);

  const OpenedLibrary& opened() const { return opened_; }  ///< what came of it

  /// The entry point of that name, or nullptr where the library is too old to have it.
  template <typename Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  void* handle_ = nullptr;
  OpenedLibrary opened_;
};

/// Why the loader must not be asked for a bare name: LD_LIBRARY_PATH has an empty or relative entry, and in
/// the working folder, where such a one leads, lies a file of that name. "" where it may be asked.
std::string refused_library(const std::string& soname);

/// "/usr/lib/libcuda.so.580.65.06" -> "580.65.06"; "" where nothing follows ".so".
std::string version_in_file_name(const std::string& path);

/// "13.1.0.3" where the file name has it; else the soname's number and the build id, which tells builds
/// apart: the files of NVIDIA's wheels are named libcublas.so.13 whatever their version. "unknown" for
/// neither.
std::string library_version(const std::string& path);

}  // namespace gpugauge::stack

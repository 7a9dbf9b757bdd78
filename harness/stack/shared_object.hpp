// A library opened at run time. It is never closed: NVIDIA's libraries leave threads behind.
#pragma once

#include <string>

#include "stack/driver_library.hpp"

namespace gpugauge::stack {

/// The name of an entry point, with its type.
template <typename Function>
struct EntryPoint {
  const char* name;  ///< "nvmlInit_v2"
};

/// A library found by the loader's own search, and its entry points.
class SharedObject {
 public:
  /// Opens by name or path. Does not throw if the library cannot or must not be opened (refused_library);
  /// opened() says why. May hang or crash, because the library's initialisers run.
  explicit SharedObject(const std::string& soname);

  const OpenedLibrary& opened() const { return opened_; }  ///< the result of opening

  /// The entry point of that name; nullptr if the library is too old to have it.
  template <typename Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }
  /// The same, by a name with its type.
  template <typename Function>
  Function* find(EntryPoint<Function> entry) const {
    return find<Function>(entry.name);
  }

 private:
  void* symbol(const char* name) const;

  void* handle_ = nullptr;
  OpenedLibrary opened_;
};

/// Why the loader must not search for a bare name: LD_LIBRARY_PATH has an empty or relative entry, and the
/// working folder, to which it leads, holds a file of that name. "" if the loader may search.
std::string refused_library(const std::string& soname);

/// "/usr/lib/libcuda.so.580.65.06" -> "580.65.06"; "" if nothing follows ".so".
std::string version_in_file_name(const std::string& path);

}  // namespace gpugauge::stack

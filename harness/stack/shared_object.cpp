#include "stack/shared_object.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "stack/environment.hpp"

namespace gpugauge::stack {
namespace {

namespace fs = std::filesystem;

/// True if the folder, or a subfolder for newer processors, holds it; the loader searches the latter first.
bool holds(const fs::path& folder, const std::string& soname) {
  std::error_code error;
  if (fs::exists(folder / soname, error)) return true;
  for (fs::directory_iterator newer(folder / "glibc-hwcaps", error), end; !error && newer != end;
       newer.increment(error)) {
    std::error_code ignored;
    if (fs::exists(newer->path() / soname, ignored)) return true;
  }
  return false;
}

std::string refusal(const std::string& soname) {
  return fmt::format(
      "an empty or relative entry of LD_LIBRARY_PATH leads to a {} in the working folder, and nothing is "
      "loaded from there",
      soname);
}

}  // namespace

std::string refused_library(const std::string& soname) {
  const char* const list = std::getenv("LD_LIBRARY_PATH");
  if (list == nullptr || soname.find('/') != std::string::npos) return "";
  for (const std::string& entry : relative_entries(list))
    if (holds(entry.empty() ? "." : entry, soname)) return refusal(soname);
  return "";
}

SharedObject::SharedObject(const std::string& soname) {
  opened_.error = refused_library(soname);
  opened_.refused = !opened_.error.empty();
  if (opened_.refused) return;
  handle_ = ::dlopen(soname.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    const char* const error = ::dlerror();
    opened_.error = error == nullptr ? "no reason given" : error;
    // "libcuda.so.1: cannot open ..." concerns the library itself; another name at the front is one of its
    // dependencies.
    opened_.missing = opened_.error.starts_with(soname + ": cannot open shared object file: No such file");
    return;
  }
  opened_.opened = true;
  link_map* map = nullptr;
  if (::dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr) return;
  std::error_code error;
  const fs::path real = fs::canonical(map->l_name, error);
  opened_.path = error ? std::string(map->l_name) : real.string();
  opened_.version = version_in_file_name(opened_.path);
}

void* SharedObject::symbol(const char* name) const {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
}

std::string version_in_file_name(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  const auto found = name.find(".so.");
  return found == std::string::npos ? "" : name.substr(found + 4);
}

}  // namespace gpugauge::stack

#include "stack/shared_object.hpp"

#include <filesystem>
#include <system_error>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "stack/elf.hpp"

namespace gpugauge::stack {

SharedObject::SharedObject(const std::string& soname) {
  handle_ = ::dlopen(soname.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    const char* const error = ::dlerror();
    opened_.error = error == nullptr ? "no reason given" : error;
    // "libcuda.so.1: cannot open ..." is the library itself; another name at the front is something that it
    // needs.
    opened_.missing = opened_.error.starts_with(soname + ": cannot open shared object file: No such file");
    return;
  }
  opened_.opened = true;
  link_map* map = nullptr;
  if (::dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr) return;
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(map->l_name, error);
  opened_.path = error ? std::string(map->l_name) : real.string();
  opened_.version = version_in_file_name(opened_.path);
}

void* SharedObject::symbol(const char* name) const {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
}

std::string version_in_file_name(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  const auto found = name.find(".so.");
  return found == std::string::npos ? "" : name.substr(found + 4);
}

std::string library_version(const std::string& path) {
  const std::string version = version_in_file_name(path);
  if (version.find('.') != std::string::npos) return version;
  const std::string id = build_id(path).substr(0, 12);
  if (!id.empty()) return fmt::format("{} (build {})", version, id);
  return version.empty() ? "unknown" : version;
}

}  // namespace gpugauge::stack

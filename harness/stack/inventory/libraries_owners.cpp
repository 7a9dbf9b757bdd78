#include <fmt/format.h>

#include "stack/compat/version.hpp"
#include "stack/inventory/libraries.hpp"
#include "stack/inventory/packages.hpp"
#include "stack/inventory/toolkits_paths.hpp"
#include "stack/shared_object.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::string_view info_folder = "/var/lib/dpkg/info";
constexpr std::size_t list_limit = std::size_t{4} << 20;
constexpr std::size_t lists_most = 500;

/// True for packages that may own one of the libraries.
bool may_own(std::string_view list) {
  for (const std::string_view start :
       {"libcu", "libnccl", "libnv", "cuda", "nccl", "tensorrt", "aws-ofi-nccl"}) {
    if (list.starts_with(start))
      return list.ends_with(".list") && list.find("-dev") == std::string_view::npos;
  }
  return false;
}

/// Removes the epoch: "1:2.27.3-1+cuda12.9" -> "2.27.3-1+cuda12.9".
std::string without_epoch(const std::string& version) {
  const auto colon = version.find(':');
  return colon == std::string::npos ? version : version.substr(colon + 1);
}

/// "13.0" from "2.28.9-1+cuda13.0"; "" if the version names no CUDA.
std::string cuda_in_version(const std::string& version) {
  constexpr std::string_view mark = "+cuda";
  const auto at = version.find(mark);
  return at == std::string::npos ? "" : version_word(std::string_view(version).substr(at + mark.size()));
}

/// "13" from "libcudnn9-cuda-13"; "" if the name has no CUDA version.
std::string cuda_in_name(const std::string& package) {
  constexpr std::string_view mark = "-cuda-";
  const auto at = package.rfind(mark);
  return at == std::string::npos ? "" : version_word(std::string_view(package).substr(at + mark.size()));
}

std::string cuda_of_package(const std::string& package, const std::string& version) {
  const std::string by_version = cuda_in_version(version);
  return by_version.empty() ? cuda_in_name(package) : by_version;
}

}  // namespace

void FileOwners::read_packages_of_libraries() {
  packages_read_ = true;
  std::vector<std::string> lists;
  for (const std::string& name : tree_.list(info_folder)) {
    if (may_own(name) && lists.size() < lists_most) lists.push_back(name);
  }
  const PackageDatabase database = read_packages(tree_);
  if (database.kind == "rpm") rpms_ = database.packages;
  for (const std::string& list : lists) {
    constexpr std::string_view ending = ".list";
    std::string package = list.substr(0, list.size() - ending.size());
    package.erase(std::min(package.find(':'), package.size()));  // "libnccl2:amd64"
    const Package* const entry = database.find(package);
    if (entry == nullptr) continue;
    const std::string text = tree_.read(join(std::string(info_folder), list), list_limit).text;
    std::size_t start = 0;
    while (start < text.size()) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      const std::string file = text.substr(start, end - start);
      start = end + 1;
      if (!library_of_file(file_name_of(file))) continue;
      const std::string real = tree_.resolve(file);
      if (!real.empty()) packages_.try_emplace(real, Owned{package, without_epoch(entry->version)});
    }
  }
}

namespace {

/// The folder of Python packages that a file lies in, whichever interpreter it is of; "" if it is in none.
std::string packages_above(const std::string& file) {
  for (const std::string_view name : {"/site-packages/", "/dist-packages/"})
    if (const std::size_t at = file.rfind(name); at != std::string::npos)
      return file.substr(0, at + name.size() - 1);
  return "";
}

}  // namespace

VersionFact FileOwners::version(const std::string& real) {
  std::vector<std::string> sites = sites_;
  if (const std::string own = packages_above(real); !own.empty()) sites.push_back(own);
  for (const std::string& site : sites) {
    if (!within(real, site)) continue;
    const Distribution* const wheel = wheels_.owner(site, real);
    if (wheel != nullptr && !wheel->version.empty())
      return {wheel->version, fmt::format("wheel {}", wheel->name), true};
  }
  if (!packages_read_) read_packages_of_libraries();
  const auto found = packages_.find(real);
  if (found == packages_.end() || !Version::parse(found->second.version)) return {};
  return {found->second.version, fmt::format("package {}", found->second.package), true};
}

VersionFact FileOwners::cuda(const std::string& real) {
  if (!packages_read_) read_packages_of_libraries();
  const auto fact = [](const std::string& package, const std::string& version) {
    const std::string cuda = cuda_of_package(package, version);
    return VersionFact{cuda, fmt::format("package {} {}", package, version), !cuda.empty()};
  };
  if (const auto found = packages_.find(real); found != packages_.end())
    return fact(found->second.package, found->second.version);
  // For rpm, only a single package of that name counts; with two it is unknown which owns the file.
  const std::string file = file_name_of(real);
  const std::string stem = file.substr(0, file.find(".so"));
  VersionFact only;
  for (const Package& package : rpms_) {
    if (!within(real, "/usr/lib64") || !package.name.starts_with(stem)) continue;
    VersionFact one = fact(package.name, package.version);
    if (one.known && only.known && one.value != only.value) return {};
    if (one.known) only = std::move(one);
  }
  return only;
}

VersionFact cuda_of_copy(const Tree& tree, const LibraryFile& library, const std::string& real,
                         const VersionFact& version, FileOwners& owners) {
  if (library.name != "nccl" && library.name != "cudnn") return {};
  if (std::string cuda = cuda_in_version(version.value); !cuda.empty()) return {cuda, version.how, true};
  if (VersionFact owned = owners.cuda(real); owned.known) return owned;
  const VersionFact own = version_in_file(tree, library, real);
  if (std::string cuda = cuda_in_version(own.value); !cuda.empty()) return {cuda, own.how, true};
  return {};
}

VersionFact version_of_copy(const Tree& tree, const LibraryFile& library, const std::string& real,
                            FileOwners& owners) {
  const auto named = Version::parse(version_in_file_name(real));
  if (!named || named->size() < 3 || library.name == "nccl_net") {
    if (VersionFact owned = owners.version(real); owned.known) return owned;
  }
  return version_of_file(tree, library, real);
}

}  // namespace gpugauge::stack

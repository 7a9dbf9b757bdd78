#include <algorithm>

#include <fmt/format.h>

#include "stack/compat/version.hpp"
#include "stack/inventory/packages.hpp"
#include "stack/inventory/toolkits.hpp"
#include "stack/inventory/toolkits_paths.hpp"

namespace gpugauge::stack {
namespace {

/// The leading digits and dots.
std::string leading_version(std::string_view text) {
  const auto version = Version::parse(text);
  return version ? version->text() : "";
}

/// "gcc-12", "x86_64-linux-gnu-gcc-12", "gcc-toolset-12" -> "12" for the word "gcc"; "" otherwise.
std::string version_after(const std::string& component, std::string_view word) {
  for (auto at = component.rfind(word); at != std::string::npos;
       at = at == 0 ? std::string::npos : component.rfind(word, at - 1)) {
    if (at != 0 && component[at - 1] != '-') continue;
    std::string_view rest = std::string_view(component).substr(at + word.size());
    if (rest.starts_with("-toolset")) rest.remove_prefix(std::string_view("-toolset").size());
    if (!rest.starts_with('-')) continue;
    if (std::string version = leading_version(rest.substr(1)); !version.empty()) return version;
  }
  return "";
}

struct Found {
  std::string version;
  std::string source;
  std::string how;
};

/// Version from the names between PATH and the file: gcc -> gcc-12, clang -> ../lib/llvm-14/bin/clang.
Found by_names(const Tree& tree, const std::string& path, const std::string& compiler) {
  for (const std::string& link : link_chain(tree, path)) {
    if (std::string version = version_after(file_name_of(link), compiler); !version.empty())
      return {version, link, "file name"};
    for (std::string folder = parent_of(link); folder != "/"; folder = parent_of(folder)) {
      const std::string component = file_name_of(folder);
      for (const std::string_view word : {"gcc", "devtoolset", "llvm"}) {
        if ((word == "llvm") != (compiler == "clang")) continue;
        if (std::string version = version_after(component, word); !version.empty())
          return {version, folder, "folder name"};
      }
    }
  }
  return {};
}

/// Version from lib/gcc/<machine>/<version> in the compiler's prefix, if there is only one.
Found by_library_folder(const Tree& tree, const std::string& path) {
  const std::string folder = join(parent_of(parent_of(tree.resolve(path))), "lib/gcc");
  Found found;
  for (const std::string& machine : entries(tree, folder)) {
    for (const std::string& entry : entries(tree, machine)) {
      const std::string version = leading_version(file_name_of(entry));
      if (version.empty() || !is_folder(tree, entry)) continue;
      if (!found.version.empty() && found.version != version) return {};
      found = {version, entry, "the only version there"};
    }
  }
  return found;
}

/// Replaces the version by the package's, which is more exact: gcc-12 is 12.2.0.
void refine_by_package(const Tree& tree, const std::string& compiler, Found& found) {
  const PackageDatabase database = read_packages(tree);
  const auto major = Version::parse(found.version);
  if (!major) return;
  const std::string name = fmt::format("{}-{}", compiler, major->major());
  const Package* const package = database.find(name);
  if (package == nullptr) return;
  const auto exact = Version::parse(upstream_version(package->version));
  if (!exact || !major->covers(*exact) || exact->size() <= major->size()) return;
  found.version = exact->text();
  found.how = fmt::format("package {}", name);
}

}  // namespace

std::vector<std::string> forward_compat_folders(const Context& context,
                                                const std::vector<Toolkit>& toolkits) {
  const Tree& tree = context.tree;
  std::vector<std::string> candidates;
  for (const char* const parent : {"/usr/local", "/opt"}) {
    for (const std::string& cuda : entries(tree, parent, "cuda")) candidates.push_back(join(cuda, "compat"));
  }
  for (const Toolkit& toolkit : toolkits) candidates.push_back(join(toolkit.path, "compat"));
  const std::string conda = value_of(context.environment, "CONDA_PREFIX").value_or("");
  if (conda.starts_with('/')) candidates.push_back(join(conda, "cuda-compat"));
  for (const std::string& folder : folders_of(context.environment, "LD_LIBRARY_PATH")) {
    if (folder.find("compat") != std::string::npos) candidates.push_back(folder);
  }
  std::vector<std::string> folders;
  for (const std::string& candidate : candidates) {
    for (const char* const below : {"", "/lib", "/lib.real"}) {
      const std::string folder = tree.resolve(candidate + below);
      if (folder.empty() || tree.resolve(join(folder, "libcuda.so.1")).empty()) continue;
      if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
    }
  }
  return folders;
}

void collect_host_compilers(const Context& context, Inventory& inventory) {
  for (const std::string compiler : {"gcc", "clang"}) {
    const std::string key = "host_compiler." + compiler;
    const std::string path = find_in_path(context.tree, context.environment, compiler);
    if (path.empty()) {
      inventory.absent(key, "PATH");
      continue;
    }
    Found found = by_names(context.tree, path, compiler);
    if (found.version.empty() && compiler == "gcc") found = by_library_folder(context.tree, path);
    if (found.version.empty()) {
      inventory.present(key, "unknown", path, "neither its name nor its folders tell the version");
      continue;
    }
    refine_by_package(context.tree, compiler, found);
    inventory.present(key, found.version, found.source, found.how);
  }
}

}  // namespace gpugauge::stack

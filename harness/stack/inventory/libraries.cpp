#include "stack/inventory/libraries.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/inventory/python.hpp"
#include "stack/inventory/toolkits_paths.hpp"
#include "stack/loader.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t copies_most = 64;  // per library

const char* how_picked(const LibraryCopy& copy) {
  return copy.picked ? "the loader takes it for its name" : "found, not what the loader takes";
}

void add_library(const Context& context, const std::string& name, const std::vector<LibraryCopy>& copies,
                 const std::vector<std::string>& refused, FileOwners& owners, Inventory& inventory) {
  const std::string key = "library." + name;
  std::size_t index = 0;
  for (const LibraryCopy& copy : copies) {
    if (copy.file.name != name || index >= copies_most) continue;
    const std::string prefix = fmt::format("{}.{}", key, index++);
    inventory.present(prefix + ".path", copy.real, copy.found_as, how_picked(copy));
    const VersionFact version = version_of_copy(context.tree, copy.file, copy.real, owners);
    inventory.present(prefix + ".version", version.value, copy.real, version.how);
    if (const VersionFact cuda = cuda_of_copy(context.tree, copy.file, copy.real, version, owners);
        cuda.known)
      inventory.present(prefix + ".cuda", cuda.value, copy.real, cuda.how);
    inventory.present(prefix + ".soname", copy.soname, copy.real);
    inventory.present(prefix + ".origin", copy.origin, copy.found_as);
  }
  const auto first = std::find_if(copies.begin(), copies.end(),
                                  [&](const LibraryCopy& copy) { return copy.file.name == name; });
  const char* const searched = "LD_LIBRARY_PATH, /etc/ld.so.cache, standard folders";
  if (first != copies.end() && first->picked) {
    inventory.present(key + ".picked", first->real, first->found_as,
                      "first place where the loader finds " + first->soname);
  } else if (index == 0 && !refused.empty()) {
    inventory.unreadable(key + ".picked", fmt::format("{}", fmt::join(refused, " ")), "root", searched);
  } else {
    inventory.absent(key + ".picked", searched,
                     index == 0 ? "no copy was found" : "copies lie elsewhere only");
  }
}

}  // namespace

void collect_libraries(const Context& context, Inventory& inventory) {
  const std::vector<LibraryCopy> copies = find_libraries(context);
  const PythonSearch python = find_python(context);
  FileOwners owners(context.tree, python.found ? python.found->packages : std::vector<std::string>{});
  std::vector<std::string> names = library_names();
  for (const LibraryCopy& copy : copies) {
    if (std::find(names.begin(), names.end(), copy.file.name) == names.end()) names.push_back(copy.file.name);
  }
  // Folders closed to this user's loader do not exist for this user on this machine. Below another root that
  // is unknown.
  const std::vector<std::string> refused =
      context.tree.live() ? std::vector<std::string>{} : Loader(context.tree, context.environment).refused();
  for (const std::string& name : names) add_library(context, name, copies, refused, owners, inventory);
}

}  // namespace gpugauge::stack

#include "stack/own_folders.hpp"

#include <filesystem>
#include <string_view>
#include <utility>

namespace gpugauge::stack {

std::vector<std::string> own_folders(const std::string& list, const std::string& origin) {
  std::vector<std::string> folders;
  for (std::string folder : split_folders(list)) {
    for (const std::string_view token : {"${ORIGIN}", "$ORIGIN"}) {
      if (const auto at = folder.find(token); at != std::string::npos)
        folder.replace(at, token.size(), origin);
    }
    if (folder.find('$') == std::string::npos) folders.push_back(std::move(folder));
  }
  return folders;
}

OwnFolders own_folders(const ElfDynamic& dynamic, const std::string& origin) {
  if (!dynamic.runpath.empty()) return {{}, own_folders(dynamic.runpath, origin)};
  return {own_folders(dynamic.rpath, origin), {}};
}

OwnFolders own_folders(const Tree& tree, const std::string& path) {
  const std::string real = tree.resolve(path);
  const ElfFile file(FileBytes(tree.at(real)));
  if (!file.valid()) return {};
  return own_folders(file.dynamic(), std::filesystem::path(real).parent_path().string());
}

}  // namespace gpugauge::stack

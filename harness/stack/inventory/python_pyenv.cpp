#include <algorithm>
#include <sstream>

#include "stack/compat/version.hpp"
#include "stack/inventory/python.hpp"
#include "stack/inventory/toolkits_paths.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t folders_most = 64;

/// The words of a version file, without comments.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream line_words(line.substr(0, line.find('#')));
    for (std::string word; line_words >> word;) words.push_back(word);
  }
  return words;
}

std::vector<std::string> asked_for(const Tree& tree, const Environment& environment,
                                   const std::string& root) {
  if (const auto named = value_of(environment, "PYENV_VERSION"); named && !named->empty()) {
    std::string list = *named;
    std::replace(list.begin(), list.end(), ':', ' ');
    return words_of(list);
  }
  std::string folder = value_of(environment, "PYENV_DIR").value_or(value_of(environment, "PWD").value_or(""));
  for (std::size_t i = 0; folder.starts_with('/') && i < folders_most; ++i, folder = parent_of(folder)) {
    const Reading local = tree.read(join(folder, ".python-version"));
    if (local.present()) return words_of(local.text);
    if (folder == "/") break;
  }
  const Reading global = tree.read(join(root, "version"));
  return global.present() ? words_of(global.text) : std::vector<std::string>{};
}

/// The installed version for a word: "3.11" means the newest 3.11.x, as in pyenv.
std::string installed_as(const Tree& tree, const std::string& root, const std::string& wanted) {
  const std::string folder = join(root, "versions");
  if (wanted.find('/') != std::string::npos || wanted == "." || wanted == "..") return "";
  if (is_folder(tree, join(folder, wanted))) return join(folder, wanted);
  std::string best;
  std::optional<Version> best_version;
  for (const std::string& name : tree.list(folder)) {
    const auto version = Version::parse(name);
    if (!name.starts_with(wanted + ".") || !version) continue;
    if (best_version && *version < *best_version) continue;
    best = join(folder, name);
    best_version = version;
  }
  return best;
}

}  // namespace

std::string behind_pyenv_shim(const Tree& tree, const Environment& environment, const std::string& shim) {
  const std::string root = value_of(environment, "PYENV_ROOT").value_or(parent_of(parent_of(shim)));
  const std::string program = file_name_of(shim);
  for (const std::string& wanted : asked_for(tree, environment, root)) {
    if (wanted == "system") return "";
    const std::string version = installed_as(tree, root, wanted);
    std::string interpreter = join(version, "bin/" + program);
    if (!version.empty() && !tree.resolve(interpreter).empty()) return interpreter;
  }
  return "";
}

}  // namespace gpugauge::stack

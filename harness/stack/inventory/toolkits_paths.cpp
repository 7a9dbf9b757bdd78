#include "stack/inventory/toolkits_paths.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "stack/loader.hpp"

namespace gpugauge::stack {
namespace fs = std::filesystem;

std::string parent_of(const std::string& path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

std::string file_name_of(const std::string& path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string join(const std::string& folder, std::string_view name) {
  return folder.ends_with('/') ? fmt::format("{}{}", folder, name) : fmt::format("{}/{}", folder, name);
}

std::string normal(const std::string& path) {
  std::string text = fs::path(path).lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

bool within(const std::string& path, const std::string& folder) {
  if (folder == "/") return path.starts_with('/');
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string as_given(const Tree& tree, const std::string& path) {
  std::error_code error;
  if (!tree.live() || path.starts_with('/')) return normal(path);
  const fs::path whole = fs::absolute(path, error);
  return normal(error ? path : whole.string());
}

bool is_folder(const Tree& tree, const std::string& path) {
  std::error_code error;
  const std::string real = tree.resolve(path);
  return !real.empty() && fs::is_directory(tree.at(real), error);
}

std::string link_target(const Tree& tree, const std::string& path) {
  // Resolve the folder within the root, but not the name itself.
  const std::string folder = tree.resolve(parent_of(path));
  if (folder.empty()) return "";
  std::error_code error;
  const fs::path target = fs::read_symlink(tree.at(folder) / file_name_of(path), error);
  if (error || target.empty()) return "";
  return normal(target.is_absolute() ? target.string() : join(folder, target.string()));
}

std::vector<std::string> link_chain(const Tree& tree, const std::string& path) {
  constexpr std::size_t longest = 40;
  std::vector<std::string> chain{normal(path)};
  while (chain.size() < longest) {
    std::string next = link_target(tree, chain.back());
    if (next.empty() || std::find(chain.begin(), chain.end(), next) != chain.end()) break;
    chain.push_back(std::move(next));
  }
  return chain;
}

std::vector<std::string> entries(const Tree& tree, const std::string& folder, std::string_view prefix) {
  std::vector<std::string> paths;
  for (const std::string& name : tree.list(folder)) {
    if (name.starts_with(prefix)) paths.push_back(join(folder, name));
  }
  return paths;
}

std::vector<std::string> folders_of(const Environment& environment, const std::string& variable) {
  std::vector<std::string> folders;
  for (const std::string& folder : split_folders(value_of(environment, variable).value_or(""))) {
    if (folder.starts_with('/')) folders.push_back(normal(folder));
  }
  return folders;
}

std::string find_in_path(const Tree& tree, const Environment& environment, const std::string& name) {
  for (const std::string& folder : folders_of(environment, "PATH")) {
    std::string path = join(folder, name);
    if (!tree.resolve(path).empty() && !is_folder(tree, path)) return path;
  }
  return "";
}

std::string shown(std::string_view text, std::size_t limit) {
  std::string line(text.substr(0, limit));
  for (char& c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e) c = '?';
  }
  return line;
}

std::string version_word(std::string_view text) {
  constexpr std::size_t longest = 64;
  const auto start = text.find_first_not_of(" \t\"'");
  if (start == std::string_view::npos) return "";
  constexpr std::string_view allowed =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.+-_~:!";
  const std::string_view word = text.substr(start, text.find_first_not_of(allowed, start) - start);
  return word.size() > longest ? "" : std::string(word);
}

}  // namespace gpugauge::stack

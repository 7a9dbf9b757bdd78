// Finds CUDA toolkits and the settings that lead to them.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fnmatch.h>

#include "stack/inventory/python.hpp"
#include "stack/inventory/toolkits.hpp"
#include "stack/inventory/toolkits_paths.hpp"
#include "stack/loader.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t configured_most = 1000;

bool has_runtime(const Tree& tree, const std::string& folder) {
  return !entries(tree, folder, "libcudart.so.").empty();
}

/// Folders such as targets/x86_64-linux.
std::vector<std::string> targets_of(const Tree& tree, const std::string& folder) {
  return entries(tree, join(folder, "targets"));
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

void add_folder_once(const Tree& tree, const std::string& folder, std::vector<std::string>& folders) {
  if (is_folder(tree, folder)) add_once(folders, tree.resolve(folder));
}

/// The folder itself or one above it that is a toolkit; the system's own folders do not count here.
std::string toolkit_above(const Tree& tree, const std::string& path) {
  std::string folder = tree.resolve(path);
  constexpr int levels = 5;
  for (int level = 0; level < levels && !folder.empty(); ++level, folder = parent_of(folder)) {
    for (const char* const system : {"/", "/usr", "/usr/local", "/opt"}) {
      if (folder == system) return "";
    }
    // targets/x86_64-linux looks like a toolkit but is a part of one.
    if (file_name_of(parent_of(folder)) != "targets" && is_toolkit(tree, folder)) return folder;
  }
  return "";
}

/// Some packages use a script as nvcc: returns its path that ends in /bin/nvcc.
std::string nvcc_in_script(const Tree& tree, const std::string& path) {
  constexpr std::size_t enough = 4096;
  constexpr std::string_view ending = "/bin/nvcc";
  const std::string text = tree.read(path, enough).text;
  if (!text.starts_with("#!")) return "";
  for (auto at = text.find(ending); at != std::string::npos; at = text.find(ending, at + 1)) {
    const auto start = text.find_last_of(" \t\n\"'=", at);
    std::string named = text.substr(start + 1, at + ending.size() - start - 1);
    if (named.starts_with('/') && normal(named) != normal(path)) return named;
  }
  return "";
}

/// The toolkit of an nvcc: its bin folder's parent, after links and a script.
std::string toolkit_of_nvcc(const Tree& tree, const std::string& nvcc) {
  std::string real = tree.resolve(nvcc);
  if (const std::string behind = nvcc_in_script(tree, real); !behind.empty() && !tree.resolve(behind).empty())
    real = tree.resolve(behind);
  const std::string folder = parent_of(parent_of(real));
  return is_toolkit(tree, folder) ? folder : "";
}

std::vector<std::string> usual_places(const Context& context) {
  const Tree& tree = context.tree;
  std::vector<std::string> places{"/usr/local/cuda"};
  const auto add = [&](const std::vector<std::string>& more) {
    places.insert(places.end(), more.begin(), more.end());
  };
  add(entries(tree, "/usr/local", "cuda-"));
  add({"/opt/cuda"});
  add(entries(tree, "/opt", "cuda-"));
  add({"/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit"});
  for (const std::string& machine : entries(tree, "/opt/nvidia/hpc_sdk")) {
    for (const std::string& release : entries(tree, machine)) add(entries(tree, join(release, "cuda")));
  }
  const std::string conda = value_of(context.environment, "CONDA_PREFIX").value_or("");
  if (conda.starts_with('/')) places.push_back(conda);
  const PythonSearch python = find_python(context);
  if (!python.found) return places;
  if (python.found->kind == "conda") places.push_back(python.found->prefix);
  for (const std::string& site : python.found->packages) add(entries(tree, join(site, "nvidia"), "cu1"));
  return places;
}

Toolkit describe(const Tree& tree, const std::string& path) {
  Toolkit toolkit;
  toolkit.path = path;
  std::vector<std::string> roots = targets_of(tree, path);
  roots.insert(roots.begin(), path);
  for (const std::string& root : roots) {
    add_folder_once(tree, join(root, "lib64"), toolkit.library_folders);
    add_folder_once(tree, join(root, "lib"), toolkit.library_folders);
    add_folder_once(tree, join(root, "include"), toolkit.include_folders);
  }
  add_folder_once(tree, join(path, "extras/CUPTI/lib64"), toolkit.library_folders);
  // Debian keeps the package's headers in the common include folder.
  if (path == "/usr/lib/nvidia-cuda-toolkit" || path == "/usr/lib/cuda")
    add_folder_once(tree, "/usr/include", toolkit.include_folders);
  return toolkit;
}

/// Adds the folders in one configuration file; reads each file once.
void read_loader_configuration(const Tree& tree, const std::string& file, std::vector<std::string>& files,
                               std::vector<std::string>& folders) {
  if (files.size() >= configured_most || std::find(files.begin(), files.end(), file) != files.end()) return;
  files.push_back(file);
  const std::string text = tree.read(file).text;
  std::size_t start = 0;
  while (start < text.size() && folders.size() < configured_most) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string whole = text.substr(start, end - start);
    start = end + 1;
    const std::string line = whole.substr(0, whole.find('#'));
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos) continue;
    const std::string word = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
    if (word.starts_with('/')) add_once(folders, normal(word));
    const auto slash = word.find('/');
    if (!word.starts_with("include") || slash == std::string::npos) continue;
    const std::string pattern = word.substr(slash);
    for (const std::string& path : entries(tree, parent_of(pattern))) {
      if (::fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME) == 0)
        read_loader_configuration(tree, path, files, folders);
    }
  }
}

}  // namespace

bool is_toolkit(const Tree& tree, const std::string& folder) {
  for (const char* const name : {"bin/nvcc", "include/cuda.h", "version.json", "version.txt"}) {
    const Reading found = tree.read(join(folder, name), 64);
    // Other projects may have version files too.
    if (std::string_view(name) == "version.txt" && !found.text.starts_with("CUDA Version")) continue;
    if (std::string_view(name) == "version.json" && !is_folder(tree, join(folder, "targets")) &&
        !is_folder(tree, join(folder, "lib64")))
      continue;
    if (found.presence != Presence::absent) return true;
  }
  for (const std::string& target : targets_of(tree, folder)) {
    if (!tree.resolve(join(target, "include/cuda.h")).empty() || has_runtime(tree, join(target, "lib")))
      return true;
  }
  return has_runtime(tree, join(folder, "lib64"));
}

std::vector<std::string> configured_loader_folders(const Tree& tree) {
  std::vector<std::string> folders;
  std::vector<std::string> files;
  read_loader_configuration(tree, "/etc/ld.so.conf", files, folders);
  return folders;
}

std::vector<ToolkitLead> toolkit_leads(const Context& context) {
  const Tree& tree = context.tree;
  std::vector<ToolkitLead> leads;
  for (const char* const name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"}) {
    const std::string folder = value_of(context.environment, name).value_or("");
    const std::string real = folder.starts_with('/') ? tree.resolve(folder) : "";
    leads.push_back({name, folder, !real.empty() && is_toolkit(tree, real) ? real : ""});
  }
  const std::string nvcc = find_in_path(tree, context.environment, "nvcc");
  leads.push_back({"PATH", nvcc, nvcc.empty() ? "" : toolkit_of_nvcc(tree, nvcc)});
  const auto through = [&](const char* by, const std::vector<std::string>& folders) {
    ToolkitLead lead{by, "", ""};
    for (const std::string& folder : folders) {
      if (!lead.toolkit.empty()) break;
      lead.toolkit = toolkit_above(tree, folder);
      if (!lead.toolkit.empty()) lead.said = folder;
    }
    leads.push_back(std::move(lead));
  };
  through("LD_LIBRARY_PATH", folders_of(context.environment, "LD_LIBRARY_PATH"));
  const std::string usual = "/usr/local/cuda";
  const std::string real = tree.resolve(usual);
  leads.push_back({usual, real.empty() ? "" : usual, !real.empty() && is_toolkit(tree, real) ? real : ""});
  through("ld.so.conf", configured_loader_folders(tree));
  return leads;
}

std::vector<Toolkit> find_toolkits(const Context& context) {
  const Tree& tree = context.tree;
  std::vector<Toolkit> toolkits;
  const auto add = [&](const std::string& place) {
    const std::string real = tree.resolve(place);
    if (real.empty() || !is_toolkit(tree, real)) return;
    auto known =
        std::find_if(toolkits.begin(), toolkits.end(), [&](const Toolkit& t) { return t.path == real; });
    if (known == toolkits.end()) known = toolkits.insert(toolkits.end(), describe(tree, real));
    for (const std::string& name : link_chain(tree, place)) {
      if (name != real && tree.resolve(name) == real) add_once(known->names, name);
    }
  };
  for (const std::string& place : usual_places(context)) add(place);
  for (const ToolkitLead& lead : toolkit_leads(context)) {
    if (!lead.toolkit.empty() && lead.by.starts_with("CUDA_")) add(normal(lead.said));
    if (!lead.toolkit.empty()) add(lead.toolkit);
  }
  return toolkits;
}

}  // namespace gpugauge::stack

// Adds toolkit.* and forward_compat.* to the inventory.
#include "stack/inventory/toolkits.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/compat/version.hpp"
#include "stack/inventory/toolkits_headers.hpp"
#include "stack/inventory/toolkits_paths.hpp"
#include "stack/inventory/words.hpp"
#include "stack/loader.hpp"
#include "stack/shared_object.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t header_limit = std::size_t{256} << 10;

struct Fact {
  std::string value;
  std::string source;
  std::string how;
};

/// The header in the first include folder that has it.
std::string header_of(const Tree& tree, const Toolkit& toolkit, std::string_view name) {
  for (const std::string& folder : toolkit.include_folders) {
    std::string path = join(folder, name);
    if (!tree.resolve(path).empty()) return path;
  }
  return "";
}

Fact release_in_header(const Tree& tree, const Toolkit& toolkit) {
  const std::string path = header_of(tree, toolkit, "cuda.h");
  if (path.empty()) return {};
  const auto number = defined_number(tree.read(path, header_limit).text, "CUDA_VERSION");
  return {number ? cuda_version_of(*number) : "", path, "CUDA_VERSION"};
}

/// The release from the runtime library's full name, if a toolkit has no headers: libcudart.so.12.8.90.
Fact release_of_runtime(const Tree& tree, const Toolkit& toolkit) {
  for (const std::string& folder : toolkit.library_folders) {
    for (const std::string& path : entries(tree, folder, "libcudart.so.")) {
      const auto version = Version::parse(version_in_file_name(tree.resolve(path)));
      if (version && version->size() >= 2)
        return {version->first(2).text(), path, "file name of its runtime"};
    }
  }
  return {};
}

Fact version_of_toolkit(const Tree& tree, const Toolkit& toolkit) {
  std::string path = join(toolkit.path, "version.json");
  if (std::string version = version_in_json(tree.read(path).text); !version.empty())
    return {version, path, "version.json"};
  path = join(toolkit.path, "version.txt");
  if (std::string version = version_in_txt(tree.read(path).text); !version.empty())
    return {version, path, "version.txt"};
  if (Fact header = release_in_header(tree, toolkit); !header.value.empty()) return header;
  return release_of_runtime(tree, toolkit);
}

void add_number(const std::string& key, const std::optional<int>& number, const std::string& source,
                Inventory& inventory) {
  if (number) {
    inventory.present(key, fmt::format("{}", *number), source, "the compiler check in it");
  } else {
    inventory.absent(key, source, "it states no such limit");
  }
}

void add_toolkit(const Context& context, const Toolkit& toolkit, const std::string& key,
                 Inventory& inventory) {
  const Tree& tree = context.tree;
  inventory.present(key + ".path", toolkit.path, toolkit.path);
  if (!toolkit.names.empty())
    inventory.present(key + ".names", fmt::format("{}", fmt::join(toolkit.names, " ")), toolkit.path,
                      "symbolic links");
  const Fact version = version_of_toolkit(tree, toolkit);
  if (version.value.empty()) {
    inventory.present(key + ".version", "unknown", toolkit.path,
                      "no version file, cuda.h or runtime tells it");
  } else {
    inventory.present(key + ".version", version.value, version.source, version.how);
  }
  const std::string nvcc = join(toolkit.path, "bin/nvcc");
  const Fact release = release_in_header(tree, toolkit);
  if (tree.resolve(nvcc).empty()) {
    inventory.absent(key + ".nvcc", nvcc);
  } else if (release.value.empty()) {
    inventory.present(key + ".nvcc", "unknown", nvcc, "no cuda.h beside it tells its release");
  } else {
    inventory.present(key + ".nvcc", release.value, release.source, release.how);
  }
  const std::string config = header_of(tree, toolkit, "crt/host_config.h");
  if (config.empty()) {
    inventory.absent(key + ".host_compiler_most", toolkit.path, "it has no crt/host_config.h");
    return;
  }
  const HostCompilerLimits limits = limits_in_host_config(tree.read(config, header_limit).text);
  add_number(key + ".host_compiler_most", limits.gcc, config, inventory);
  add_number(key + ".host_clang_most", limits.clang, config, inventory);
}

void add_leads(const std::vector<ToolkitLead>& leads, Inventory& inventory) {
  for (const ToolkitLead& lead : leads) {
    const std::string key = "toolkit.by." + lead.by;
    const bool path = lead.by.starts_with('/');
    const std::string source = path ? lead.by : lead.by == "ld.so.conf" ? "/etc/ld.so.conf" : "environment";
    if (!lead.toolkit.empty()) {
      inventory.present(key, lead.toolkit, source, lead.said == lead.toolkit ? "" : lead.said);
    } else if (lead.said.empty()) {
      inventory.absent(key, source,
                       lead.by == "LD_LIBRARY_PATH" || lead.by == "ld.so.conf"
                           ? "no folder of it is a toolkit's"
                       : lead.by == "PATH" ? "no nvcc on it"
                                           : "not set");
    } else {
      inventory.absent(key, source, fmt::format("{}{}", shown(lead.said), leads_to_no_toolkit));
    }
  }
  for (const char* const by : {"CUDA_HOME", "CUDA_PATH", "PATH", "/usr/local/cuda"}) {
    const auto lead =
        std::find_if(leads.begin(), leads.end(), [&](const ToolkitLead& l) { return l.by == by; });
    if (lead == leads.end() || lead->toolkit.empty()) continue;
    inventory.present("toolkit.selected", lead->toolkit, lead->said,
                      "first of CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda");
    inventory.present("toolkit.selected_by", by, lead->said);
    return;
  }
  inventory.absent("toolkit.selected", "CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda");
  inventory.absent("toolkit.selected_by", "CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda");
}

void add_forward_compat(const Context& context, const std::vector<Toolkit>& toolkits, Inventory& inventory) {
  const Tree& tree = context.tree;
  const std::vector<std::string> folders = forward_compat_folders(context, toolkits);
  std::size_t index = 0;
  for (const std::string& folder : folders) {
    const std::string key = fmt::format("forward_compat.{}", index++);
    inventory.present(key + ".path", folder, folder);
    const std::string real = tree.resolve(join(folder, "libcuda.so.1"));
    const std::string version = version_word(version_in_file_name(real));
    const bool tells = version.find('.') != std::string::npos;
    inventory.present(key + ".version", tells ? version : "unknown", real, "file name");
  }
  const std::string key = "forward_compat.in_use";
  std::string picked;
  for (const std::string& path : Loader(tree, context.environment).all("libcuda.so.1")) {
    picked = tree.resolve(path);
    if (!picked.empty()) break;
  }
  if (picked.empty()) {
    inventory.absent(key, "loader", "it finds no libcuda.so.1");
    return;
  }
  const bool in_use = std::find(folders.begin(), folders.end(), parent_of(picked)) != folders.end();
  inventory.present(key, in_use ? "yes" : "no", picked, "the libcuda.so.1 that the loader takes");
}

}  // namespace

void collect_toolkits(const Context& context, Inventory& inventory) {
  const std::vector<Toolkit> toolkits = find_toolkits(context);
  std::size_t index = 0;
  for (const Toolkit& toolkit : toolkits)
    add_toolkit(context, toolkit, fmt::format("toolkit.{}", index++), inventory);
  add_leads(toolkit_leads(context), inventory);
  collect_host_compilers(context, inventory);
  add_forward_compat(context, toolkits, inventory);
}

}  // namespace gpugauge::stack

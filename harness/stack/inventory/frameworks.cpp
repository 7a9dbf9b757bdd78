// Adds python.*, framework.* and wheel.* to the inventory.
#include "stack/inventory/frameworks.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/compat/version.hpp"
#include "stack/inventory/collect.hpp"
#include "stack/inventory/python.hpp"
#include "stack/inventory/toolkits_paths.hpp"

namespace gpugauge::stack {
namespace {

bool is_wanted(const std::string& name) {
  return !framework_of(name).empty() || is_nvidia_wheel(name) || name == "jaxlib" || name.starts_with("jax-");
}

/// "torch 2.8.0" for each; the first is the newest or the first found.
std::string listed(const std::vector<const Distribution*>& distributions) {
  std::vector<std::string> texts;
  texts.reserve(distributions.size());
  for (const Distribution* one : distributions)
    texts.push_back(one->version.empty() ? one->name : fmt::format("{} {}", one->name, one->version));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Sorts by the order in which an import finds them: by package folder. Within a folder the newest comes
/// first, because leftovers of an upgrade are older.
void sort_by_import(std::vector<const Distribution*>& distributions) {
  std::stable_sort(distributions.begin(), distributions.end(),
                   [](const Distribution* left, const Distribution* right) {
                     if (left->site != right->site) return false;  // they are already in folder order
                     return Version::parse(left->version).value_or(Version()) >
                            Version::parse(right->version).value_or(Version());
                   });
}

void add_fact(const std::string& key, const BuildFact& fact, Inventory& inventory) {
  if (!fact.value.empty()) inventory.present(key, fact.value, fact.source, fact.how);
}

void add_version(const std::string& key, const Distribution& chosen, const BuildFact& own,
                 Inventory& inventory) {
  if (!own.value.empty() && own.value != chosen.version && !own.value.starts_with(chosen.version + "+")) {
    inventory.present(key, own.value, own.source,
                      chosen.version.empty()
                          ? fmt::format("{}; {}", own.how, chosen.how)
                          : fmt::format("{}, though its metadata says {}", own.how, chosen.version));
  } else if (!own.value.empty() && own.value != chosen.version) {
    inventory.present(key, own.value, own.source, own.how);  // the same version with its local part
  } else if (!chosen.version.empty()) {
    inventory.present(key, chosen.version, chosen.folder, chosen.how);
  } else {
    inventory.present(key, "unknown", chosen.folder, chosen.how);
  }
}

/// Adds the distribution under its pip name. Adds its metadata's version only if the framework reports
/// another one: pip compares the metadata, and the package index has no "2.8.0+cu128".
void add_package(const std::string& key, const std::vector<const Distribution*>& providers,
                 const BuildFact& own, Inventory& inventory) {
  if (own.value.empty())
    inventory.present(key + ".package", providers.front()->name, providers.front()->folder,
                      providers.front()->how);
  else
    add_fact(key + ".package", own, inventory);
  const std::string name = inventory.value(key + ".package");
  const auto found = std::find_if(providers.begin(), providers.end(),
                                  [&](const Distribution* one) { return one->name == name; });
  if (found == providers.end() || (*found)->version.empty() ||
      (*found)->version == inventory.value(key + ".version"))
    return;
  inventory.present(key + ".package_version", (*found)->version, (*found)->folder, (*found)->how);
}

void add_framework(const Context& context, const std::string& name,
                   std::vector<const Distribution*> providers, const std::vector<Distribution>& all,
                   const PythonEnvironment& python, Inventory& inventory) {
  const std::string key = "framework." + name;
  sort_by_import(providers);
  std::vector<Distribution> of_site;
  for (const Distribution& one : all) {
    if (one.site == providers.front()->site) of_site.push_back(one);
  }
  const Distribution& chosen = *providers.front();
  const FrameworkBuildFacts facts = read_build(context.tree, name, chosen, of_site);
  add_version(key + ".version", chosen, facts.version, inventory);
  add_package(key, providers, facts.package, inventory);
  if (providers.size() > 1)
    inventory.present(key + ".installed", listed(providers), chosen.site, "metadata of each is there");
  add_fact(key + ".build", facts.build, inventory);
  add_fact(key + ".cuda", facts.cuda, inventory);
  add_fact(key + ".cudnn", facts.cudnn, inventory);
  add_fact(key + ".nccl", facts.nccl, inventory);
  add_fact(key + ".arch_list", facts.arch_list, inventory);
  if (!context.import_frameworks || !context.tree.live()) return;
  const ChildResult child = run_child({python.path, "-c", import_script, name}, context.import_seconds);
  add_import(name, python.path, child, context.import_seconds, inventory);
}

void add_wheels(const std::vector<Distribution>& all, Inventory& inventory) {
  constexpr std::size_t wheels_most = 400;  // NVIDIA has some dozens
  std::map<std::string, std::vector<const Distribution*>> by_name;
  for (const Distribution& wheel : all)
    if (is_nvidia_wheel(wheel.name)) by_name[wheel.name].push_back(&wheel);
  std::size_t told = 0;
  for (auto& [name, same] : by_name) {
    if (told++ == wheels_most) {
      inventory.present("wheels.left_out", std::to_string(by_name.size() - wheels_most), same.front()->site,
                        fmt::format("only the first {} by name are told", wheels_most));
      break;
    }
    sort_by_import(same);
    const std::string key = "wheel." + name;
    const Distribution& chosen = *same.front();
    inventory.present(key + ".version", chosen.version.empty() ? "unknown" : chosen.version, chosen.folder,
                      chosen.how);
    if (same.size() > 1)
      inventory.present(key + ".installed", listed(same), chosen.site, "metadata of each is there");
  }
}

/// Package folders that may not be listed; their content is unknown.
std::string closed_folders(const Tree& tree, const std::vector<std::string>& folders) {
  std::vector<std::string> closed;
  for (const std::string& folder : folders) {
    std::error_code error;
    const std::filesystem::directory_iterator listing(tree.at(folder), error);
    if (error == std::errc::permission_denied) closed.push_back(folder);
  }
  return fmt::format("{}", fmt::join(closed, " "));
}

}  // namespace

std::string framework_of(const std::string& distribution) {
  struct Start {
    const char* word;
    const char* framework;
  };
  static constexpr std::array exact{
      Start{"torch", "torch"},
      Start{"tensorflow", "tensorflow"},
      Start{"tf-nightly", "tensorflow"},
      Start{"intel-tensorflow", "tensorflow"},
      Start{"jax", "jax"},
      Start{"onnxruntime", "onnxruntime"},
      Start{"ort-nightly", "onnxruntime"},
      Start{"cupy", "cupy"},
      Start{"vllm", "vllm"},
  };
  static constexpr std::array variants{"-cpu",      "-gpu",      "-rocm",     "-cuda",
                                       "-openvino", "-directml", "-training", "-cpu-aws",
                                       "-migraphx", "-qnn",      "-trt-rtx"};
  for (const Start& start : exact) {
    if (!distribution.starts_with(start.word)) continue;
    const std::string_view rest = std::string_view(distribution).substr(std::string_view(start.word).size());
    if (rest.empty()) return start.framework;
    // jax-cuda12-plugin is a part of JAX, not JAX itself.
    if (std::string_view(start.framework) == "jax" || std::string_view(start.framework) == "torch") continue;
    const auto is_start = [&](std::string_view variant) { return rest.starts_with(variant); };
    if (std::any_of(variants.begin(), variants.end(), is_start)) return start.framework;
  }
  return "";
}

void collect_frameworks(const Context& context, Inventory& inventory) {
  const PythonSearch search = find_python(context);
  if (!search.found) {
    inventory.absent("python.path", search.wanted, "no interpreter was found there");
    return;
  }
  const PythonEnvironment& python = *search.found;
  inventory.present("python.path", python.path, python.named_by);
  if (python.version.empty()) {
    inventory.present("python.version", "unknown", python.prefix,
                      "neither a file nor a folder's name tells it");
  } else {
    inventory.present("python.version", python.version, python.version_from);
  }
  inventory.present("python.prefix", python.prefix, python.path);
  inventory.present("python.kind", python.kind, python.prefix);
  std::vector<Distribution> all;
  for (const std::string& site : python.packages) {
    for (Distribution& one : distributions_in(context.tree, site, is_wanted)) all.push_back(std::move(one));
  }
  const std::string searched = shown(fmt::format("{}", fmt::join(python.packages, " ")), 1000);
  const std::string closed = closed_folders(context.tree, python.packages);
  for (const std::string name : frameworks) {
    std::vector<const Distribution*> providers;
    for (const Distribution& one : all) {
      if (framework_of(one.name) == name) providers.push_back(&one);
    }
    if (!providers.empty()) {
      add_framework(context, name, std::move(providers), all, python, inventory);
    } else if (!closed.empty()) {
      inventory.unreadable(fmt::format("framework.{}.version", name), closed,
                           "read permission for the folder");
    } else {
      inventory.absent(fmt::format("framework.{}.version", name),
                       searched.empty() ? python.prefix : searched);
    }
  }
  add_wheels(all, inventory);
}

}  // namespace gpugauge::stack

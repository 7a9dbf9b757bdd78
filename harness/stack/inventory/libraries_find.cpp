#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "stack/compat/version.hpp"
#include "stack/elf_file.hpp"
#include "stack/inventory/libraries.hpp"
#include "stack/inventory/python.hpp"
#include "stack/inventory/toolkits.hpp"
#include "stack/inventory/toolkits_paths.hpp"
#include "stack/loader.hpp"

namespace gpugauge::stack {
namespace {

/// The name programs ask for: from the file, else its own name up to the first number.
std::string soname_of(const Tree& tree, const LibraryFile& file, const std::string& real) {
  const ElfFile elf(FileBytes(tree.at(real)));
  if (elf.valid()) {
    std::string soname = shown(elf.dynamic().soname);
    if (library_of_file(soname)) return soname;
  }
  if (file.numbers.empty()) return file.stem + ".so";
  return fmt::format("{}.so.{}", file.stem, file.numbers.substr(0, file.numbers.find('.')));
}

/// Collects copies folder by folder, each file once.
class Collector {
 public:
  explicit Collector(const Tree& tree) : tree_(tree) {}

  void folder(const std::string& path, const std::string& origin) {
    const std::string real = tree_.resolve(path);
    if (real.empty() || !folders_.insert(real).second) return;
    for (const std::string& name : tree_.list(real)) {
      if (name.find(".so") != std::string::npos) file(join(path, name), origin);
    }
  }

  void file(const std::string& path, const std::string& origin) {
    const auto library = library_of_file(file_name_of(path));
    if (!library) return;
    // A name without numbers is for linking only, except for a plugin, which is loaded by it.
    if (library->numbers.empty() && library->name != "nccl_net") return;
    const std::string real = tree_.resolve(path);
    if (real.empty() || is_folder(tree_, real) || !files_.insert(real).second) return;
    LibraryCopy copy{*library, path, real, "", origin, false};
    // The link's target may have more numbers or another name.
    if (const auto target = library_of_file(file_name_of(real)); target && target->name == library->name)
      copy.file = *target;
    copy.soname = soname_of(tree_, copy.file, real);
    copies_.push_back(std::move(copy));
  }

  std::vector<LibraryCopy> take() { return std::move(copies_); }

 private:
  const Tree& tree_;
  std::set<std::string> folders_;
  std::set<std::string> files_;
  std::vector<LibraryCopy> copies_;
};

void collect_packages_folders(const Context& context, Collector& collector) {
  const PythonSearch python = find_python(context);
  if (!python.found) return;
  for (const std::string& site : python.found->packages) {
    for (const std::string& component : entries(context.tree, join(site, "nvidia")))
      collector.folder(join(component, "lib"), "wheel");
    for (const char* const own : {"torch/lib", "tensorrt_libs", "onnxruntime/capi"})
      collector.folder(join(site, own), "wheel");
  }
  if (python.found->kind == "conda") collector.folder(join(python.found->prefix, "lib"), "conda");
}

/// Marks the loader's pick for each name.
void mark_picked(const Tree& tree, const Loader& loader, std::vector<LibraryCopy>& copies) {
  std::set<std::string> asked;
  for (const LibraryCopy& copy : copies) {
    if (!asked.insert(copy.soname).second) continue;
    std::string real;
    for (const std::string& path : loader.all(copy.soname)) {
      real = tree.resolve(path);
      if (!real.empty()) break;  // the loader skips a dangling link
    }
    for (LibraryCopy& other : copies) {
      if (!real.empty() && other.real == real) other.picked = true;
    }
  }
}

/// Newest soname first; sonames without a number come last.
bool newer_soname(const LibraryCopy& left, const LibraryCopy& right) {
  const auto number = [](const LibraryCopy& copy) {
    const auto at = copy.soname.find(".so.");
    return at == std::string::npos ? std::nullopt
                                   : Version::parse(std::string_view(copy.soname).substr(at + 4));
  };
  return number(left).value_or(Version()) > number(right).value_or(Version());
}

}  // namespace

std::vector<LibraryCopy> find_libraries(const Context& context) {
  const Loader loader(context.tree, context.environment);
  Collector collector(context.tree);
  for (const std::string& folder : loader.path_folders()) collector.folder(folder, "LD_LIBRARY_PATH");
  for (const CachedLibrary& entry : loader.cache()) {
    if (library_of_file(file_name_of(entry.path))) collector.file(entry.path, "loader cache");
  }
  for (const std::string& folder : loader.standard_folders()) collector.folder(folder, "standard folder");
  for (const Toolkit& toolkit : find_toolkits(context)) {
    for (const std::string& folder : toolkit.library_folders) collector.folder(folder, "toolkit");
  }
  collect_packages_folders(context, collector);
  const std::string conda = value_of(context.environment, "CONDA_PREFIX").value_or("");
  if (conda.starts_with('/')) collector.folder(join(conda, "lib"), "conda");
  std::vector<LibraryCopy> copies = collector.take();
  mark_picked(context.tree, loader, copies);
  std::stable_sort(copies.begin(), copies.end(), [](const LibraryCopy& left, const LibraryCopy& right) {
    if (left.picked != right.picked) return left.picked;
    return left.picked && newer_soname(left, right);
  });
  return copies;
}

}  // namespace gpugauge::stack

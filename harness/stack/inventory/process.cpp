#include "stack/inventory/process.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "stack/compat/version.hpp"
#include "stack/inventory/collect.hpp"
#include "stack/inventory/libraries.hpp"
#include "stack/inventory/python.hpp"
#include "stack/inventory/toolkits_paths.hpp"
#include "stack/shared_object.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t maps_limit = std::size_t{32} << 20;
constexpr std::size_t environ_limit = std::size_t{4} << 20;
constexpr std::size_t libraries_most = 500;
constexpr const char* permission = "the same user or root";

/// Name in the inventory: of a library or of a driver library; "" for any other file.
std::string name_of(const std::string& path) {
  const std::string file = file_name_of(path);
  if (const auto library = library_of_file(file)) return library->name;
  for (const char* const driver : {"libcuda", "libnvidia-ml"}) {
    if (file.starts_with(fmt::format("{}.so", driver))) return driver;
  }
  return "";
}

/// The files as the process sees them; in its own container they differ from ours.
Tree files_of(const Context& context, const std::string& folder) {
  return context.tree.live() && context.tree.exists(folder + "/root") ? Tree(folder + "/root") : context.tree;
}

VersionFact version_of_mapped(const Tree& files, const MappedFile& mapped, FileOwners& owners) {
  const std::string named = version_word(version_in_file_name(mapped.path));
  const auto version = Version::parse(named);
  if (version && version->size() >= 2 && mapped.path.find("libnccl-net") == std::string::npos) {
    const bool whole = version->size() >= 3 || !library_of_file(file_name_of(mapped.path));
    if (whole) return {named, "file name", true};
  }
  if (mapped.deleted) return {"unknown", "the file of that name is another one now", false};
  const auto library = library_of_file(file_name_of(mapped.path));
  const std::string real = files.resolve(mapped.path);
  if (!library || real.empty()) return {"unknown", "the file could not be looked at", false};
  return version_of_copy(files, *library, real, owners);
}

void add_libraries(const Context& context, const std::string& folder, Inventory& inventory) {
  const std::string source = folder + "/maps";
  const Reading maps = context.tree.read(source, maps_limit);
  if (maps.presence == Presence::unreadable) {
    inventory.unreadable("process.library", source, permission);
    return;
  }
  if (!maps.present() || maps.text.empty()) {
    inventory.absent("process.library", source,
                     "it has no memory of its own: a kernel thread, or it has ended");
    return;
  }
  const Tree files = files_of(context, folder);
  const PythonSearch python = find_python(context);
  FileOwners owners(files, python.found ? python.found->packages : std::vector<std::string>{});
  std::size_t index = 0;
  for (const MappedFile& mapped : mapped_files(maps.text)) {
    const std::string name = name_of(mapped.path);
    if (name.empty() || index >= libraries_most) continue;
    const std::string key = fmt::format("process.library.{}", index++);
    inventory.present(key + ".path", mapped.path, source);
    inventory.present(key + ".name", name, source, "file name");
    const VersionFact version = version_of_mapped(files, mapped, owners);
    inventory.present(key + ".version", version.value, mapped.path, version.how);
    inventory.present(key + ".deleted", mapped.deleted ? "yes" : "no", source);
  }
  if (index == 0) inventory.absent("process.library", source, "none of CUDA's libraries is mapped");
}

void add_environment(const Context& context, const std::string& folder, Inventory& inventory) {
  const std::string source = folder + "/environ";
  const Reading environ = context.tree.read_raw(source, environ_limit);
  if (!environ.present()) {
    if (environ.presence == Presence::unreadable) inventory.unreadable("process.env", source, permission);
    return;
  }
  for (const auto& [name, value] : environment_of_stack(parse_environ(environ.text)))
    inventory.present("process." + name, value, source, "as it was started");
}

}  // namespace

std::vector<MappedFile> mapped_files(std::string_view maps) {
  constexpr std::string_view deleted = " (deleted)";
  std::vector<MappedFile> files;
  std::set<std::string> seen;
  std::size_t start = 0;
  while (start < maps.size()) {
    const std::size_t end = std::min(maps.find('\n', start), maps.size());
    const std::string_view line = maps.substr(start, end - start);
    start = end + 1;
    // "7f0a-7f0b r-xp 00000000 fe:01 123   /path": only the path has a slash.
    const auto slash = line.find('/');
    if (slash == std::string_view::npos) continue;
    MappedFile file{std::string(line.substr(slash)), false};
    if (file.path.ends_with(deleted)) {
      file.deleted = true;
      file.path.erase(file.path.size() - deleted.size());
    }
    if (seen.insert(file.path + (file.deleted ? "\n" : "")).second) files.push_back(std::move(file));
  }
  return files;
}

Environment parse_environ(std::string_view bytes) {
  Environment environment;
  std::size_t start = 0;
  while (start < bytes.size()) {
    const std::size_t end = std::min(bytes.find('\0', start), bytes.size());
    const std::string_view pair = bytes.substr(start, end - start);
    start = end + 1;
    const auto equals = pair.find('=');
    if (equals != std::string_view::npos && equals > 0)
      environment.emplace(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return environment;
}

void collect_process(const Context& context, Inventory& inventory) {
  if (!context.pid) return;
  const std::string folder = fmt::format("/proc/{}", *context.pid);
  if (!is_folder(context.tree, folder)) {
    inventory.absent("process.pid", folder, fmt::format("no process {} is running", *context.pid));
    return;
  }
  inventory.present("process.pid", fmt::format("{}", *context.pid), folder);
  const Reading name = context.tree.read(folder + "/comm");
  if (name.present()) inventory.present("process.name", shown(name.text), folder + "/comm");
  add_libraries(context, folder, inventory);
  add_environment(context, folder, inventory);
}

}  // namespace gpugauge::stack

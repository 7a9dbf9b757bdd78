// Finds or makes the libraries and folders that injected faults need.
#include "conductor/fault_made.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "result/file.hpp"
#include "run/runner.hpp"
#include "stack/inventory/collect.hpp"
#include "stack/rules/cuda_support.hpp"

namespace gpugauge::conductor {
namespace {

namespace fs = std::filesystem;

fs::path library_of(const Fault& fault) {
  return run::family_directory() / "faults" / fmt::format("{}.so", fault.library);
}

/// The folder whose code sets PyTorch's switch when Python starts.
fs::path switch_folder() {
  return run::family_directory() / "frameworks" / "fault_tf32";
}

stack::Inventory libraries_below(const fs::path& root) {
  stack::Context context;
  context.tree = stack::Tree(root);
  context.environment = stack::current_environment();
  stack::Inventory found;
  stack::collect_libraries(context, found);
  return found;
}

/// CUPTI's own library, preferably the one the loader picks; "" where there is none.
std::string cupti_of(const stack::Inventory& inventory) {
  const auto copies = stack::copies_of(inventory, "cupti");
  return copies.empty() ? "" : copies.front().path;
}

/// A folder with a CUDA library of the same name but another version than the loader's pick. The loader does
/// not search it by itself. "" where there is none.
std::string folder_of_other_version(const stack::Inventory& inventory) {
  for (const std::string& name : inventory.children("library")) {
    const auto copies = stack::copies_of(inventory, name);
    if (copies.empty() || !copies.front().version || !copies.front().reachable()) continue;
    const stack::CopyView& pick = copies.front();
    const auto other = std::find_if(copies.begin(), copies.end(), [&](const stack::CopyView& copy) {
      return copy.version && copy.version->first(3) != pick.version->first(3) && copy.soname == pick.soname &&
             copy.folder != pick.folder && !copy.reachable();
    });
    if (other != copies.end()) return other->folder;
  }
  return "";
}

/// The CUDA runtime that the loader picks; nullopt where there is none.
std::optional<stack::CopyView> runtime_of(const stack::Inventory& inventory) {
  const auto copies = stack::copies_of(inventory, "cudart");
  if (copies.empty() || copies.front().soname.empty() || !copies.front().reachable()) return std::nullopt;
  return copies.front();
}

/// Makes a folder with a copy of the installed CUDA runtime under a version that never existed. Every program
/// still works with it, and its name suggests two installed versions.
fs::path make_other_version(const stack::CopyView& installed, const FaultPlace& place) {
  fs::path made = place.folder / "other-version";
  const std::string name = installed.soname + ".99.0";
  fs::create_directories(made);
  fs::copy_file(place.root / fs::path(installed.path).relative_path(), made / name,
                fs::copy_options::overwrite_existing);
  if (!fs::is_symlink(made / installed.soname)) fs::create_symlink(name, made / installed.soname);
  return made;
}

/// `first` in front of the variable's current value.
std::string before_what_is_there(const char* variable, const std::string& first) {
  const char* const there = std::getenv(variable);
  return there == nullptr || *there == '\0' ? first : fmt::format("{}:{}", first, there);
}

/// Makes the files that a CPU-only PyTorch installation leaves, as far as a reader sees them without running
/// Python.
fs::path make_cpu_only_environment(const fs::path& folder) {
  fs::path made = folder / "cpu-only";
  const fs::path site = made / "lib" / "python3.11" / "site-packages";
  fs::create_directories(made / "bin");
  fs::create_directories(site / "torch");
  fs::create_directories(site / "torch-2.9.1+cpu.dist-info");
  result::write_file(made / "pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n");
  result::write_file(made / "bin" / "python3", "");
  result::write_file(site / "torch" / "__init__.py", "");
  result::write_file(site / "torch" / "version.py", "__version__ = '2.9.1+cpu'\ncuda = None\nhip = None\n");
  result::write_file(site / "torch-2.9.1+cpu.dist-info" / "METADATA",
                     "Metadata-Version: 2.1\nName: torch\nVersion: 2.9.1+cpu\n");
  return made;
}

}  // namespace

std::string why_not_made(const Fault& fault, const FaultPlace& place) {
  std::error_code ignored;
  if (!fault.library.empty() && !fs::is_regular_file(library_of(fault), ignored))
    return fmt::format("{} is not installed here", library_of(fault).string());
  if (fault.as_profiler && cupti_of(libraries_below(place.root)).empty())
    return "there is no CUPTI (libcupti) here";
  switch (fault.made) {
    case Made::nothing:
    case Made::cpu_only_framework:
      return "";
    case Made::other_version:
      return runtime_of(libraries_below(place.root))
                 ? ""
                 : "the loader finds no CUDA runtime (libcudart) here, of which there could be two versions";
    case Made::framework_switch:
      return fs::is_directory(switch_folder(), ignored)
                 ? ""
                 : fmt::format("{} is not installed here", switch_folder().string());
  }
  return "";
}

std::map<std::string, std::string> fault_variables(const Fault& fault, const FaultPlace& place) {
  std::map<std::string, std::string> out = healthy_variables(fault.found_by);
  for (const auto& [name, value] : fault.environment) out[std::string(name)] = value;
  if (const fs::path mark = fault_mark(fault, place); !mark.empty())
    out["GPUGAUGE_FAULT_MARK"] = mark.string();
  if (!fault.library.empty() && fault.as_profiler) {
    out["CUDA_INJECTION64_PATH"] = library_of(fault).string();
    out["GPUGAUGE_FAULT_CUPTI"] = cupti_of(libraries_below(place.root));
  } else if (!fault.library.empty()) {
    out["LD_PRELOAD"] = before_what_is_there("LD_PRELOAD", library_of(fault).string());
  }
  switch (fault.made) {
    case Made::nothing:
      break;
    case Made::other_version: {
      const stack::Inventory inventory = libraries_below(place.root);
      std::string folder = folder_of_other_version(inventory);
      if (const auto runtime = runtime_of(inventory); folder.empty() && runtime)
        folder = make_other_version(*runtime, place).string();
      out["LD_LIBRARY_PATH"] = before_what_is_there("LD_LIBRARY_PATH", folder);
      break;
    }
    case Made::cpu_only_framework:
      out["VIRTUAL_ENV"] = make_cpu_only_environment(place.folder).string();
      break;
    case Made::framework_switch:
      out["GPUGAUGE_FAULT_TF32"] = "off";
      break;
  }
  return out;
}

std::map<std::string, std::string> healthy_variables(FoundBy found_by) {
  if (found_by != FoundBy::frameworks) return {};
  return {{"PYTHONPATH", before_what_is_there("PYTHONPATH", switch_folder().string())},
          {"GPUGAUGE_FAULT_TF32", "on"}};
}

fs::path fault_mark(const Fault& fault, const FaultPlace& place) {
  const bool in_the_process = !fault.library.empty() || fault.made == Made::framework_switch;
  return in_the_process ? place.folder / "mark" : fs::path();
}

}  // namespace gpugauge::conductor

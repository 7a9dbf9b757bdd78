// Checks copies of one library: those that do not belong together, and those that hide each other.
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "stack/rules/cuda_parts.hpp"
#include "stack/rules/cuda_support.hpp"

namespace gpugauge::stack {
namespace {

bool differ(const CopyView& a, const CopyView& b) {
  return a.version && b.version && a.version->first(3) != b.version->first(3);
}

void add_line(std::vector<std::string>& lines, std::string line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
}

/// Parts that every cuDNN 9 has; others appeared and disappeared between releases.
bool always_there(const CopyView& main, std::string_view name) {
  static constexpr std::array<std::string_view, 7> parts{"cudnn_graph",
                                                         "cudnn_ops",
                                                         "cudnn_cnn",
                                                         "cudnn_adv",
                                                         "cudnn_heuristic",
                                                         "cudnn_engines_precompiled",
                                                         "cudnn_engines_runtime_compiled"};
  return main.version->major() == 9 && std::find(parts.begin(), parts.end(), name) != parts.end();
}

/// The part that a cuDNN would load: the one in its own folder, else the loader's pick of its major version.
/// nullptr if there is none or only another framework's private copy. Also nullptr if the only one is newer
/// than this cuDNN, which may not know that part.
const CopyView* part_for(const CopyView& main, const std::vector<CopyView>& parts) {
  const CopyView* other = nullptr;
  for (const CopyView& part : parts) {
    // cuDNN 8 and 9 can share a folder; their file names differ.
    if (!part.version || part.version->major() != main.version->major()) continue;
    if (part.folder == main.folder) return &part;
    const bool known = always_there(main, part.name) || *part.version <= *main.version;
    if (other == nullptr && part.reachable() && known) other = &part;
  }
  return other;
}

/// cuDNN's parts check each other's version when loaded, and refuse to work if they differ.
void check_cudnn_parts(const Inventory& inventory, Findings& findings) {
  std::vector<std::string> evidence;
  for (const CopyView& main : copies_of(inventory, "cudnn")) {
    if (!main.version) continue;
    for (const std::string& name : inventory.children("library")) {
      if (!name.starts_with("cudnn_")) continue;
      const auto parts = copies_of(inventory, name);
      const CopyView* part = part_for(main, parts);
      if (part == nullptr || !differ(main, *part)) continue;
      add_line(evidence, main.shown());
      add_line(evidence, part->shown());
    }
  }
  if (evidence.empty()) return;
  Finding finding = make_finding(
      Cause("mixed_library_versions"), Severity::failure, "cuDNN's libraries are of different versions",
      "cuDNN is several libraries that are loaded one by one, by name. Here a part would come from another "
      "release "
      "than the main library; cuDNN then refuses to work, at the first operation that needs that part.");
  finding.evidence = std::move(evidence);
  finding.considered = {"two complete copies side by side: that alone is normal, each finds its own parts"};
  finding.next = {
      "install one cuDNN release whole: remove the older package, or the files that were copied by hand",
      "LD_DEBUG=libs shows which files a program really loads"};
  finding.layers = {"cudnn"};
  findings.push_back(std::move(finding));
}

void check_cublas_parts(const Inventory& inventory, Findings& findings) {
  const auto cublas = copies_of(inventory, "cublas");
  const auto light = copies_of(inventory, "cublasLt");
  if (cublas.empty() || !cublas.front().version || !cublas.front().reachable()) return;
  const auto pick = std::find_if(light.begin(), light.end(), [&](const CopyView& copy) {
    return copy.reachable() && copy.version && copy.version->major() == cublas.front().version->major();
  });
  if (pick == light.end() || !differ(cublas.front(), *pick)) return;
  Finding finding = make_finding(
      Cause("mixed_library_versions"), Severity::warning, "cuBLAS and cuBLASLt are of different versions",
      "cuBLAS hands most products to cuBLASLt, and the two are released together. The loader picks them from "
      "different releases.");
  finding.evidence = {cublas.front().shown(), pick->shown()};
  finding.next = {"let LD_LIBRARY_PATH name one toolkit's library folder, or none"};
  finding.layers = {"cublas"};
  findings.push_back(std::move(finding));
}

/// The tree of the toolkit that a copy belongs to: "/usr/local/cuda-13.0"; "" outside of one.
std::string toolkit_of(const Inventory& inventory, const CopyView& copy) {
  for (const std::string& index : inventory.children("toolkit")) {
    std::string path = inventory.value("toolkit." + index + ".path");
    if (!path.empty() && path != "/usr" && copy.path.starts_with(path + "/")) return path;
  }
  const auto at = copy.path.find("/cuda-");
  const auto end = at == std::string::npos ? at : copy.path.find('/', at + 1);
  return end == std::string::npos ? "" : copy.path.substr(0, end);
}

struct Duplicates {
  std::vector<std::string> competing;   ///< two versions that are both reachable for the loader
  std::vector<std::string> overridden;  ///< LD_LIBRARY_PATH takes precedence over a wheel's own
  std::vector<std::string> toolkits;    ///< of two toolkits side by side, in their own trees
  std::vector<std::string> beside;      ///< a wheel's own copy and the system's
  std::vector<std::string> layers;
};

void add_copies(std::vector<std::string>& lines, const CopyView& pick, const CopyView& other) {
  add_line(lines, pick.shown() + ": the loader's pick");
  add_line(lines, other.shown());
}

void compare_copies(const Inventory& inventory, const std::string& name, const std::vector<CopyView>& copies,
                    Duplicates& found) {
  const CopyView& pick = copies.front();
  for (const CopyView& other : copies) {
    if (!differ(pick, other) || !pick.reachable()) continue;
    const bool wheel = other.brought_by_framework();
    if (!wheel && !other.reachable()) continue;  // another toolkit's copy; toolkits may coexist
    const std::string own = toolkit_of(inventory, pick);
    const bool side_by_side = !own.empty() && pick.origin != "LD_LIBRARY_PATH" &&
                              !toolkit_of(inventory, other).empty() && toolkit_of(inventory, other) != own;
    auto& lines = !wheel && side_by_side             ? found.toolkits
                  : !wheel                           ? found.competing
                  : pick.origin == "LD_LIBRARY_PATH" ? found.overridden
                                                     : found.beside;
    add_copies(lines, pick, other);
    if (std::find(found.layers.begin(), found.layers.end(), name) == found.layers.end())
      found.layers.push_back(name);
  }
}

/// Copies with the same soname; the pick comes first.
std::map<std::string, std::vector<CopyView>> by_soname(const Inventory& inventory, const std::string& name) {
  std::map<std::string, std::vector<CopyView>> groups;
  for (CopyView& copy : copies_of(inventory, name)) {
    const std::string soname = !copy.soname.empty()
                                   ? copy.soname
                                   : fmt::format("{}.{}", name, copy.version ? copy.version->major() : -1);
    groups[soname].push_back(std::move(copy));
  }
  return groups;
}

void add_duplicates(Severity severity, const std::string& title, std::string explanation,
                    std::vector<std::string> evidence, std::vector<std::string> next,
                    const std::vector<std::string>& layers, Findings& findings) {
  if (evidence.empty()) return;
  Finding finding =
      make_finding(Cause("duplicate_library_versions"), severity, title, std::move(explanation));
  finding.evidence = std::move(evidence);
  finding.next = std::move(next);
  finding.layers = layers;
  findings.push_back(std::move(finding));
}

}  // namespace

void check_copies(const RuleInput& input, Findings& findings) {
  check_cudnn_parts(input.inventory, findings);
  check_cublas_parts(input.inventory, findings);
  Duplicates found;
  for (const std::string& name : input.inventory.children("library")) {
    for (const auto& [soname, copies] : by_soname(input.inventory, name))
      compare_copies(input.inventory, name, copies, found);
  }
  add_duplicates(Severity::warning, "Two versions of one library are where the loader looks",
                 "Which one a program gets depends on the order of the search path, so it can change with an "
                 "environment variable or the next ldconfig.",
                 found.competing, {"remove the copy that is not wanted", "ldconfig -p shows the order"},
                 found.layers, findings);
  add_duplicates(
      Severity::note, "Toolkits side by side bring libraries of one name",
      "Each belongs to its own toolkit. A program that names no folder gets the loader's pick, which a new "
      "toolkit may change.",
      found.toolkits,
      {"Nothing; where a program needs one of them, let its LD_LIBRARY_PATH name that toolkit's folder"},
      found.layers, findings);
  add_duplicates(
      Severity::warning, "LD_LIBRARY_PATH puts another version before a framework's own library",
      "The loader looks into LD_LIBRARY_PATH before the search path that most libraries carry (RUNPATH), "
      "so parts of the framework may load this copy instead of the one they were tested with.",
      found.overridden, {"unset LD_LIBRARY_PATH for this framework", "LD_DEBUG=libs shows what is loaded"},
      found.layers, findings);
  if (found.competing.empty() && found.overridden.empty())
    add_duplicates(Severity::note, "Frameworks bring other versions than the system has",
                   "That is normal: a framework loads its own copies, other programs the system's.",
                   found.beside, {}, found.layers, findings);
}

}  // namespace gpugauge::stack

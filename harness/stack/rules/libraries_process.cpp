// Checks what a running process has mapped: not what it could load, but what it did load.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "stack/rules/cuda_parts.hpp"
#include "stack/rules/cuda_support.hpp"

namespace gpugauge::stack {
namespace {

struct Mapped {
  std::string name;  ///< "cudnn_ops" from libcudnn_ops.so.9.10.2
  std::string path;
  std::optional<Version> version;
  bool deleted = false;
  std::string shown;
};

std::string stem(std::string_view file) {
  file = file.substr(file.find_last_of('/') + 1);
  if (file.starts_with("lib")) file.remove_prefix(3);
  return std::string(file.substr(0, file.find(".so")));
}

std::vector<Mapped> mapped_of(const Inventory& inventory) {
  std::vector<Mapped> all;
  for (const std::string& index : inventory.children("process.library")) {
    const std::string key = "process.library." + index;
    Mapped one;
    one.path = inventory.value(key + ".path");
    if (one.path.empty()) continue;
    one.name = stem(one.path);
    one.version = version_of(inventory, key + ".version");
    one.deleted = is(inventory, key + ".deleted", "yes");
    one.shown = fmt::format("{} {} ({}{})", library_title(one.name),
                            one.version ? one.version->text() : "of unknown version", printable(one.path),
                            one.deleted ? ", deleted on disk" : "");
    all.push_back(std::move(one));
  }
  return all;
}

std::string process_text(const Inventory& inventory) {
  return fmt::format("process {} {}", printable(inventory.value("process.pid"), 20),
                     printable(inventory.value("process.name"), 60));
}

void check_deleted(const Inventory& inventory, const std::vector<Mapped>& all, Findings& findings) {
  std::vector<std::string> evidence;
  for (const Mapped& one : all) {
    if (one.deleted) evidence.push_back(one.shown);
  }
  if (evidence.empty()) return;
  Finding finding =
      make_finding(Cause("process_maps_replaced_library"), Severity::warning,
                   "The process still uses libraries that were replaced on disk",
                   "An upgrade has replaced these files since the process started. It goes on with the old "
                   "ones; what it loads "
                   "from now on is new, and processes started today get another version than this one.");
  finding.evidence = std::move(evidence);
  finding.evidence.insert(finding.evidence.begin(), process_text(inventory));
  finding.next = {"restart the process"};
  finding.layers = {"process"};
  findings.push_back(std::move(finding));
}

/// The family of libraries that are released together and must have one version within a process.
std::string family_of(const std::string& name) {
  if (name == "cudnn" || name.starts_with("cudnn_")) return "cuDNN";
  if (name == "cublas" || name == "cublasLt") return "cuBLAS";
  return "";
}

void check_mixed(const Inventory& inventory, const std::vector<Mapped>& all, Findings& findings) {
  std::map<std::string, std::vector<const Mapped*>> groups;
  for (const Mapped& one : all) {
    const std::string family = family_of(one.name);
    groups[family.empty() ? one.name : family].push_back(&one);
  }
  for (const auto& [name, members] : groups) {
    const auto first = std::find_if(members.begin(), members.end(),
                                    [](const Mapped* one) { return one->version.has_value(); });
    if (first == members.end()) continue;
    const auto other = std::find_if(first, members.end(), [&](const Mapped* one) {
      return one->version && one->version->first(3) != (*first)->version->first(3);
    });
    if (other == members.end()) continue;
    const bool family = !family_of((*first)->name).empty();
    Finding finding = make_finding(
        family ? Cause("mixed_library_versions") : Cause("duplicate_library_versions"),
        family && name == "cuDNN" ? Severity::failure : Severity::warning,
        fmt::format("The process has mapped two versions of {}", library_title(name)),
        family ? "Its libraries are released together; within one process they have to be of one release."
               : "One part of the program works with one version, another part with the other.");
    finding.evidence = {process_text(inventory)};
    for (const Mapped* one : members) finding.evidence.push_back(one->shown);
    finding.next = {"start it with LD_DEBUG=libs to see which part loads which file",
                    "unset LD_LIBRARY_PATH, or install one version only"};
    finding.layers = {"process", (*first)->name};
    findings.push_back(std::move(finding));
  }
}

}  // namespace

void check_mapped(const RuleInput& input, Findings& findings) {
  const std::vector<Mapped> all = mapped_of(input.inventory);
  check_deleted(input.inventory, all, findings);
  check_mixed(input.inventory, all, findings);
}

}  // namespace gpugauge::stack

// Checks frameworks in the selected Python: their build against the driver.
#include <algorithm>

#include <fmt/format.h>

#include "stack/rules/cuda_parts.hpp"
#include "stack/rules/cuda_support.hpp"

namespace gpugauge::stack {
namespace {

std::string label(const Inventory& inventory, const std::string& name) {
  const std::string version = inventory.value("framework." + name + ".version");
  return framework_title(name) + (version.empty() ? "" : " " + printable(version, 40));
}

/// True if a driver answers and there is a GPU to use.
bool gpu_usable(const Inventory& inventory) {
  if (cuda_works(inventory)) return true;
  return inventory.find("cuda.init.code") == nullptr && inventory.has("driver.version") &&
         !gpus_of(inventory).empty();
}

void check_cpu_only(const RuleInput& input, const std::string& name, Findings& findings) {
  const std::string key = "framework." + name;
  if (!is(input.inventory, key + ".build", "cpu") || !gpu_usable(input.inventory)) return;
  Finding finding = make_finding(Cause("cpu_only_wheel"), Severity::warning,
                                 fmt::format("{} is a build without CUDA", label(input.inventory, name)),
                                 "The driver works and a GPU is there, but this build cannot use it: "
                                 "everything runs on the processor, and no "
                                 "error says so.");
  add_seen(finding, input.inventory,
           {{key + ".version", framework_title(name)},
            {key + ".package", "package"},
            {"python.path", "Python"},
            {"driver.version", "driver"}});
  finding.considered = {"a broken driver: it answers and shows a GPU"};
  finding.next = {fmt::format("install the CUDA build of {} into this environment", framework_title(name)),
                  "if the processor is meant: nothing to do"};
  finding.layers = {"framework"};
  findings.push_back(std::move(finding));
}

void check_driver_for(const RuleInput& input, const std::string& name, Findings& findings) {
  const std::string key = "framework." + name;
  auto cuda = version_of(input.inventory, key + ".cuda");
  if (!cuda || is(input.inventory, key + ".build", "cpu")) return;
  if (cuda->size() == 1) cuda = Version({cuda->major(), 0});  // "12" means built for any 12.x
  const DriverView driver = driver_of(input.inventory);
  if (!driver.version && !driver.cuda_max) return;
  const PairFit pair = fit_driver_here(input, *cuda);
  note_unknown(findings, pair);
  if (pair.fit != Fit::fails) return;
  Finding finding = pair_finding(Cause("framework_newer_than_driver"), Severity::failure,
                                 fmt::format("{} carries CUDA {}, which the driver does not run",
                                             label(input.inventory, name), cuda->text()),
                                 pair);
  add_seen(finding, input.inventory,
           {{key + ".version", framework_title(name)}, {key + ".cuda", "its CUDA"}});
  finding.evidence.push_back(pair.first);
  finding.considered = {"the toolkit on this machine: a wheel does not use it"};
  finding.next.push_back(fmt::format("or install a build of {} for an older CUDA{}", framework_title(name),
                                     driver.cuda_max ? ", up to " + driver.cuda_max->text() : ""));
  finding.layers = {"framework", "driver"};
  findings.push_back(std::move(finding));
}

/// Reports two distributions that write the same folder: its files come from the one installed last.
void check_twice(const RuleInput& input, Findings& findings) {
  std::vector<std::string> evidence;
  for (const std::string group : {"framework", "wheel"}) {
    for (const std::string& name : input.inventory.children(group)) {
      const std::string key = fmt::format("{}.{}.installed", group, name);
      if (input.inventory.has(key)) evidence.push_back(seen(input.inventory, key, name + ":"));
    }
  }
  if (evidence.empty()) return;
  Finding finding =
      make_finding(Cause("framework_installed_twice"), Severity::warning,
                   "One package is installed more than once in this Python",
                   "Packages that provide the same modules overwrite each other's files, and what remains "
                   "may be a mixture; of "
                   "copies in different folders the first one is imported and hides the others.");
  finding.evidence = std::move(evidence);
  finding.next = {"uninstall all of them, several times if need be, and install the one that is wanted",
                  "python -m pip check"};
  finding.layers = {"framework"};
  findings.push_back(std::move(finding));
}

/// Compares the versions pinned in a framework's metadata with the installed wheels.
void check_pins(const RuleInput& input, const std::string& name, Findings& findings) {
  static constexpr std::string_view pinned = "Requires-Dist of ";
  for (const std::string library : {"cudnn", "nccl"}) {
    const std::string key = fmt::format("framework.{}.{}", name, library);
    const Item* item = input.inventory.find(key);
    if (item == nullptr || item->presence != Presence::present || !item->how.starts_with(pinned)) continue;
    const std::string wheel = "wheel." + item->how.substr(pinned.size()) + ".version";
    const auto wanted = Version::parse(item->value);
    const auto have = version_of(input.inventory, wheel);
    if (!wanted || !have || *wanted == *have) continue;
    Finding finding =
        make_finding(Cause("wheel_not_as_pinned"), Severity::warning,
                     fmt::format("{} requires {} {}, and {} is installed", framework_title(name),
                                 library_title(library), wanted->text(), have->text()),
                     "The framework was built and tested with exactly that version. Another one may work, "
                     "fail at some operation, "
                     "or be slower; nothing checks it at the start.");
    add_seen(finding, input.inventory,
             {{"framework." + name + ".version", framework_title(name)},
              {key, "requires " + library_title(library)},
              {wheel, "installed"}});
    finding.next = {fmt::format("python -m pip install '{}=={}'", item->how.substr(pinned.size()),
                                printable(item->value, 40)),
                    "python -m pip check"};
    finding.layers = {"framework", library};
    findings.push_back(std::move(finding));
  }
}

/// Reports the result of importing it (--import).
void check_import(const RuleInput& input, const std::string& name, Findings& findings) {
  const std::string key = "framework." + name + ".import.";
  if (!input.inventory.has(key + "outcome")) return;
  if (input.inventory.value(key + "outcome").starts_with("no answer within ")) {
    Finding finding = make_finding(
        Cause("framework_import_fails"), Severity::warning,
        fmt::format("Whether {} can be imported is not told: it took longer than the time limit",
                    label(input.inventory, name)),
        "The interpreter was ended while it imported. From a share of files that is not cached yet the first "
        "import takes minutes; an import that never ends looks the same.");
    add_seen(finding, input.inventory, {{key + "outcome", "import:"}, {"python.path", "Python"}});
    finding.next = {"Run it once more: the files are cached then",
                    fmt::format("If it takes as long again: python -X importtime -c 'import {}'", name)};
    finding.layers = {"framework"};
    findings.push_back(std::move(finding));
    return;
  }
  if (!is(input.inventory, key + "outcome", "ok")) {
    Finding finding = make_finding(Cause("framework_import_fails"), Severity::failure,
                                   fmt::format("{} cannot be imported", label(input.inventory, name)),
                                   "The interpreter ran and the import ended with an error.");
    add_seen(finding, input.inventory, {{key + "outcome", "import:"}, {"python.path", "Python"}});
    finding.next = {
        "a missing library is named in the message: findings about libraries say where it should be",
        "python -m pip check"};
    finding.layers = {"framework"};
    findings.push_back(std::move(finding));
    return;
  }
  const bool cuda_build = is(input.inventory, "framework." + name + ".build", "cuda");
  if (!cuda_build || !is(input.inventory, key + "cuda_available", "no") || !gpu_usable(input.inventory))
    return;
  Finding finding = make_finding(Cause("framework_sees_no_gpu"), Severity::failure,
                                 fmt::format("{} sees no GPU", label(input.inventory, name)),
                                 "The driver answers here and shows a GPU, and this is a CUDA build; "
                                 "imported in its own Python it finds none.");
  add_seen(finding, input.inventory,
           {{key + "cuda_available", "GPU available:"},
            {"framework." + name + ".cuda", "its CUDA"},
            {"driver.version", "driver"},
            {"python.path", "Python"}});
  finding.considered = {"a build without CUDA: its metadata says otherwise",
                        "a broken driver: it answers outside of this framework"};
  finding.next = {"look at the findings about its CUDA libraries and its CUDA version first",
                  "check CUDA_VISIBLE_DEVICES in the environment of that Python"};
  finding.layers = {"framework"};
  findings.push_back(std::move(finding));
}

/// Adds known reports about exactly this release.
void check_reports(const RuleInput& input, const std::string& name, Findings& findings) {
  const auto version = version_of(input.inventory, "framework." + name + ".version");
  for (const KnownIssue& issue : input.tables.known_issues) {
    if (!version || issue.layer != name || !issue.versions.contains(*version)) continue;
    if (issue.fixed && *version >= *issue.fixed) continue;
    if (!concerns(input.inventory, issue)) continue;
    Finding finding = make_finding(
        Cause("library_known_issue"), Severity::note,
        fmt::format("There are reports about {}", label(input.inventory, name)),
        "Others saw this with the same version. Whether it concerns this machine only a measurement tells.");
    add_seen(finding, input.inventory, {{"framework." + name + ".version", framework_title(name)}});
    finding.evidence.push_back(printable(issue.issue, 300));
    if (issue.fixed) finding.next = {"fixed in " + issue.fixed->text()};
    finding.sources = {cited(issue.source)};
    finding.layers = {"framework"};
    findings.push_back(std::move(finding));
  }
}

}  // namespace

void check_frameworks(const RuleInput& input, Findings& findings) {
  for (const std::string& name : input.inventory.children("framework")) {
    check_cpu_only(input, name, findings);
    check_driver_for(input, name, findings);
    check_pins(input, name, findings);
    check_import(input, name, findings);
    check_reports(input, name, findings);
  }
  check_twice(input, findings);
  check_architectures(input, findings);
  check_needs(input, findings);
}

}  // namespace gpugauge::stack

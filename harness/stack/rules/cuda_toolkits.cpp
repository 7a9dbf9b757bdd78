// Checks toolkits against each other, their compilers' limits, and their system.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/number.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/inventory/words.hpp"
#include "stack/rules/cuda_parts.hpp"
#include "stack/rules/cuda_support.hpp"

namespace gpugauge::stack {
namespace {

/// "toolkit.2" for a path; "" if no toolkit was found there.
std::string key_of(const Inventory& inventory, const std::string& path) {
  for (const std::string& index : inventory.children("toolkit")) {
    if (inventory.value("toolkit." + index + ".path") == path) return "toolkit." + index;
  }
  return "";
}

/// What a variable leads to: the toolkit's version, or its path if the version is unknown.
std::string led_to(const Inventory& inventory, const std::string& path) {
  const std::string key = key_of(inventory, path);
  const auto version = key.empty() ? std::nullopt : version_of(inventory, key + ".version");
  return version ? version->first(2).text() : path;
}

}  // namespace

namespace {

/// Reports a variable that points to no toolkit; builds trust it.
void check_dangling(const RuleInput& input, Findings& findings) {
  std::vector<std::string> evidence;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"}) {
    const Item* item = input.inventory.find(fmt::format("toolkit.by.{}", variable));
    if (item != nullptr && item->presence == Presence::absent && item->how.ends_with(leads_to_no_toolkit))
      evidence.push_back(fmt::format("{}: {}", variable, printable(item->how)));
  }
  if (evidence.empty()) return;
  Finding finding =
      make_finding(Cause("toolkit_variable_dangling"), Severity::warning,
                   "A variable names a CUDA toolkit that is not there",
                   "Builds look for nvcc, headers and libraries where it points, and find none.");
  finding.evidence = std::move(evidence);
  finding.next = {"unset it, or let it name an installed toolkit"};
  finding.layers = {"cuda"};
  findings.push_back(std::move(finding));
}

}  // namespace

void check_toolkit_environment(const RuleInput& input, Findings& findings) {
  check_dangling(input, findings);
  // Variables that a user sets on purpose or leaves behind. /usr/local/cuda and ld.so.conf only apply if none
  // is set.
  static constexpr std::array variables{"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "PATH", "LD_LIBRARY_PATH"};
  std::vector<std::string> evidence;
  std::vector<std::string> places;
  for (const char* variable : variables) {
    const std::string key = fmt::format("toolkit.by.{}", variable);
    if (!input.inventory.has(key)) continue;
    const std::string path = input.inventory.value(key);
    const std::string place = led_to(input.inventory, path);
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    evidence.push_back(fmt::format("{} leads to {}{}", variable, printable(path),
                                   place == path ? "" : fmt::format(" (CUDA {})", place)));
  }
  if (places.size() < 2) return;
  Finding finding =
      make_finding(Cause("toolkit_environment_conflict"), Severity::warning,
                   fmt::format("The environment points to {} different CUDA toolkits", places.size()),
                   "One part of a build or program takes its compiler, headers or libraries from one "
                   "toolkit, another part from "
                   "another: what is compiled with one may load the other's libraries.");
  finding.evidence = std::move(evidence);
  if (input.inventory.has("toolkit.selected_by"))
    finding.evidence.push_back(fmt::format("selected: {}, by {}",
                                           printable(input.inventory.value("toolkit.selected")),
                                           printable(input.inventory.value("toolkit.selected_by"), 40)));
  finding.considered = {"several toolkits side by side: that alone is normal"};
  finding.next = {"let CUDA_HOME, PATH and LD_LIBRARY_PATH name one toolkit, and unset what is left over",
                  "look in /etc/profile.d, /etc/environment and the shell's start-up files for the old one"};
  finding.layers = {"cuda"};
  findings.push_back(std::move(finding));
}

namespace {

struct Compiler {
  const char* name;    ///< as in host_compiler.<name>
  const char* driver;  ///< the compiler's name for nvcc
  const char* most;    ///< toolkit.<n>.<most>
};

void check_compiler(const RuleInput& input, const ToolkitView& toolkit, const Compiler& compiler,
                    Severity severity, Findings& findings) {
  const std::string key = fmt::format("host_compiler.{}", compiler.name);
  const auto version = version_of(input.inventory, key);
  if (!version) return;
  // The toolkit's own header is more reliable than a table.
  const std::string limit = fmt::format("{}.{}", toolkit.key, compiler.most);
  const auto own = version_of(input.inventory, limit);
  const HostCompiler* row = input.tables.host_compiler(compiler.name, toolkit.version);
  if (!own && row == nullptr) return;
  const Version most = own ? *own : row->most;
  if (version->first(most.size()) <= most) return;
  Finding finding =
      make_finding(Cause("host_compiler_too_new"), own ? severity : weighed(severity, row->source),
                   fmt::format("{} {} is newer than nvcc {} accepts", compiler.name, version->first(2).text(),
                               toolkit.version.first(2).text()),
                   fmt::format("nvcc of this toolkit accepts {} up to {} and stops with an error at a newer "
                               "one. Programs that are already built are not affected.",
                               compiler.name, most.text()));
  const std::string label = fmt::format("newest {} that nvcc accepts", compiler.name);
  add_seen(finding, input.inventory, {{key, compiler.name}, {limit, label}});
  finding.next = {fmt::format("install {} {} and give it to nvcc: nvcc -ccbin {}-{} (CMake: CUDAHOSTCXX)",
                              compiler.name, most.major(), compiler.driver, most.major()),
                  "or select a newer toolkit"};
  if (!own) finding.sources = {cited(row->source)};
  finding.layers = {"cuda", "host"};
  findings.push_back(std::move(finding));
}

/// The framework's architectures ("sm_75 sm_90a compute_120") for which a toolkit generates no code.
std::vector<std::string> not_generated(const Tables& tables, const Version& toolkit,
                                       const std::string& list) {
  std::vector<std::string> found;
  for (const std::string_view word : words_of(list)) {
    const auto underscore = word.find('_');
    if (underscore == std::string_view::npos) continue;
    const std::string_view rest = word.substr(underscore + 1);
    const auto number = result::number_in<int>(rest.substr(0, rest.find_first_not_of("0123456789")));
    if (!number) continue;
    const Version capability({*number / 10, *number % 10});
    const Fit fit = fit_cuda_gpu(tables, toolkit, capability).fit;
    if (fit == Fit::fails || fit == Fit::limited || related_code(tables, toolkit, capability))
      found.push_back(printable(word, 20));
  }
  return found;
}

/// nvcc has the framework's CUDA major version, but is too old or too new for some of its architectures.
void check_extension_architectures(const RuleInput& input, const ToolkitView& toolkit,
                                   const std::string& name, Findings& findings) {
  const std::string key = fmt::format("framework.{}.arch_list", name);
  const auto left_out = not_generated(input.tables, toolkit.version, input.inventory.value(key));
  if (left_out.empty()) return;
  Finding finding = make_finding(
      Cause("extension_build_mismatch"), Severity::note,
      fmt::format("nvcc {} generates no code for some architectures of {}", toolkit.version.first(2).text(),
                  framework_title(name)),
      fmt::format(
          "{} itself runs. Extensions compiled here for all of its architectures stop at {}; built for "
          "fewer, they do not run on those GPUs.",
          framework_title(name), fmt::join(left_out, ", ")));
  add_seen(finding, input.inventory,
           {{toolkit.key + ".version", "toolkit"}, {key, framework_title(name) + "'s architectures"}});
  finding.next = {
      "before extensions are built: name the architectures of your GPUs (TORCH_CUDA_ARCH_LIST), or "
      "select a toolkit that knows all of them"};
  finding.layers = {"cuda", "framework"};
  findings.push_back(std::move(finding));
}

}  // namespace

void check_host_compiler(const RuleInput& input, Findings& findings) {
  const auto toolkit = selected_toolkit(input.inventory);
  if (!toolkit) return;
  check_compiler(input, *toolkit, {"gcc", "g++", "host_compiler_most"}, Severity::warning, findings);
  // nvcc uses gcc unless told otherwise. If gcc is present, clang may concern no build.
  const bool beside = input.inventory.has("host_compiler.gcc");
  check_compiler(input, *toolkit, {"clang", "clang++", "host_clang_most"},
                 beside ? Severity::note : Severity::warning, findings);
}

void check_extension_builds(const RuleInput& input, Findings& findings) {
  const auto toolkit = selected_toolkit(input.inventory);
  // Without a compiler nothing is built here, and a framework's wheel does not use the toolkit.
  if (!toolkit || !input.inventory.has(toolkit->key + ".nvcc") || !input.inventory.has("host_compiler.gcc"))
    return;
  for (const std::string name : {"torch", "jax", "tensorflow", "cupy"}) {
    const auto cuda = version_of(input.inventory, fmt::format("framework.{}.cuda", name));
    if (!cuda) continue;
    if (cuda->major() == toolkit->version.major()) {
      check_extension_architectures(input, *toolkit, name, findings);
      continue;
    }
    Finding finding = make_finding(
        Cause("extension_build_mismatch"), Severity::note,
        fmt::format("nvcc {} is of another major version than the CUDA of {}",
                    toolkit->version.first(2).text(), framework_title(name)),
        fmt::format(
            "{} brings its own CUDA {} and does not use the toolkit: running it is not affected. Only "
            "extensions compiled here with this nvcc would not fit it.",
            framework_title(name), cuda->text()));
    add_seen(finding, input.inventory,
             {{toolkit->key + ".version", "toolkit"},
              {fmt::format("framework.{}.cuda", name), framework_title(name) + "'s CUDA"}});
    finding.next = {
        fmt::format("before extensions are built: select a toolkit of CUDA {} with CUDA_HOME", cuda->text())};
    finding.layers = {"cuda", "framework"};
    findings.push_back(std::move(finding));
  }
}

void check_toolkit_system(const RuleInput& input, Findings& findings) {
  const auto toolkit = selected_toolkit(input.inventory);
  const std::string distribution = input.inventory.value("host.distribution_id");
  if (!toolkit || distribution.empty()) return;
  const OsSupport* row = input.tables.system(distribution);
  // The table does not know this system, so nothing follows.
  if (row == nullptr || row->cuda.contains(toolkit->version.first(2))) return;
  Finding finding = make_finding(Cause("toolkit_system_unsupported"), weighed(Severity::warning, row->source),
                                 fmt::format("CUDA {} does not list {} among its systems",
                                             toolkit->version.first(2).text(), printable(distribution, 40)),
                                 fmt::format("The toolkits listed for this system are {}. It may run all the "
                                             "same; packages, compilers and the C "
                                             "library were tested elsewhere.",
                                             row->cuda.text()));
  add_seen(finding, input.inventory,
           {{toolkit->key + ".version", "toolkit"}, {"host.distribution", "system"}});
  if (!row->note.empty()) finding.evidence.push_back(row->note);
  finding.next = {fmt::format("use a toolkit listed for it ({}), or upgrade the system", row->cuda.text())};
  finding.sources = {cited(row->source)};
  finding.layers = {"cuda", "host"};
  findings.push_back(std::move(finding));
}

}  // namespace gpugauge::stack

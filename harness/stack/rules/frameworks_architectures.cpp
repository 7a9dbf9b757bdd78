// Checks the architectures in a framework's binaries against this machine's GPUs.
#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "stack/plan/binary.hpp"
#include "stack/rules/cuda_parts.hpp"
#include "stack/rules/cuda_support.hpp"

namespace gpugauge::stack {
namespace {

/// Parses "sm_90a" or "compute_120", the inventory's form.
std::optional<GpuCode> parse_code(std::string_view word) {
  GpuCode code;
  code.ptx = word.starts_with("compute_");
  if (!code.ptx && !word.starts_with("sm_")) return std::nullopt;
  word.remove_prefix(word.find('_') + 1);
  if (word.ends_with('a') || word.ends_with('f')) {
    code.suffix = word.back();
    word.remove_suffix(1);
  }
  if (word.size() < 2 || word.size() > 3 || word.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  for (const char digit : word) code.architecture = code.architecture * 10 + (digit - '0');
  return code;
}

std::vector<GpuCode> codes_of(const std::string& list) {
  std::vector<GpuCode> codes;
  std::istringstream words(list);
  for (std::string word; words >> word;) {
    if (const auto code = parse_code(word)) codes.push_back(*code);
  }
  return codes;
}

/// True if this driver may refuse to compile PTX, because the framework's CUDA is newer.
bool ptx_too_new(const RuleInput& input, const std::string& name) {
  const auto cuda = version_of(input.inventory, "framework." + name + ".cuda");
  if (!cuda || cuda->size() < 2) return false;
  const Fit fit = fit_driver_here(input, *cuda).fit;
  return fit == Fit::limited || fit == Fit::fails;
}

void add_finding(const RuleInput& input, const std::string& name, const CapabilityView& capability, bool ptx,
                 Findings& findings) {
  const std::size_t all = gpus_of(input.inventory).size();
  const std::string title = framework_title(name);
  const std::string gpus = named(capability.gpus, all);
  const bool refused = ptx && ptx_too_new(input, name);
  Finding finding =
      refused ? make_finding(
                    Cause("ptx_newer_than_driver"), Severity::failure,
                    fmt::format("{} has only PTX for {}, newer than the driver compiles", title, gpus),
                    "There is no machine code for this GPU in it, so the driver would have to compile its "
                    "PTX, which is of a newer CUDA than the driver: it is refused with error 222.")
      : ptx
          ? make_finding(Cause("ptx_jit_startup"), Severity::warning,
                         fmt::format("{} has no machine code for {}, only PTX", title, gpus),
                         "The driver compiles the PTX at the first use of each kernel: starts take long, the "
                         "first one most, and code that was written for another GPU may be slower.")
          : make_finding(Cause("arch_not_in_binary"), Severity::failure,
                         fmt::format("{} holds no code for {}", title, gpus),
                         "Neither machine code for this GPU nor PTX that the driver could compile: the first "
                         "kernel ends with error 209 (no kernel image).");
  add_seen(
      finding, input.inventory,
      {{"framework." + name + ".version", title}, {"framework." + name + ".arch_list", "architectures"}});
  finding.evidence.push_back(capability_text(capability, all));
  if (refused) finding.evidence.push_back(driver_of(input.inventory).label);
  finding.next = {fmt::format("install a build of {} that lists sm_{}{}", title, capability.version.major(),
                              capability.version.minor())};
  if (refused) finding.next.emplace_back("or upgrade the driver");
  if (ptx && !refused)
    finding.next.emplace_back(
        "meanwhile keep the compiled code: CUDA_CACHE_MAXSIZE large, CUDA_CACHE_PATH on a disk "
        "that stays");
  finding.layers = {"framework", "gpu"};
  findings.push_back(std::move(finding));
}

}  // namespace

void check_architectures(const RuleInput& input, Findings& findings) {
  for (const std::string& name : input.inventory.children("framework")) {
    const auto codes = codes_of(input.inventory.value("framework." + name + ".arch_list"));
    if (codes.empty() || is(input.inventory, "framework." + name + ".build", "cpu")) continue;
    for (const CapabilityView& capability : capabilities_of(input.inventory)) {
      const auto runs = [&](bool ptx) {
        return std::any_of(codes.begin(), codes.end(), [&](const GpuCode& code) {
          return code.ptx == ptx && fits(code, capability.version.major(), capability.version.minor());
        });
      };
      if (!runs(false)) add_finding(input, name, capability, runs(true), findings);
    }
  }
}

}  // namespace gpugauge::stack

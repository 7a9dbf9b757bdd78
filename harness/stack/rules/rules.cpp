// Runs all rules and merges their findings: each cause once, worst first.
#include "stack/rules/rules.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "stack/rules/support.hpp"

namespace gpugauge::stack {
namespace {

void add_new(std::vector<std::string>& to, const std::vector<std::string>& from) {
  for (const std::string& text : from)
    if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(text);
}

/// Keeps the more severe finding and adds the other's evidence; adds its title too if both are equally
/// severe.
void merge(Finding& into, Finding other) {
  constexpr std::size_t title_most = 100;
  if (other.severity < into.severity) std::swap(into, other);
  if (into.severity == other.severity && into.title.find(other.title) == std::string::npos) {
    if (into.title.size() + 2 + other.title.size() <= title_most) {
      into.title += "; " + other.title;
    } else {
      add_new(into.evidence, {other.title});
    }
  }
  add_new(into.evidence, other.evidence);
  add_new(into.considered, other.considered);
  add_new(into.next, other.next);
  add_new(into.sources, other.sources);
  add_new(into.layers, other.layers);
}

Findings each_once(Findings findings) {
  Findings once;
  for (Finding& finding : findings) {
    const auto same = std::find_if(once.begin(), once.end(),
                                   [&](const Finding& other) { return other.cause == finding.cause; });
    if (same == once.end()) {
      once.push_back(std::move(finding));
    } else {
      merge(*same, std::move(finding));
    }
  }
  return once;
}

/// A finding that adds nothing if another one is present.
struct Consequence {
  std::string_view root;
  std::string_view follows;
};
constexpr std::array consequences{
    Consequence{"no_nvidia_hardware", "driver_library_missing"},
    Consequence{"driver_not_installed", "driver_library_missing"},
    Consequence{"wsl_linux_driver_installed", "umd_kmd_mismatch"},
    Consequence{"wsl_linux_driver_installed", "no_visible_device"},
    Consequence{"wsl_linux_driver_installed", "cuda_start_failed"},
    Consequence{"wsl_linux_driver_installed", "nvml_start_failed"},
    Consequence{"container_newer_than_host", "driver_too_old"},
    Consequence{"gpu_lost", "driver_hangs"},
    Consequence{"gpu_lost", "cuda_start_failed"},
    Consequence{"gpu_lost", "gpu_count_differs"},
    Consequence{"gsp_firmware", "driver_hangs"},
    Consequence{"umd_kmd_mismatch", "driver_library_duplicate"},
};

/// Drops the follower and moves its evidence to the root. A milder root takes over its severity.
Findings roots_only(Findings findings) {
  for (const Consequence& rule : consequences) {
    const auto named = [&](std::string_view name) {
      return std::find_if(findings.begin(), findings.end(),
                          [&](const Finding& finding) { return finding.cause == name; });
    };
    const auto root = named(rule.root);
    const auto follower = named(rule.follows);
    if (root == findings.end() || follower == findings.end()) continue;
    root->severity = std::min(root->severity, follower->severity);
    root->evidence.push_back(fmt::format("{}: {}", follower->cause, follower->title));
    add_new(root->evidence, follower->evidence);
    add_new(root->next, follower->next);
    findings.erase(follower);
  }
  return findings;
}

}  // namespace

Findings diagnose_stack(const RuleInput& input) {
  Findings findings;
  constexpr std::array groups{check_start_up,  check_driver,     check_gpus, check_cuda,
                              check_libraries, check_frameworks, check_host};
  for (const auto& check : groups) check(input, findings);
  findings = roots_only(each_once(std::move(findings)));
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  return findings;
}

}  // namespace gpugauge::stack

// Findings of the rules for CUDA, libraries and frameworks in short, for their tests.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "stack/rules/rules.hpp"
#include "unit/stack/rules/cuda_world.hpp"
#include "unit/stack/rules/said.hpp"

namespace gpugauge::stack::world {

/// What holds for every finding, whatever it says.
inline void expect_well_formed(const Findings& findings) {
  for (const Finding& finding : findings) {
    EXPECT_LE(finding.title.size(), 100U) << finding.title;
    EXPECT_FALSE(finding.title.empty());
    EXPECT_FALSE(finding.title.ends_with('.')) << finding.title;
    EXPECT_TRUE(finding.explanation.ends_with('.')) << finding.explanation;
    EXPECT_FALSE(finding.evidence.empty()) << finding.cause;
    EXPECT_FALSE(finding.layers.empty() && finding.cause != "not_in_tables") << finding.cause;
    for (const std::string& line : finding.evidence) EXPECT_FALSE(line.empty()) << finding.cause;
  }
}

using Check = void (*)(const RuleInput&, Findings&);

inline Findings run(Check check, const Inventory& inventory) {
  const Tables made = tables();
  Findings findings;
  check({inventory, made, Policy::development, "2026-11-21"}, findings);
  world::expect_well_formed(findings);
  return findings;
}
inline Findings cuda_findings(const Inventory& inventory) {
  return run(check_cuda, inventory);
}
inline Findings library_findings(const Inventory& inventory) {
  return run(check_libraries, inventory);
}
inline Findings framework_findings(const Inventory& inventory) {
  return run(check_frameworks, inventory);
}

}  // namespace gpugauge::stack::world

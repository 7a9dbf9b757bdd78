// The plan of an upgrade of many nodes, for a person and for a program.
#pragma once

#include <string>

#include "report/terminal.hpp"
#include "stack/plan/rollout.hpp"

namespace gpugauge::report {

/// Problems of the plan, then waves, then nodes left behind and why, then versions that may coexist.
/// `every_node`: no list is cut.
std::string draw(const stack::Rollout& rollout, const Terminal& terminal, bool every_node);

/// {"schema": "gpugauge.rollout/1", ...}, docs/schema/rollout.schema.json. `target` as the user gave it.
std::string to_json(const stack::Rollout& rollout, const std::string& target);

/// 0: every node can take it, or has it; 1: one cannot, or is faulty; 3: one is unknown, or there is nothing
/// to do.
int exit_code(const stack::Rollout& rollout);

}  // namespace gpugauge::report

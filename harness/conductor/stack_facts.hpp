// What the doctor's inventory of the node says, in the keys of an observation. Pure.
#pragma once

#include <map>
#include <string>

#include "diagnose/observation.hpp"
#include "stack/inventory/inventory.hpp"

namespace gpugauge::conductor {

/// Adds the facts of `node` that have a key in an observation and that `out` does not hold yet: a run's own
/// fingerprint counts more. `uuid` names the GPU whose facts are wanted; "" for those of the node only. What
/// nobody looked for, could not read or does not know stays absent. Copies of libraries are not among them:
/// which one a program loads is a question to that program, and the suite's own are in the fingerprint.
void add_stack_facts(const stack::Inventory& node, const std::string& uuid, diagnose::Observation& out);

/// Those of these facts that both inventories of one node tell and that differ, by key. What only one of them
/// tells is no difference: the other may not have looked. Paths are left out.
std::map<std::string, diagnose::Change> changed_stack_facts(const stack::Inventory& now,
                                                            const stack::Inventory& before,
                                                            const std::string& uuid);

}  // namespace gpugauge::conductor

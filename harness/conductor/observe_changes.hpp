// What differs between two sides, by an observation's names. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "diagnose/observation.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// By a field's name in an observation.
using Changes = std::map<std::string, diagnose::Change>;

/// The present state from a GPU's setting such as "off (on after reset)": a run file has both in one text.
std::string state_of(const std::string& setting);

/// The observation's name of a fact of the observed GPU, from what follows "gpu.<n>." in a fingerprint.
std::string name_of_own(const std::string& fact);

/// The fields of the fingerprints that differ: declared changes (the treatment) and others that are only
/// noted. `prefix` is that of the device's own facts, "gpu.<n>."; "" for the host. Leaves out what is of
/// another GPU (links concern all of them), paths, and what tells machines and builds of the suite apart.
Changes changes_between(const result::Run& now, const result::Run& then, const std::string& prefix);

/// The same against several like it, measured now: the fields that more than half of `peers` have alike and
/// that this run has otherwise. Which card or host it is differs from each of them, and is left out.
Changes changes_from_peers(const result::Run& now, const std::vector<result::Run>& peers,
                           const std::string& prefix);

}  // namespace gpugauge::conductor

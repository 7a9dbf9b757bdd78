// Checks the words of --treatment before anything is measured for them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Throws result::UsageError for a word that names no field of `now` or of a readable baseline, and suggests
/// similar words. `baseline` is the folder that was asked for; may be empty. Only for typed words: a policy
/// serves many nodes, and not every node has all of its fields.
void require_known_treatment(const std::vector<std::string>& words, const result::Fingerprint& now,
                             const std::filesystem::path& baseline);

}  // namespace gpugauge::conductor

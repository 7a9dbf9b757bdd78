// Words of --treatment that name something, told before a measurement is made for them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// Refuses (result::UsageError) a word that names no field of `now`, nor of any baseline that can be read,
/// and says what is near to it. `baseline`: the folder that was asked for, may be empty. For words that
/// somebody typed: a policy's are for many nodes, of which not each has every field.
void require_known_treatment(const std::vector<std::string>& words, const result::Fingerprint& now,
                             const std::filesystem::path& baseline);

}  // namespace gpugauge::conductor

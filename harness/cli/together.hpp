// Several GPUs of a node measured at the same time: what `run`, `check` and `baseline create` share of it.
#pragma once

#include "cli/command.hpp"
#include "conductor/together.hpp"

namespace gpugauge::cli {

/// --devices-together.
void add_together_option(CLI::App& command, bool& together);

/// The GPUs that --devices-together measures. Throws result::UsageError where --device chose fewer than two,
/// or something else beside them; links that "all" implies are left out: their GPUs are busy one by one.
std::vector<conductor::Target> gpus_together(const Devices& devices, const MeasureArguments& measure);

/// What `gpugauge run` is told to measure one of them as one of several: device, profile, choice, seed and
/// where the state is.
std::vector<std::string> together_words(const MeasureArguments& measure, const conductor::Target& target,
                                        std::size_t count, std::uint64_t seed);

/// Facts as words, FACT=VALUE, for `gpugauge run`, which reads them.
std::vector<std::string> words_of(const result::Facts& facts);
result::Facts facts_of(const std::vector<std::string>& words);

/// Measures rounds of these GPUs at the same time, by a command of its own for each. A command that leaves no
/// run counts as a partial round that says why. `options` and `choice` must outlive what is returned.
conductor::MeasureRound rounds_together(const MeasureArguments& measure,
                                        const conductor::MeasureOptions& options,
                                        const std::vector<conductor::Target>& targets,
                                        const conductor::Choice& choice);

}  // namespace gpugauge::cli

// Suggestions for a word that selects no benchmark.
#pragma once

#include <string>
#include <vector>

#include "conductor/catalogue.hpp"

namespace gpugauge::conductor {

/// "; near to it: host/triad*": the word with a * appended where that selects some of these benchmarks.
/// Otherwise similar classes, families and ids; "" where there is none.
std::string near_words(const std::string& word, const std::vector<const Benchmark*>& benchmarks);

}  // namespace gpugauge::conductor

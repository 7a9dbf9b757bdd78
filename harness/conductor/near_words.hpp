// What somebody may have meant whose word selects no benchmark.
#pragma once

#include <string>
#include <vector>

#include "conductor/catalogue.hpp"

namespace gpugauge::conductor {

/// "; near to it: host/triad*": the word with a * where that selects some of these benchmarks, else the
/// classes, families and ids that are near; "" where none is.
std::string near_words(const std::string& word, const std::vector<const Benchmark*>& benchmarks);

}  // namespace gpugauge::conductor

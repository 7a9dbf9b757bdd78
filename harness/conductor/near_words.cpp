#include "conductor/near_words.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/near.hpp"

namespace gpugauge::conductor {

std::string near_words(const std::string& word, const std::vector<const Benchmark*>& benchmarks) {
  const std::string open = word + "*";
  if (std::any_of(benchmarks.begin(), benchmarks.end(),
                  [&](const Benchmark* benchmark) { return selects(open, *benchmark); }))
    return fmt::format("; near to it: {}", open);
  std::set<std::string> names;
  for (const Benchmark* benchmark : benchmarks) {
    names.insert({benchmark->family, benchmark->id});
    if (!benchmark->metric_class.empty()) names.insert(benchmark->metric_class);
    names.insert(benchmark->more_classes.begin(), benchmark->more_classes.end());
  }
  const std::vector<std::string> near = result::nearest(word, {names.begin(), names.end()});
  return near.empty() ? "" : fmt::format("; near to it: {}", fmt::join(near, ", "));
}

}  // namespace gpugauge::conductor

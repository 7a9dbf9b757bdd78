#include "result/processor_list.hpp"

#include <algorithm>

#include "result/number.hpp"

namespace gpugauge::result {

std::vector<int> parse_processors(std::string_view list) {
  if (list.ends_with('\n')) list.remove_suffix(1);
  std::vector<int> out;
  while (true) {
    const auto first = take_number<int>(list);
    auto last = first;
    if (list.starts_with('-')) {
      list.remove_prefix(1);
      last = take_number<int>(list);
    }
    if (!first || !last || *first < 0 || *last < *first || *last >= processors_most) return {};
    if (out.size() + static_cast<std::size_t>(*last - *first) >= processors_most) return {};
    for (int one = *first; one <= *last; ++one) out.push_back(one);
    if (list.empty()) break;
    if (!list.starts_with(',')) return {};
    list.remove_prefix(1);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string processors_text(const std::vector<int>& processors) {
  std::string out;
  for (std::size_t first = 0; first < processors.size();) {
    std::size_t last = first;
    while (last + 1 < processors.size() && processors[last + 1] == processors[last] + 1) ++last;
    out += (out.empty() ? "" : ",") + std::to_string(processors[first]);
    if (last > first) out += "-" + std::to_string(processors[last]);
    first = last + 1;
  }
  return out;
}

}  // namespace gpugauge::result

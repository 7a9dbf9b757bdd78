#include "result/near.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace gpugauge::result {
namespace {

/// Levenshtein distance: changes of one letter that lead from one name to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& names) {
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& one : names) {
    std::size_t far = distance(name, one);
    if (!name.empty() && one.find(name) != std::string::npos) far = std::min<std::size_t>(far, 2);
    // After three changes nothing of a short word is left.
    if (far <= std::max<std::size_t>(3, name.size() / 3) && far < name.size()) found.emplace_back(far, one);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> out;
  constexpr std::size_t most = 3;
  for (std::size_t i = 0; i < std::min(most, found.size()); ++i) out.push_back(found[i].second);
  return out;
}

}  // namespace gpugauge::result

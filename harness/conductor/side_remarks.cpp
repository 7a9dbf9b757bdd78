#include "conductor/side_remarks.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gpugauge::conductor {
namespace {

std::vector<std::string> remarks_of(const std::vector<result::Run>& runs) {
  std::vector<std::string> out;
  for (const result::Run& run : runs)
    for (const std::string& remark : run.remarks)
      if (std::find(out.begin(), out.end(), remark) == out.end()) out.push_back(remark);
  return out;
}

bool among(const std::vector<std::string>& remarks, const std::string& remark) {
  return std::find(remarks.begin(), remarks.end(), remark) != remarks.end();
}

}  // namespace

std::vector<std::string> remarks_of_sides(const std::vector<result::Run>& before,
                                          const std::vector<result::Run>& after) {
  const std::vector<std::string> then = remarks_of(before);
  const std::vector<std::string> now = remarks_of(after);
  std::vector<std::string> out;
  out.reserve(then.size() + now.size());
  for (const std::string& remark : then)
    out.push_back(fmt::format("{}: {}", among(now, remark) ? "Both sides" : "Before", remark));
  for (const std::string& remark : now)
    if (!among(then, remark)) out.push_back(fmt::format("After: {}", remark));
  return out;
}

}  // namespace gpugauge::conductor

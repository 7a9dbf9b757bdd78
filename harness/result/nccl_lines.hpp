// Lines of NCCL's log in a benchmark's notes: one text, which readers take apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::result {

/// What stands between two lines; no line holds it.
inline constexpr std::string_view nccl_between = " | ";

/// The lines of such a note, in its order; none of "".
inline std::vector<std::string> nccl_lines(std::string_view note) {
  std::vector<std::string> out;
  while (!note.empty()) {
    const std::size_t end = note.find(nccl_between);
    out.emplace_back(note.substr(0, end));
    note = end == std::string_view::npos ? std::string_view() : note.substr(end + nccl_between.size());
  }
  return out;
}

}  // namespace gpugauge::result

// What a benchmark's notes hold of NCCL's log: lists in one text, which readers take apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::result {

/// What stands between two lines; no line holds it.
inline constexpr std::string_view nccl_between = " | ";

/// The lines of a note nccl.warnings or nccl.reasons, in its order; none of "".
inline std::vector<std::string> nccl_lines(std::string_view note) {
  std::vector<std::string> out;
  while (!note.empty()) {
    const std::size_t end = note.find(nccl_between);
    out.emplace_back(note.substr(0, end));
    note = end == std::string_view::npos ? std::string_view() : note.substr(end + nccl_between.size());
  }
  return out;
}

/// The kinds of paths in a note nccl.paths, in its order: of "NET/IB/GDRDMA x 4, P2P/CUMEM x 8" two.
inline std::vector<std::string> nccl_paths(std::string_view note) {
  constexpr std::string_view between = ", ";
  std::vector<std::string> out;
  while (!note.empty()) {
    const std::size_t end = note.find(between);
    const std::string_view one = note.substr(0, end);
    out.emplace_back(one.substr(0, one.rfind(" x ")));
    note = end == std::string_view::npos ? std::string_view() : note.substr(end + between.size());
  }
  return out;
}

}  // namespace gpugauge::result

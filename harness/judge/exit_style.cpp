#include "judge/exit_style.hpp"

#include <algorithm>
#include <array>

namespace gpugauge::judge {
namespace {

struct Row {
  ExitStyle style;
  std::string_view word;
  /// By our code: pass, regressed, tool error, cannot judge, inconclusive.
  std::array<int, 5> status;
};

// Slurm drains a node whose prolog or health check exits with a non-zero status, so only proven faults may
// give one.
constexpr std::array style_table{
    Row{ExitStyle::ci, "ci", {0, 1, 2, 3, 4}},
    Row{ExitStyle::nagios, "nagios", {0, 2, 3, 3, 1}},
    Row{ExitStyle::slurm, "slurm", {0, 1, 0, 0, 0}},
    Row{ExitStyle::npd, "npd", {0, 1, 2, 2, 2}},
};

const Row& row_of(ExitStyle style) {
  return *std::find_if(style_table.begin(), style_table.end(),
                       [&](const Row& row) { return row.style == style; });
}

}  // namespace

std::optional<ExitStyle> exit_style(std::string_view word) {
  const auto* found =
      std::find_if(style_table.begin(), style_table.end(), [&](const Row& row) { return row.word == word; });
  if (found == style_table.end()) return std::nullopt;
  return found->style;
}

std::string exit_styles() {
  std::string out;
  for (const Row& row : style_table) out += (out.empty() ? "" : ", ") + std::string(row.word);
  return out;
}

int exit_status(ExitStyle style, int code) {
  constexpr std::size_t tool_error = 2;
  const auto& status = row_of(style).status;
  const auto place = static_cast<std::size_t>(code);
  return status[code < 0 || place >= status.size() ? tool_error : place];
}

std::string_view nagios_word(int code) {
  constexpr std::array<std::string_view, 4> words{"OK", "WARNING", "CRITICAL", "UNKNOWN"};
  return words[static_cast<std::size_t>(exit_status(ExitStyle::nagios, code))];
}

}  // namespace gpugauge::judge

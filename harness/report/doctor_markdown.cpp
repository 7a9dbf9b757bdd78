#include <algorithm>

#include <fmt/format.h>

#include "report/doctor.hpp"
#include "report/format.hpp"

namespace gpugauge::report {
namespace {

/// Foreign text as a code span, in a fence of backticks longer than any in it. Escapes '|', which would end a
/// table cell.
std::string code(const std::string& text) {
  const std::string line = plain(text);
  std::size_t longest = 0;
  std::size_t here = 0;
  std::string escaped;
  for (const char letter : line) {
    here = letter == '`' ? here + 1 : 0;
    longest = std::max(longest, here);
    if (letter == '|') escaped += '\\';
    escaped += letter;
  }
  const std::string fence(longest + 1, '`');
  if (line.empty()) return "";
  const char* const pad = line.front() == '`' || line.back() == '`' ? " " : "";
  return fence + pad + escaped + pad + fence;
}

std::string bullets(const char* word, const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += fmt::format("- {}: {}\n", word, code(line));
  return out;
}

}  // namespace

std::string to_markdown(const Doctor& doctor) {
  std::string out = fmt::format("## GPU stack: {}\n\n", outcome(doctor).sentence);
  for (const stack::Finding& finding : doctor.findings) {
    out += fmt::format("### {}: {}\n\n", stack::to_string(finding.severity), code(finding.title));
    if (!finding.explanation.empty()) out += code(finding.explanation) + "\n\n";
    out += bullets("cause", {finding.cause});
    out += bullets("seen", finding.evidence);
    out += bullets("not", finding.considered);
    out += bullets("next", finding.next);
    out += "\n";
  }
  out += "| layer | version | detail |\n|---|---|---|\n";
  for (const stack::Layer& layer : doctor.layers)
    out += fmt::format("| {} | {} | {} |\n", layer.name, code(layer.version), code(layer.detail));
  return out;
}

}  // namespace gpugauge::report

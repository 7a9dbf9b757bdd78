// Writes the comparison of kernels with their expectations, as a table and as JSON.
#include "report/codegen.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/format.hpp"
#include "report/table.hpp"
#include "result/counted.hpp"
#include "result/json_array.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::report {
namespace {

using nlohmann::ordered_json;
using stack::CodeRow;
using stack::CodeState;

Tone tone_of(const CodeRow& row, bool strict) {
  if (row.state == CodeState::broken) return Tone::bad;
  if (row.state == CodeState::undeclared) return strict ? Tone::bad : Tone::doubt;
  return Tone::good;
}

bool same_kernel(const CodeRow& one, const CodeRow& other) {
  return one.code.symbol == other.code.symbol && one.code.architecture == other.code.architecture;
}

/// Declared expectations without code, if they count as faults.
std::vector<std::string> missing(const CodegenReport& report) {
  std::vector<std::string> out;
  if (report.complete) out = report.review.unmet;
  if (report.every_architecture)
    out.insert(out.end(), report.review.not_built.begin(), report.review.not_built.end());
  return out;
}

/// Lines such as "broken: gemm::kernel<float> on sm_90a: 0 HGMMA, and at least 4 are declared".
std::string problem_lines(const CodegenReport& report, const Terminal& terminal) {
  std::string out;
  const auto add = [&](std::string_view word, Tone tone, const std::string& text) {
    out += "  " + terminal.paint(word, tone) + ": " +
           wrap(plain(text), terminal.width - static_cast<int>(word.size()) - 4, 4) + "\n";
  };
  const std::vector<CodeRow>& rows = report.review.rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CodeRow& row = rows[i];
    // If a kernel has several bodies, only the file tells them apart.
    const bool several =
        (i > 0 && same_kernel(rows[i - 1], row)) || (i + 1 < rows.size() && same_kernel(row, rows[i + 1]));
    const std::string place = several && !row.code.file.empty() ? " in " + row.code.file : "";
    for (const std::string& problem : row.problems)
      add(stack::to_string(row.state), tone_of(row, report.strict),
          fmt::format("{} on {}{}: {}", row.code.name, row.code.architecture, place, problem));
  }
  if (report.complete)
    for (const std::string& text : report.review.unmatched)
      add("without kernel", Tone::bad, fmt::format("{} names no kernel of these files", text));
  for (const std::string& text : missing(report))
    add("without code", Tone::bad, fmt::format("{} is declared, and these files hold no code for it", text));
  for (const std::string& file : report.without_code)
    add("without code", Tone::doubt, fmt::format("{} holds no machine code of a GPU", file));
  return out.empty() ? out : out + "\n";
}

std::string last_line(const CodegenReport& report) {
  const stack::CodeReview& review = report.review;
  const char* const word = failed(report) ? "failed" : passed(report) ? "pass" : "cannot judge";
  std::string out = fmt::format("{}: {} as declared", word,
                                result::counted(review.rows.size() - static_cast<std::size_t>(review.broken) -
                                                    static_cast<std::size_t>(review.undeclared),
                                                "kernel"));
  if (review.broken > 0) out += fmt::format(", {} broken", review.broken);
  if (review.undeclared > 0)
    out += fmt::format(", {} without expectation{}", review.undeclared,
                       report.strict ? "" : " (fails with --strict)");
  if (!review.unmatched.empty())
    out += fmt::format(", {}{}", result::counted(review.unmatched.size(), "expectation"),
                       report.complete ? " without kernel" : " of kernels that are not in these files");
  const std::size_t without = missing(report).size();
  const std::size_t elsewhere = review.unmet.size() + review.not_built.size() - without;
  if (without > 0) out += fmt::format(", {} without code", result::counted(without, "declared architecture"));
  if (elsewhere > 0)
    out += fmt::format(", {} not in these files", result::counted(elsewhere, "declared architecture"));
  if (review.foreign > 0)
    out += fmt::format(", {} of other projects not judged",
                       result::counted(static_cast<std::size_t>(review.foreign), "kernel"));
  if (!report.without_code.empty())
    out += fmt::format(", {} without machine code", result::counted(report.without_code.size(), "file"));
  return out + "\n";
}

ordered_json json_of(const CodeRow& row) {
  return {{"kernel", row.code.name},
          {"architecture", row.code.architecture},
          {"state", stack::to_string(row.state)},
          {"problems", row.problems},
          {"registers", row.code.registers},
          {"stack_bytes", row.code.stack_bytes},
          {"shared_bytes", row.code.shared_bytes},
          {"instructions", row.code.instructions},
          {"opcodes", row.code.opcodes},
          {"symbol", row.code.symbol},
          {"file", row.code.file}};
}

}  // namespace

bool failed(const CodegenReport& report) {
  return report.review.broken > 0 || (report.strict && report.review.undeclared > 0) ||
         (report.complete && !report.review.unmatched.empty()) || !missing(report).empty();
}

bool passed(const CodegenReport& report) {
  return !failed(report) && report.without_code.empty() && !report.review.rows.empty();
}

std::string draw(const CodegenReport& report, const Terminal& terminal) {
  Table table({{"kernel", false, true},
               {"code for"},
               {"registers", true},
               {"stack", true},
               {"shared", true},
               {"instructions", true},
               {"declared and found", false, true},
               {"verdict"}});
  for (const CodeRow& row : report.review.rows)
    table.add(
        {{plain(row.code.name), Tone::strong},
         {row.code.architecture},
         {fmt::format("{}", row.code.registers)},
         {fmt::format("{}", row.code.stack_bytes), row.code.stack_bytes > 0 ? Tone::doubt : Tone::normal},
         {fmt::format("{}", row.code.shared_bytes)},
         {fmt::format("{}", row.code.instructions)},
         {row.proofs.empty() ? "-" : fmt::format("{}", fmt::join(row.proofs, ", ")), Tone::faint},
         {std::string(stack::to_string(row.state)), tone_of(row, report.strict)}});
  std::string out = problem_lines(report, terminal);
  if (!table.empty())
    out += table.draw(terminal) +
           "  stack: bytes a thread, spills and local arrays; shared: static bytes a block, 1024 of them the "
           "system's on "
           "9.0 and later\n\n";
  return out + last_line(report);
}

std::string to_json(const CodegenReport& report) {
  ordered_json kernels = result::array_of(report.review.rows, json_of);
  return result::dump_json({{"schema", "gpugauge-codegen-report-1"},
                            {"passed", passed(report)},
                            {"files", report.files},
                            {"files_without_code", report.without_code},
                            {"broken", report.review.broken},
                            {"undeclared", report.review.undeclared},
                            {"expectations_without_kernel", report.review.unmatched},
                            {"declared_without_code", report.review.unmet},
                            {"declared_and_not_built", report.review.not_built},
                            {"kernels_of_other_projects", report.review.foreign},
                            {"kernels", kernels}});
}

}  // namespace gpugauge::report

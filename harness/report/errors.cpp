// Answers to `doctor --error`, for a terminal and for programs.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/doctor.hpp"
#include "report/finding_json.hpp"
#include "report/format.hpp"
#include "report/questions.hpp"
#include "report/table.hpp"
#include "result/json_array.hpp"

namespace gpugauge::report {
namespace {

using nlohmann::ordered_json;

std::string list(const std::string& title, const std::vector<std::string>& lines, const Terminal& terminal,
                 Tone tone) {
  std::string out;
  for (const std::string& line : lines)
    out += fmt::format("    {:<8}{}\n", out.empty() ? title : "",
                       terminal.paint(wrap(plain(line), terminal.width, 12), tone));
  return out;
}

std::string draw_one(const stack::ErrorAnswer& answer, const Terminal& terminal) {
  std::string names;
  for (const std::string& name : answer.names) names += (names.empty() ? "" : ", ") + name;
  std::string out = terminal.paint(fmt::format("{} {}", answer.api == "nvml" ? "NVML" : "CUDA", answer.code),
                                   Tone::strong) +
                    "  " + wrap(plain(names), terminal.width, 2) + "\n";
  out += "    " +
         wrap(plain(answer.meaning.empty() ? "The tables of this build know its name, and no usual cause."
                                           : answer.meaning),
              terminal.width, 4) +
         "\n";
  out += list("here", answer.evidence, terminal, Tone::normal);
  std::vector<std::string> causes;
  for (const std::string& cause : answer.causes)
    causes.push_back(fmt::format("{}. {}", causes.size() + 1, cause));
  out += list("causes", causes, terminal, Tone::normal);
  out += list("next", answer.next, terminal, Tone::good);
  if (!answer.source.empty()) out += list("source", {answer.source}, terminal, Tone::faint);
  if (answer.findings.empty())
    return out + "\n  " + wrap("Nothing that was found on this machine explains it.", terminal.width, 2) +
           "\n";
  out += "\n" + terminal.paint("What was found here that explains it, or may", Tone::strong) + "\n";
  for (const stack::Finding& finding : answer.findings) out += draw(finding, terminal, true);
  return out;
}

}  // namespace

std::string draw(const std::vector<stack::ErrorAnswer>& answers, const Terminal& terminal) {
  std::string out;
  for (const stack::ErrorAnswer& answer : answers)
    out += (out.empty() ? "" : "\n") + draw_one(answer, terminal);
  return out;
}

std::string to_json(const std::vector<stack::ErrorAnswer>& answers) {
  ordered_json all = ordered_json::array();
  for (const stack::ErrorAnswer& answer : answers) {
    ordered_json findings = result::array_of(answer.findings, json_of);
    all.push_back({{"api", answer.api},
                   {"code", answer.code},
                   {"names", answer.names},
                   {"meaning", answer.meaning},
                   {"evidence", answer.evidence},
                   {"causes", answer.causes},
                   {"next", answer.next},
                   {"source", answer.source},
                   {"findings", findings}});
  }
  const ordered_json document{{"schema", "gpugauge.error/1"}, {"answers", all}};
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace gpugauge::report

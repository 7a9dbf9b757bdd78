// Writes the answers on plans, images and binaries for the terminal.
#include "report/questions.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/doctor.hpp"
#include "report/format.hpp"
#include "report/table.hpp"

namespace gpugauge::report {
namespace {

using stack::Fit;
using Way = stack::RunAnswer::Way;

Tone tone(Fit fit) {
  switch (fit) {
    case Fit::works:
      return Tone::good;
    case Fit::fails:
      return Tone::bad;
    case Fit::limited:
    case Fit::unknown:
      break;
  }
  return Tone::doubt;
}

std::string draw_pairs(const std::vector<stack::PairFit>& pairs, const Terminal& terminal) {
  Table table({{"this"}, {"with"}, {"answer"}});
  for (const stack::PairFit& pair : pairs)
    table.add({{plain(pair.first), Tone::strong},
               {plain(pair.second)},
               {stack::to_string(pair.fit), tone(pair.fit)}});
  std::string out = table.empty() ? "" : table.draw(terminal);
  for (const stack::PairFit& pair : pairs) {
    if (pair.fit == Fit::works) continue;
    out += fmt::format("\n  {}\n    {}\n",
                       terminal.paint(plain(pair.first + " with " + pair.second), tone(pair.fit)),
                       wrap(plain(pair.reason), terminal.width, 4));
    if (!pair.remedy.empty())
      out += "    next    " + terminal.paint(wrap(plain(pair.remedy), terminal.width, 12), Tone::good) + "\n";
    for (const std::string& source : pair.sources)
      out += "    source  " + terminal.paint(wrap(plain(source), terminal.width, 12), Tone::faint) + "\n";
  }
  return out;
}

std::string bullets(const std::vector<std::string>& lines, const Terminal& terminal) {
  std::string out;
  for (const std::string& line : lines) out += "  " + wrap(plain(line), terminal.width, 2) + "\n";
  return out;
}

Tone tone(Way way) {
  switch (way) {
    case Way::machine_code:
      return Tone::good;
    case Way::no:
      return Tone::bad;
    default:
      break;
  }
  return Tone::doubt;
}

const char* word(Way way) {
  switch (way) {
    case Way::machine_code:
      return "runs";
    case Way::compiled:
      return "runs, compiled at first launch";
    case Way::partly:
      return "runs in part";
    case Way::no:
      return "does not run";
    case Way::no_gpu_code:
      return "carries no GPU code";
    case Way::unknown:
      break;
  }
  return "unknown";
}

std::string codes(const stack::GpuCodes& found) {
  std::vector<std::string> words;
  for (const stack::GpuCode& code : found.all()) {
    std::string text = code.text();
    if (code.ptx && code.ptx_isa > 0)
      text += fmt::format(" (PTX {}.{})", code.ptx_isa / 10, code.ptx_isa % 10);
    words.push_back(std::move(text));
  }
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::string draw(const stack::PlanReport& plan, const Terminal& terminal) {
  std::vector<std::string> parts{bullets(plan.assumptions, terminal), draw_pairs(plan.pairs, terminal)};
  if (!plan.steps.empty()) {
    std::string& steps = parts.emplace_back(terminal.paint("In this order", Tone::strong) + "\n");
    int number = 0;
    for (const stack::PlanStep& step : plan.steps)
      steps += fmt::format("  {}. {}\n     {}\n", ++number, wrap(plain(step.what), terminal.width, 5),
                           terminal.paint(wrap(plain(step.why), terminal.width, 5), Tone::faint));
  }
  for (const stack::Finding& finding : plan.findings) parts.push_back(draw(finding, terminal, true));
  parts.push_back(terminal.paint(wrap(plain(plan.sentence), terminal.width), tone(plan.outcome)) + "\n");
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, "\n"));
}

std::string draw(const stack::ImageReport& image, const Terminal& terminal) {
  std::string out;
  for (const auto& [name, value] : image.facts) out += fmt::format("  {:<18}{}\n", plain(name), plain(value));
  if (!out.empty()) out = terminal.paint("The image", Tone::strong) + "\n" + out + "\n";
  out += draw_pairs(image.pairs, terminal);
  for (const stack::Finding& finding : image.findings) out += "\n" + draw(finding, terminal, true);
  return out + "\n" + terminal.paint(wrap(plain(image.sentence), terminal.width), tone(image.outcome)) + "\n";
}

std::string draw(const BinaryAnswers& binary, const Terminal& terminal) {
  const stack::BinaryReport& report = binary.report;
  std::string out = fmt::format(
      "{}  {}{}\n  GPU code      {}\n  CUDA runtime  {}{}\n",
      terminal.paint(plain(report.path), Tone::strong), stack::to_string(report.kind),
      report.machine.empty() ? "" : " for " + plain(report.machine),
      wrap(codes(report.codes) + (report.relocatable ? "; still to be linked" : ""), terminal.width, 16),
      stack::to_string(report.runtime),
      report.runtime_version.empty() ? "" : ", " + plain(report.runtime_version));
  for (const stack::NeededLibrary& needed : report.needed)
    out += fmt::format("  needs         {}  {}\n", plain(needed.soname),
                       needed.path.empty() ? terminal.paint("the loader finds none", Tone::bad)
                                           : terminal.paint(plain(needed.path), Tone::faint));
  if (!report.problem.empty())
    out +=
        "  " +
        terminal.paint(wrap("not all was read: " + plain(report.problem), terminal.width, 2), Tone::doubt) +
        "\n";
  for (const stack::RunAnswer& answer : binary.answers) {
    out += fmt::format("\n  compute capability {}: {}\n    {}\n", plain(answer.compute_capability),
                       terminal.paint(word(answer.way), tone(answer.way)),
                       wrap(plain(answer.sentence), terminal.width, 4));
    if (!answer.first_launch.empty())
      out += "    " + wrap(plain(answer.first_launch), terminal.width, 4) + "\n";
  }
  if (binary.answers.empty() && report.codes.sets.empty() && report.problem.empty())
    out +=
        "\n  It carries no GPU code of its own: whether its work runs on a GPU cannot be told from this "
        "file.\n";
  else if (binary.answers.empty())
    out += "\n  No GPU was seen there; --gpu names one to ask about.\n";
  return out;
}

int exit_code(Fit fit) {
  if (fit == Fit::fails) return 1;
  return fit == Fit::unknown ? 3 : 0;
}

int exit_code(const BinaryAnswers& binary) {
  int code = binary.answers.empty() ? 3 : 0;
  for (const stack::RunAnswer& answer : binary.answers) {
    if (answer.way == Way::no || answer.way == Way::partly) return 1;
    if (answer.way == Way::unknown || answer.way == Way::no_gpu_code) code = 3;
  }
  return code;
}

}  // namespace gpugauge::report

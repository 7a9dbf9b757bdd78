#include "report/diagnosis.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/format.hpp"
#include "report/table.hpp"

namespace gpugauge::report {
namespace {

using diagnose::Diagnosis;
using diagnose::Excluded;
using diagnose::Finding;
using diagnose::State;

constexpr int indent = 12;

/// "    seen    first", then each further line below the first; cut after `most` lines.
std::string listed(const char* word, const std::vector<std::string>& lines, std::size_t most,
                   const Terminal& terminal, Tone tone = Tone::normal) {
  std::string out;
  for (std::size_t i = 0; i < std::min(most, lines.size()); ++i)
    out += fmt::format("    {:<8}{}\n", i == 0 ? word : "",
                       terminal.paint(wrap(plain(lines[i]), terminal.width, indent), tone));
  if (lines.size() > most)
    out += fmt::format("    {:<8}{}\n", "", fmt::format("and {} more (--json)", lines.size() - most));
  return out;
}

/// A bar of twenty cells: evidence, then pattern, then what is missing.
std::string bar(const Finding& finding) {
  constexpr int cells = 20;
  const int evidence = static_cast<int>(std::lround(finding.from_evidence * cells));
  const int pattern = static_cast<int>(std::lround(finding.score * cells)) - evidence;
  const auto times = [](std::string_view cell, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += cell;
    return out;
  };
  return times("#", evidence) + times("+", std::max(0, pattern)) +
         times(".", cells - evidence - std::max(0, pattern));
}

/// The report that is most alike, and what was found there.
std::string source_of(const diagnose::Alike& alike) {
  return alike.established.empty() ? alike.source : alike.source + ": " + alike.established;
}

/// The causes of the known reports that read like this one, each with the terms that both share and the report that is
/// most alike.
std::string draw(const std::vector<diagnose::Alike>& alike, const Terminal& terminal) {
  std::string out =
      terminal.paint("Reads like", Tone::strong) + "\n" +
      fmt::format("    {}\n",
                  wrap("known reports of these causes: likeness of words and keys, and no evidence",
                       terminal.width, 4));
  for (const diagnose::Alike& one : alike) {
    out += fmt::format("    {}  {:.2f}\n", terminal.paint(plain(one.cause), Tone::strong), one.likeness);
    out += listed("shared", {fmt::format("{}", fmt::join(one.shared, "; "))}, 1, terminal, Tone::faint);
    if (!one.source.empty()) out += listed("in", {source_of(one)}, 1, terminal);
  }
  return out + "\n";
}

std::vector<std::string> sentences(const std::vector<Excluded>& excluded) {
  std::vector<std::string> out;
  out.reserve(excluded.size());
  for (const Excluded& one : excluded) out.push_back(one.cause + ": " + one.why);
  return out;
}

std::string draw(const Finding& finding, std::size_t place, const Terminal& terminal) {
  const diagnose::Signature* signature = diagnose::find_signature(finding.cause);
  const bool sure = finding.score >= diagnose::confident;
  std::string out =
      fmt::format("{} {}  {:.2f} {}\n", place, terminal.paint(finding.cause, Tone::strong), finding.score,
                  terminal.paint(sure ? "confident" : "likely, not proven", sure ? Tone::bad : Tone::doubt));
  if (signature != nullptr) out += fmt::format("    {}\n", wrap(signature->title, terminal.width, 4));
  out += fmt::format("    {:<8}{} {:.2f} evidence #, {:.2f} pattern +\n", "score", bar(finding),
                     finding.from_evidence, finding.from_pattern);
  const bool first = place == 1;
  out += listed("seen", finding.evidence, first ? 6 : 3, terminal);
  if (!finding.doubt.empty()) out += listed("doubt", {finding.doubt}, 1, terminal, Tone::doubt);
  out += listed("not", sentences(finding.excluded), first ? 4 : 2, terminal, Tone::faint);
  out += listed("open", sentences(finding.unproven), first ? 4 : 2, terminal, Tone::faint);
  out += listed("next", finding.next, 2, terminal, Tone::good);
  return out + "\n";
}

}  // namespace

std::vector<Excluded> beside_findings(const std::vector<Excluded>& causes, const Diagnosis& diagnosis) {
  std::vector<Excluded> out;
  for (const Excluded& one : causes) {
    const auto is_it = [&](const Excluded& other) { return other.cause == one.cause; };
    const auto names_it = [&](const Finding& finding) {
      return std::any_of(finding.excluded.begin(), finding.excluded.end(), is_it) ||
             std::any_of(finding.unproven.begin(), finding.unproven.end(), is_it);
    };
    if (std::none_of(diagnosis.findings.begin(), diagnosis.findings.end(), names_it)) out.push_back(one);
  }
  return out;
}

std::string draw(const Diagnosis& diagnosis, const Terminal& terminal, std::string_view title) {
  std::string out;
  if (!title.empty() && !diagnosis.findings.empty())
    out += terminal.paint(plain(title), Tone::strong) + "\n\n";
  for (std::size_t i = 0; i < diagnosis.findings.size(); ++i)
    out += draw(diagnosis.findings[i], i + 1, terminal);
  const auto add_others = [&](const char* heading, const char* word, const std::vector<Excluded>& causes) {
    const std::vector<Excluded> others = beside_findings(causes, diagnosis);
    if (!others.empty())
      out += terminal.paint(heading, Tone::strong) + "\n" +
             listed(word, sentences(others), 5, terminal, Tone::faint) + "\n";
  };
  add_others("Excluded", "not", diagnosis.excluded);
  add_others("Not proven", "open", diagnosis.unproven);
  if (!diagnosis.needed.empty() || !diagnosis.questions.empty()) {
    out += terminal.paint("What would tell", Tone::strong) + "\n";
    for (const diagnose::Question& one : diagnosis.questions)
      out += wrap_behind(fmt::format("    {} or {}: ", one.cause, one.other), one.question, terminal.width,
                         indent) +
             "\n";
    for (const diagnose::Needed& needed : diagnosis.needed)
      out +=
          wrap_behind(fmt::format("    {}: ", needed.cause), plain(needed.question), terminal.width, indent) +
          "\n";
    out += "\n";
  }
  if (!diagnosis.alike.empty()) out += draw(diagnosis.alike, terminal);
  const Tone tone = diagnosis.state == State::healthy ? Tone::good
                    : diagnosis.state == State::found ? Tone::bad
                                                      : Tone::doubt;
  out += terminal.paint(wrap(plain(diagnosis.sentence), terminal.width), tone) + "\n";
  if (!diagnosis.findings.empty())
    out += fmt::format("More: gpugauge explain {}\n", diagnosis.findings.front().cause);
  else if (!diagnosis.alike.empty() && diagnose::find_signature(diagnosis.alike.front().cause) != nullptr)
    out += fmt::format("What would prove it: gpugauge explain {}\n", diagnosis.alike.front().cause);
  return out;
}

std::string in_one_line(const Finding& finding) {
  const diagnose::Signature* signature = diagnose::find_signature(finding.cause);
  return fmt::format("{} ({:.2f}, {}){}", finding.cause, finding.score,
                     finding.score >= diagnose::confident ? "confident" : "likely, not proven",
                     signature == nullptr ? "" : fmt::format(": {}", signature->title));
}

std::string in_one_line(const diagnose::Alike& alike) {
  return fmt::format("reads like known reports of {} (likeness {:.2f}, no evidence; shared: {}){}",
                     alike.cause, alike.likeness, fmt::join(alike.shared, "; "),
                     alike.source.empty() ? "" : ": " + source_of(alike));
}

int exit_code(const Diagnosis& diagnosis) {
  switch (diagnosis.state) {
    case State::healthy:
      return 0;
    case State::found:
      return 1;
    case State::unknown:
    case State::nothing_compared:
      break;
  }
  return 3;
}

}  // namespace gpugauge::report

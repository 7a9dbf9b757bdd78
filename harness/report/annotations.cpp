// GitHub workflow commands: "::error title=...::message". GitHub shows ten of each kind per step.
#include <algorithm>

#include <fmt/format.h>

#include "report/digest.hpp"
#include "report/format.hpp"

namespace gpugauge::report {
namespace {

constexpr std::size_t most = 10;

/// Escapes characters as the runner undoes it; in a property also those that would end it.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : tame(text, 2000)) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else if (property && c == ':')
      out += "%3A";
    else if (property && c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

std::string command(std::string_view level, std::string_view title, std::string_view message) {
  return fmt::format("::{} title={}::{}\n", level, escaped(title, true), escaped(message, false));
}

}  // namespace

std::string annotations_text(const Subject& subject) {
  const Digest made = digest(subject);
  const auto worst = worst_cases(made);
  std::string out;
  for (std::size_t i = 0; i < std::min(most, worst.size()); ++i) {
    const auto& [part, one] = worst[i];
    const std::string where = made.parts.size() > 1 ? fmt::format(" ({})", part->label) : "";
    out += command(one->state == CaseState::skipped ? "warning" : "error",
                   fmt::format("{}: {}", one->word, one->name), one->reason + where);
  }
  std::string sentence = made.outcome.sentence;
  if (worst.size() > most) sentence += fmt::format("; the worst {} of {} are annotated", most, worst.size());
  for (const DigestPart& part : made.parts)
    for (const DigestFinding& finding : part.findings)
      if (finding.confident)
        sentence += fmt::format("; cause{}: {} ({})", finding.node.empty() ? "" : " on " + tame(finding.node),
                                finding.cause, finding.title);
  return out + command("notice", headline(made), sentence);
}

}  // namespace gpugauge::report

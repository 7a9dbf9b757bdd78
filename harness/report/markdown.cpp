// A page for a job summary: the verdict, then causes, then the worst metrics. GitHub accepts 1 MiB.
#include <algorithm>

#include <fmt/format.h>

#include "report/digest.hpp"
#include "report/format.hpp"
#include "result/build.hpp"

namespace gpugauge::report {
namespace {

constexpr std::size_t most_bytes = 1'000'000;  ///< of the 1,048,576 that GitHub accepts
constexpr std::size_t most_rows = 40;
constexpr std::size_t most_remarks = 40;

/// Foreign text for a paragraph or cell, escaped so that nothing in it is markup, a link or a mention.
std::string escaped(std::string_view text, std::size_t most = 1000) {
  constexpr std::string_view special = "\\`*_{}[]()<>#+!|~$@&";
  std::string out;
  const std::string tamed = tame(text, most);
  for (std::size_t i = 0; i < tamed.size(); ++i) {
    const char c = tamed[i];
    const bool link = c == ':' && tamed.compare(i, 3, "://") == 0;
    const bool host = c == '.' && i >= 3 && tamed.compare(i - 3, 3, "www") == 0;
    const bool begins_line = i == 0 && (c == '-' || c == '=' || c == ':');
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else {
      if (special.find(c) != std::string_view::npos || link || host || begins_line) out += '\\';
      out += c;
    }
  }
  return out;
}

/// A page of limited size. It leaves out whole paragraphs or rows and says so.
class Page {
 public:
  void add(const std::string& block) {
    if (text_.size() + block.size() > most_bytes)
      cut_ = true;
    else
      text_ += block;
  }
  std::string finish() && {
    if (cut_) text_ += "\nCut at 1 MB: the JSON report holds everything.\n";
    return std::move(text_);
  }

 private:
  std::string text_;
  bool cut_ = false;
};

void add_findings(Page& page, const DigestPart& part) {
  for (const DigestFinding& finding : part.findings) {
    page.add(fmt::format("\n**{}**{}: {} ({})\n\n", escaped(finding.cause),
                         finding.node.empty() ? "" : " on " + escaped(finding.node, 200),
                         escaped(finding.title), certainty(finding)));
    for (std::size_t i = 0; i < std::min<std::size_t>(6, finding.evidence.size()); ++i)
      page.add(fmt::format("- seen: {}\n", escaped(finding.evidence[i])));
    for (std::size_t i = 0; i < std::min<std::size_t>(2, finding.next.size()); ++i)
      page.add(fmt::format("- next: {}\n", escaped(finding.next[i])));
  }
}

std::string number(const std::optional<double>& value, std::string_view unit) {
  return value ? escaped(quantity(*value, unit)) : "";
}

void add_cases(Page& page, const DigestPart& part) {
  std::size_t passed = 0;
  std::vector<const Case*> shown;
  for (const Case& one : part.cases)
    if (one.state == CaseState::passed)
      ++passed;
    else
      shown.push_back(&one);
  const std::size_t all = shown.size();
  shown.resize(std::min(all, most_rows));
  if (!shown.empty()) {
    const bool figures = std::any_of(shown.begin(), shown.end(), [](const Case* one) { return one->value; });
    page.add(figures ? "\n| verdict | what | now | baseline | change | of limit | why |\n"
                       "|---|---|--:|--:|--:|--:|---|\n"
                     : "\n| verdict | what | change | why |\n|---|---|--:|---|\n");
    for (const Case* one : shown) {
      const std::string change = one->change ? escaped(signed_percent(*one->change)) : "";
      std::string row = fmt::format("| {} | {} |", escaped(one->word), escaped(one->name, 200));
      if (figures)
        row += fmt::format(" {} | {} | {} | {} |", number(one->value, one->unit),
                           number(one->baseline, one->unit), change, one->share ? percent(*one->share) : "");
      else
        row += fmt::format(" {} |", change);
      page.add(row + fmt::format(" {} |\n", escaped(one->reason)));
    }
  }
  if (all > shown.size())
    page.add(fmt::format("\nand {} more; the other reports hold them all.\n", all - shown.size()));
  page.add(fmt::format("\n{} passed, {} with something to say.\n", passed, all));
}

}  // namespace

std::string markdown_text(const Subject& subject) {
  const Digest made = digest(subject);
  Page page;
  page.add(fmt::format("## {}: {}\n\n**{}**\n", escaped(headline(made)), outcome_word(made.outcome),
                       escaped(made.outcome.sentence)));
  for (const DigestPart& part : made.parts) {
    page.add(fmt::format("\n### {}\n", escaped(part.label, 200)));
    if (made.parts.size() > 1) page.add(fmt::format("\n{}\n", escaped(part.outcome.sentence)));
    add_findings(page, part);
    add_cases(page, part);
    if (!part.remarks.empty()) page.add("\n");
    for (std::size_t i = 0; i < std::min(most_remarks, part.remarks.size()); ++i)
      page.add(fmt::format("- {}\n", escaped(part.remarks[i])));
    if (part.remarks.size() > most_remarks)
      page.add(fmt::format("- and {} more\n", part.remarks.size() - most_remarks));
  }
  if (!made.facts.empty()) {
    page.add("\n<details><summary>Stack</summary>\n\n| layer | version |\n|---|---|\n");
    for (const auto& [layer, version] : made.facts)
      page.add(fmt::format("| {} | {} |\n", escaped(layer), escaped(version)));
    page.add("\n</details>\n");
  }
  page.add(fmt::format("\nGPUGauge {}, exit code {}\n", escaped(result::build().version),
                       static_cast<int>(made.outcome.code)));
  return std::move(page).finish();
}

}  // namespace gpugauge::report

// Writes the page of a cause for the terminal and as Markdown.
#include "report/explain.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/pattern.hpp"
#include "diagnose/probes.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "result/near.hpp"

namespace gpugauge::report {
namespace {

using diagnose::Move;
using diagnose::Prediction;

std::string_view meaning(Prediction prediction) {
  switch (prediction) {
    case Prediction::unchanged:
      return "unchanged";
    case Prediction::slower:
      return "slower";
    case Prediction::much_slower:
      return "more than twice as slow";
    case Prediction::fails:
      return "fails";
    case Prediction::either:
      break;
  }
  return "either way";
}

/// "gemm32 more than twice as slow; gemm16, hbm unchanged".
std::string movements(const diagnose::Signature& signature) {
  std::map<std::string_view, std::vector<std::string_view>> by_meaning;
  std::vector<std::string_view> order;
  for (const Move& move : diagnose::parse_moves(signature.moves)) {
    const std::string_view word = meaning(move.prediction);
    if (!by_meaning.contains(word)) order.push_back(word);
    by_meaning[word].push_back(move.metric_class);
  }
  std::vector<std::string> parts;
  parts.reserve(order.size());
  for (const std::string_view word : order)
    parts.push_back(fmt::format("{} {}", fmt::join(by_meaning[word], ", "), word));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string_view subject(const diagnose::Signature& signature) {
  switch (signature.subject) {
    case diagnose::Subject::machine:
      return "the machine";
    case diagnose::Subject::software:
      return "software; the machine is in order";
    case diagnose::Subject::change:
      break;
  }
  return "a change, by a mechanism that is not known";
}

/// Removes Markdown from a table cell's text.
std::string unmarked(std::string text) {
  std::erase(text, '`');
  return text;
}

std::string title_of(const CausePage& page) {
  return page.signature != nullptr ? std::string(page.signature->title) : unmarked(page.row->when);
}

std::string severity_of(const CausePage& page) {
  return page.signature != nullptr ? stack::to_string(page.signature->severity) : page.row->severities;
}

/// The probes of `check` that separate this cause from others.
std::vector<const diagnose::ProbeEntry*> probes_of(const CausePage& page) {
  std::vector<const diagnose::ProbeEntry*> out;
  for (const diagnose::ProbeEntry& probe : diagnose::probe_table())
    if (std::find(probe.separates.begin(), probe.separates.end(), page.name) != probe.separates.end())
      out.push_back(&probe);
  return out;
}

}  // namespace

std::optional<CausePage> find_page(std::string_view name) {
  CausePage page{std::string(name), diagnose::find_signature(name), stack::find_cause_row(name)};
  if (page.signature == nullptr && page.row == nullptr) return std::nullopt;
  return page;
}

std::vector<CausePage> all_pages() {
  std::map<std::string, CausePage> pages;
  for (const diagnose::Signature& signature : diagnose::catalogue())
    pages[std::string(signature.name)].signature = &signature;
  for (const stack::CauseRow& row : stack::cause_rows()) pages[row.name].row = &row;
  std::vector<CausePage> out;
  out.reserve(pages.size());
  for (auto& [name, page] : pages) {
    page.name = name;
    out.push_back(std::move(page));
  }
  return out;
}

std::vector<std::string> near_names(std::string_view name) {
  std::vector<std::string> names;
  for (const CausePage& page : all_pages()) names.push_back(page.name);
  return result::nearest(name, names);
}

std::string draw(const CausePage& page, const Terminal& terminal) {
  constexpr int indent = 14;
  std::string out =
      terminal.paint(page.name, Tone::strong) + "\n  " + wrap(title_of(page), terminal.width, 2) + "\n\n";
  const auto part = [&](const char* word, std::string_view text) {
    if (!text.empty()) out += fmt::format("  {:<12}{}\n", word, wrap(plain(text), terminal.width, indent));
  };
  if (page.signature != nullptr) {
    const diagnose::Signature& signature = *page.signature;
    part("what", signature.what);
    part("at fault", subject(signature));
    part("movement", movements(signature));
    part("proof", signature.confirms);
    part("against", signature.excludes);
    for (const diagnose::Confusion& confusion : signature.confused_with)
      part(&confusion == &signature.confused_with.front() ? "or is it" : "",
           fmt::format("{}? Ask: {}", confusion.with, confusion.question));
    bool first = true;
    for (const diagnose::ProbeEntry* probe : probes_of(page)) {
      part(first ? "check asks" : "", fmt::format("{}: {}", probe->id, probe->question));
      first = false;
    }
  }
  part("severity", severity_of(page));
  if (page.row != nullptr) {
    part("doctor", fmt::format("names it ({}) when: {}", page.row->severities, unmarked(page.row->when)));
    part("remedy", unmarked(page.row->remedy));
  }
  if (page.signature != nullptr) {
    part("next", page.signature->next);
    for (const std::string_view source : page.signature->reading) part("read", source);
  }
  return out;
}

std::string draw_list(const std::vector<CausePage>& pages, const Terminal& terminal) {
  Table table({{"cause"}, {"severity"}, {"named by"}, {"what", false, false, true}});
  for (const CausePage& page : pages)
    table.add({{page.name, Tone::strong},
               {severity_of(page)},
               {page.signature == nullptr ? "doctor"
                : page.row == nullptr     ? "diagnosis"
                                          : "both"},
               {title_of(page), Tone::faint}});
  return table.draw(terminal);
}

std::string to_markdown(const CausePage& page) {
  std::string out = fmt::format("# {}\n\n{}.\n", page.name, title_of(page));
  const auto part = [&](const char* title, std::string_view text) {
    if (!text.empty()) out += fmt::format("\n## {}\n\n{}\n", title, text);
  };
  if (page.signature != nullptr) {
    const diagnose::Signature& signature = *page.signature;
    out += fmt::format("\n{}\n\n| at fault | severity |\n|---|---|\n| {} | {} |\n", signature.what,
                       subject(signature), severity_of(page));
    if (!signature.moves.empty()) {
      out += "\n## What moves\n\n| class | expected |\n|---|---|\n";
      for (const Move& move : diagnose::parse_moves(signature.moves))
        out += fmt::format("| {} | {} |\n", move.metric_class, meaning(move.prediction));
    }
    part("What proves it", fmt::format("{}.", signature.confirms));
    part("What speaks against it", fmt::format("{}.", signature.excludes));
    if (!signature.confused_with.empty()) {
      out += "\n## What it is confused with\n\n| cause | the question that separates them |\n|---|---|\n";
      for (const diagnose::Confusion& confusion : signature.confused_with)
        out += fmt::format("| [{0}]({0}.md) | {1} |\n", confusion.with, confusion.question);
    }
    if (const auto probes = probes_of(page); !probes.empty()) {
      out +=
          "\n## What `check` asks by measuring\n\n| [probe](../diagnosis.md#probes) | question | seconds "
          "|\n|---|---|--:|\n";
      for (const diagnose::ProbeEntry* probe : probes)
        out += fmt::format("| `{}` | {} | {:g} |\n", probe->id, probe->question, probe->seconds);
    }
  }
  if (page.row != nullptr)
    part("What the doctor says", fmt::format("Severity {}, when: {}.\n\nRemedy: {}.", page.row->severities,
                                             page.row->when, page.row->remedy));
  if (page.signature != nullptr) {
    part("Next", fmt::format("    {}", page.signature->next));
    out += "\n## Read\n\n";
    for (const std::string_view source : page.signature->reading) out += fmt::format("- <{}>\n", source);
  }
  return out;
}

std::string index_markdown(const std::vector<CausePage>& pages) {
  std::string out =
      "# Every cause that GPUGauge can name\n\nWritten by a test from the same data as `gpugauge explain "
      "CAUSE`. "
      "*diagnosis*: named from what was measured and seen ([diagnosis](../diagnosis.md)); *doctor*: from "
      "what is "
      "installed and set ([findings](../findings.md)).\n\n| cause | severity | named by | what "
      "|\n|---|---|---|---|\n";
  for (const CausePage& page : pages)
    out += fmt::format("| [{0}]({0}.md) | {1} | {2} | {3} |\n", page.name, severity_of(page),
                       page.signature == nullptr ? "doctor"
                       : page.row == nullptr     ? "diagnosis"
                                                 : "both",
                       title_of(page));
  return out;
}

}  // namespace gpugauge::report

// JUnit XML as Jenkins' xunit plugin defines it (junit-10.xsd): one suite per device and class. failure:
// counts against the device; error: could not be judged; skipped: in doubt or advisory, with the reason.
#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "report/digest.hpp"
#include "report/format.hpp"
#include "result/build.hpp"
#include "result/time.hpp"

namespace gpugauge::report {
namespace {

constexpr std::size_t most_text = 20000;
constexpr std::array elements{"failure", "error", "skipped"};

void set(pugi::xml_node& node, const char* name, std::string_view value) {
  node.append_attribute(name).set_value(tame(value, most_text).c_str());
}

struct Counts {
  std::size_t all = 0, failures = 0, errors = 0, skipped = 0;
  void add(CaseState state) {
    ++all;
    failures += state == CaseState::failed ? 1 : 0;
    errors += state == CaseState::error ? 1 : 0;
    skipped += state == CaseState::skipped ? 1 : 0;
  }
};

void set(pugi::xml_node& node, const Counts& counts, bool with_skipped) {
  set(node, "tests", std::to_string(counts.all));
  set(node, "failures", std::to_string(counts.failures));
  set(node, "errors", std::to_string(counts.errors));
  if (with_skipped) set(node, "skipped", std::to_string(counts.skipped));
}

/// "12.3 GB/s now, 15.4 GB/s in the baseline, +20.1% worse, 61.5% of the limit".
std::string figures(const Case& one) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  if (one.value) add(quantity(*one.value, one.unit) + " now");
  if (one.baseline) add(quantity(*one.baseline, one.unit) + " in the baseline");
  if (one.change) add(change(*one.change));
  if (one.share) add(percent(*one.share) + " of the limit");
  return out;
}

void add_case(pugi::xml_node& suite, const std::string& classname, const Case& one) {
  pugi::xml_node node = suite.append_child("testcase");
  set(node, "classname", classname);
  set(node, "name", one.name);
  set(node, "time", "0");
  const std::string numbers = figures(one);
  if (one.state != CaseState::passed) {
    pugi::xml_node said = node.append_child(elements[static_cast<std::size_t>(one.state)]);
    set(said, "type", one.word);
    set(said, "message", one.reason);
    if (!numbers.empty()) said.text().set(tame(numbers, most_text).c_str());
  } else if (!numbers.empty()) {
    node.append_child("system-out").text().set(tame(one.word + ": " + numbers, most_text).c_str());
  }
}

/// CI servers split names at dots into packages, so replace them.
std::string undotted(std::string text) {
  std::replace(text.begin(), text.end(), '.', '_');
  return text;
}

std::string findings_text(const DigestPart& part) {
  std::string out;
  for (const DigestFinding& finding : part.findings) {
    out += fmt::format("{} ({}){}: {}\n", tame(finding.cause), certainty(finding),
                       finding.node.empty() ? "" : " on " + tame(finding.node), tame(finding.title));
    for (const std::string& line : finding.evidence) out += "  seen: " + tame(line, most_text) + "\n";
    for (const std::string& line : finding.next) out += "  next: " + tame(line, most_text) + "\n";
  }
  return out;
}

void add_property(pugi::xml_node& properties, std::string_view name, std::string_view value) {
  pugi::xml_node property = properties.append_child("property");
  set(property, "name", name);
  set(property, "value", value);
}

}  // namespace

std::string junit_text(const Subject& subject) {
  const Digest made = digest(subject);
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node root = document.append_child("testsuites");
  set(root, "name", title(made));
  Counts all;
  double seconds = 0;
  for (const DigestPart& part : made.parts) {
    seconds += part.seconds;
    for (const Case& one : part.cases) all.add(one.state);
  }
  set(root, "time", fmt::format("{:.3f}", seconds));
  set(root, all, false);  // the schema has no skipped count here
  for (const DigestPart& part : made.parts) {
    std::map<std::string, std::vector<const Case*>> suites;
    for (const Case& one : part.cases) suites[one.suite].push_back(&one);
    bool first = true;
    for (const auto& [name, cases] : suites) {
      pugi::xml_node suite = root.append_child("testsuite");
      set(suite, "name", fmt::format("{}: {}", part.label, name));
      Counts counts;
      for (const Case* one : cases) counts.add(one->state);
      set(suite, counts, true);
      // Only the first suite has the part's time, so that the sum is right.
      set(suite, "time", fmt::format("{:.3f}", first ? part.seconds : 0));
      if (!made.host.empty()) set(suite, "hostname", made.host);
      if (result::unix_seconds(part.started)) set(suite, "timestamp", result::seconds_of(part.started));
      pugi::xml_node properties = suite.append_child("properties");
      add_property(properties, "gpugauge.version", result::build().version);
      add_property(properties, "gpugauge.commit", result::build().commit);
      add_property(properties, "device", part.id);
      add_property(properties, "verdict", part.outcome.sentence);
      for (const auto& [layer, version] : made.facts) add_property(properties, "stack." + layer, version);
      for (const Case* one : cases)
        add_case(suite, fmt::format("gpugauge.{}.{}", undotted(part.id), undotted(name)), *one);
      const std::string findings = first ? findings_text(part) : "";
      if (!findings.empty()) suite.append_child("system-out").text().set(findings.c_str());
      first = false;
    }
  }
  std::ostringstream out;
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

}  // namespace gpugauge::report

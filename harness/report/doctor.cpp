#include "report/doctor.hpp"

#include <fmt/format.h>

#include "report/console.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "result/counted.hpp"
#include "stack/inventory/image.hpp"

namespace gpugauge::report {
namespace {

using stack::Finding;
using stack::Severity;

Tone tone(Severity severity) {
  switch (severity) {
    case Severity::failure:
      return Tone::bad;
    case Severity::warning:
      return Tone::doubt;
    case Severity::note:
      break;
  }
  return Tone::normal;
}

/// "    seen  first", then each further line below the first.
std::string listed(const char* word, const std::vector<std::string>& lines, const Terminal& terminal,
                   Tone tone) {
  constexpr int indent = 12;
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i)
    out += fmt::format("    {:<8}{}\n", i == 0 ? word : "",
                       terminal.paint(wrap(plain(lines[i]), terminal.width, indent), tone));
  return out;
}

std::string draw_items(const stack::Inventory& inventory, const Terminal& terminal) {
  Table table({{"item", false, true}, {"value", false, true}, {"from", false, true}});
  for (const stack::Item& item : inventory.items()) {
    std::string value = item.value;
    if (item.presence == stack::Presence::absent) value = "absent";
    if (item.presence == stack::Presence::unreadable)
      value = item.needs.empty() ? "unreadable" : fmt::format("unreadable (it takes {})", item.needs);
    const bool present = item.presence == stack::Presence::present;
    table.add({{plain(item.key)},
               {plain(value), present ? Tone::strong : Tone::faint},
               {plain(item.how.empty() ? item.source : item.source + " (" + item.how + ")"), Tone::faint}});
  }
  return table.draw(terminal);
}

bool any_gpu(const stack::Inventory& inventory) {
  if (stack::is_image(inventory)) return false;
  return !inventory.children("gpu").empty() || !inventory.children("pci").empty() ||
         inventory.has("driver.kernel_module_version") || inventory.has("driver.device_nodes");
}

}  // namespace

std::string draw(const Finding& finding, const Terminal& terminal, bool whole) {
  const std::string severity = terminal.paint(stack::to_string(finding.severity), tone(finding.severity));
  std::string out = wrap_behind("  " + severity + "  ", terminal.paint(plain(finding.title), Tone::strong),
                                terminal.width, 4) +
                    "\n";
  if (finding.severity == Severity::note && !whole) return out;
  if (!finding.explanation.empty())
    out += "    " + wrap(plain(finding.explanation), terminal.width, 4) + "\n";
  out += listed("seen", finding.evidence, terminal, Tone::normal);
  out += listed("not", finding.considered, terminal, Tone::faint);
  out += listed("next", finding.next, terminal, Tone::good);
  if (whole) out += listed("source", finding.sources, terminal, Tone::faint);
  return out;
}

DoctorOutcome outcome(const Doctor& doctor) {
  DoctorOutcome out;
  bool broken = false;  // apart from having nothing to inspect
  bool unseen = false;  // a GPU may be there
  for (const Finding& finding : doctor.findings) {
    unseen = unseen || (finding.severity == Severity::note && finding.cause == "no_nvidia_hardware");
    broken = broken || (finding.severity == Severity::failure && finding.cause != "no_nvidia_hardware");
    out.failures += finding.severity == Severity::failure ? 1 : 0;
    out.warnings += finding.severity == Severity::warning ? 1 : 0;
    out.notes += finding.severity == Severity::note ? 1 : 0;
  }
  const std::string counts =
      fmt::format("{}, {}, {}", result::counted(out.failures, "failure"),
                  result::counted(out.warnings, "warning"), result::counted(out.notes, "note"));
  if (broken || (out.failures > 0 && any_gpu(doctor.inventory))) {
    out.exit_code = 1;
    out.sentence = "does not fit: " + counts;
  } else if (!any_gpu(doctor.inventory)) {
    out.exit_code = 3;
    out.sentence =
        stack::is_image(doctor.inventory)
            ? "cannot judge: these are files, and whether they work on a GPU only the machine that "
              "runs them tells; " +
                  counts
        : unseen ? "cannot judge: this user may not look everywhere a GPU shows itself; " + counts
                 : "cannot judge: this machine shows no NVIDIA GPU; " + counts;
  } else {
    out.sentence = "fits: " + counts;
  }
  return out;
}

std::string draw(const Doctor& doctor, const Terminal& terminal, bool whole) {
  std::string out;
  if (!doctor.findings.empty()) {
    out += terminal.paint("Findings", Tone::strong) + "\n";
    for (const Finding& finding : doctor.findings) out += draw(finding, terminal, whole);
    out += "\n";
  }
  out += terminal.paint("Stack", Tone::strong) + "\n" + draw_stack(doctor.layers, terminal) + "\n";
  if (whole)
    out += terminal.paint("Everything that was looked for", Tone::strong) + "\n" +
           draw_items(doctor.inventory, uncut(terminal)) + "\n";
  const DoctorOutcome end = outcome(doctor);
  const Tone colour = end.exit_code == 0   ? (end.warnings > 0 ? Tone::doubt : Tone::good)
                      : end.exit_code == 1 ? Tone::bad
                                           : Tone::doubt;
  if (end.notes > 0 && !whole)
    out += terminal.paint("--all explains the notes and lists every item", Tone::faint) + "\n";
  return out + terminal.paint(wrap(end.sentence, terminal.width), colour) + "\n";
}

}  // namespace gpugauge::report

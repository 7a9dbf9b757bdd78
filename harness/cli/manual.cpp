// gpugauge manual (hidden): the manual page, written from the definition of the command line when a package
// is built.
#include <algorithm>
#include <ctime>
#include <memory>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/definition.hpp"
#include "report/table.hpp"
#include "result/build.hpp"

namespace gpugauge::cli {
namespace {

/// What man(7) would take for its own: backslashes, and a dot or a quote at the beginning of a line.
std::string escaped(const std::string& text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '~')
      out += "\\(ti";
    else if (c == '^')
      out += "\\(ha";
    else if (c == '`')
      out += "\\(ga";
    else
      out += c;
    at_start = c == '\n';
  }
  return out;
}

/// Text as it stands, line by line.
std::string verbatim(const std::string& text) {
  std::string out = ".nf\n";
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    const std::string line = text.substr(from, to - from);
    out += line.empty() ? ".sp\n" : escaped(line) + "\n";
    from = to + 1;
  }
  return out + ".fi\n";
}

std::string paragraph(const std::string& text) {
  return escaped(report::wrap(text, 78, 0)) + "\n";
}

std::string heading(const DefinedOption& option) {
  std::string out;
  for (const std::string& name : option.names)
    out += (out.empty() ? "" : ", ") + fmt::format("\\fB{}\\fR", escaped(name));
  if (option.names.empty())
    out = fmt::format("\\fI{}\\fR", escaped(option.argument));
  else if (option.takes_value())
    out += fmt::format(" \\fI{}\\fR", escaped(option.value));
  return out;
}

std::string entry(const DefinedOption& option) {
  std::string text = option.description;
  if (!option.preset.empty()) text += fmt::format(" (default: {})", option.preset);
  std::string out = fmt::format(".TP\n{}\n", heading(option));
  std::size_t from = 0;
  for (bool first = true; from < text.size() || first; first = false) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    if (!first) out += ".br\n";
    out += paragraph(text.substr(from, to - from));
    from = to + 1;
  }
  if (option.only_these && option.description.find(option.words.front()) == std::string::npos)
    out += paragraph(fmt::format("One of {}.", fmt::join(option.words, ", ")));
  return out;
}

std::string synopsis(const DefinedCommand& command) {
  std::string out = fmt::format("\\fB{}\\fR", escaped(command.path));
  if (!command.options.empty()) out += " [\\fIOPTIONS\\fR]";
  for (const DefinedOption& one : command.arguments) {
    const std::string name = fmt::format("\\fI{}\\fR{}", escaped(one.argument), one.repeated ? "..." : "");
    out += one.required ? " " + name : " [" + name + "]";
  }
  if (!command.subcommands.empty()) out += " [\\fICOMMAND\\fR]";
  return out;
}

constexpr const char* last_sections = R"(.SH ENVIRONMENT
.TP
\fBGPUGAUGE_STATE\fR
Where runs, baselines and the history are kept; without it the folder gpugauge in
the XDG state directory, mostly \(ti/.local/state.
.TP
\fBGPUGAUGE_STORE\fR
The history's store: a file for SQLite, or postgresql://user@host/database.
.TP
\fBGPUGAUGE_LIBEXEC\fR
Another folder of families than ../libexec/gpugauge beside the command.
.TP
\fBNO_COLOR\fR
Any value: no colours.
.SH FILES
.TP
\fIPREFIX/libexec/gpugauge/gpugauge\-bench\-*\fR
The families: executables that measure, which also run alone.
.TP
\fIPREFIX/share/gpugauge/baselines\fR
Where baselines of a package are looked for. None is shipped yet.
.TP
\fIPREFIX/share/doc/gpugauge\fR
The documentation, the licences of what is embedded, and the bill of materials.
)";

}  // namespace

std::string manual_page(const DefinedCommand& command, const std::string& version, const std::string& date) {
  std::string out = fmt::format(".TH GPUGAUGE 1 {} \"gpugauge {}\" \"User Commands\"\n", date, version);
  const std::size_t colon = command.description.find(": ");
  out +=
      fmt::format(".SH NAME\ngpugauge \\- {}\n.SH SYNOPSIS\n", escaped(command.description.substr(0, colon)));
  out += fmt::format("{}\n.SH DESCRIPTION\n{}", synopsis(command), paragraph(command.description));
  out += ".SH OPTIONS\n";
  for (const DefinedOption& option : command.options) out += entry(option);
  out += ".SH COMMANDS\n";
  std::string above;  // a command without a footer of its own shows its parent's
  for (const DefinedCommand* below : all_commands(command)) {
    if (below == &command) continue;
    out += fmt::format(".SS {}\n{}", synopsis(*below), paragraph(below->description));
    for (const DefinedOption& argument : below->arguments) out += entry(argument);
    for (const DefinedOption& option : below->options) out += entry(option);
    if (!below->footer.empty() && below->footer != above) out += ".PP\n" + verbatim(below->footer);
    above = below->footer;
  }
  out += ".SH EXAMPLES AND EXIT CODES\n" + verbatim(command.footer) + last_sections;
  return out;
}

void add_manual(CLI::App& app, const Invocation&, Action& action) {
  CLI::App* command = app.add_subcommand("manual", "Write the manual page")->group("");
  auto date = std::make_shared<std::string>();
  command->add_option("--date", *date, "The page's date, YYYY-MM-DD (default: today, UTC)")->type_name("DAY");
  command->callback([&app, date, &action] {
    action = [&app, date] {
      const std::string day =
          date->empty() ? fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))) : *date;
      print(manual_page(definition(app), result::build().version, day));
      return 0;
    };
  });
}

}  // namespace gpugauge::cli

// gpugauge explain: what a cause is, what proves it, what it is confused with.
#include "report/explain.hpp"

#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/definition.hpp"
#include "result/error.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* explain_footer =
    "Examples:\n"
    "  gpugauge explain --list                     every cause, and what it is\n"
    "  gpugauge explain hbm_thermal                what proves it, what it is confused with, what to do\n"
    "\n"
    "Exit codes: 0 explained; 2 no cause of that name.";

struct ExplainArguments {
  std::string cause;
  bool list = false;
};

int run(const ExplainArguments& arguments) {
  if (arguments.list) {
    print(report::draw_list(report::all_pages(), report::uncut(report::terminal(1))));
    return 0;
  }
  const std::optional<report::CausePage> page = report::find_page(arguments.cause);
  if (!page) {
    const std::vector<std::string> near = report::near_names(arguments.cause);
    throw result::UsageError(
        near.empty()
            ? fmt::format("no cause is named '{}'; `gpugauge explain --list` names them all", arguments.cause)
            : fmt::format("no cause is named '{}'; near to it: {}", arguments.cause, fmt::join(near, ", ")));
  }
  print(report::draw(*page, report::terminal(1)));
  return 0;
}

}  // namespace

void add_explain(CLI::App& app, const Invocation&, Action& action) {
  CLI::App* command = app.add_subcommand(
      "explain", "What a cause is, what proves it, what it is confused with, and what to do");
  command->footer(explain_footer);
  auto arguments = std::make_shared<ExplainArguments>();
  CLI::Option* cause =
      command->add_option("cause", arguments->cause, "Name, as findings give it")->type_name("CAUSE");
  offer(cause, [] {
    std::vector<std::string> names;
    for (const report::CausePage& page : report::all_pages()) names.push_back(page.name);
    return names;
  });
  CLI::Option* list = command->add_flag("--list", arguments->list, "Every cause, and what it is");
  cause->excludes(list);
  command->callback([arguments, command, &action] {
    if (!arguments->list && command->count("cause") == 0)
      throw CLI::ValidationError("explain", "name a cause, or give --list");
    action = [arguments] { return run(*arguments); };
  });
}

}  // namespace gpugauge::cli

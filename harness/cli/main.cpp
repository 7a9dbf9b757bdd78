// gpugauge: the command. Parses the line, runs one subcommand, turns every error into one sentence and an
// exit code.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/named_files.hpp"
#include "cli/usage.hpp"
#include "judge/judge.hpp"
#include "result/build.hpp"
#include "result/error.hpp"
#include "store/store.hpp"

namespace gpugauge::cli {
namespace {

constexpr int tool_error = static_cast<int>(judge::ExitCode::error);

constexpr const char* description =
    "A go/no-go gauge for NVIDIA GPUs: measures a node, compares it with physical limits and earlier runs, "
    "and says "
    "pass, regressed or cannot judge, and why.";

constexpr const char* main_footer =
    "Examples:\n"
    "  gpugauge check                              measure and judge every GPU of this node\n"
    "  gpugauge check --device host --profile smoke\n"
    "  gpugauge status                             what the last check said, in a moment\n"
    "  gpugauge baseline create --device 0         pin ten rounds of GPU 0 as its baseline\n"
    "  gpugauge run --output runs/                 measure only\n"
    "  gpugauge compare --before old/ --after new/ --treatment driver\n"
    "  gpugauge fleet results/                     which node is not like the others?\n"
    "  gpugauge history ingest results/            keep these runs; `history changes` says what moved\n"
    "  gpugauge doctor                             list the GPU stack and say what does not fit\n"
    "  gpugauge upgrade begin --to driver=580      before a change of the stack; `upgrade end` judges it\n"
    "  gpugauge diagnose seen.json                 name the cause in what was seen, anywhere\n"
    "  gpugauge codegen                            is the kernels' machine code what was declared?\n"
    "\n"
    "Exit codes: 0 pass; 1 regressed or failed; 2 usage or tool error; 3 cannot judge; 4 inconclusive (with "
    "--strict).";

std::string version_text() {
  const result::Build& build = result::build();
  std::string text = fmt::format("gpugauge {} (commit {})\n", build.version, build.commit);
  if (build.cuda.empty()) return text + "built without CUDA: only the host can be measured\n";
  text += fmt::format("CUDA {}, architectures {}\n", build.cuda, build.architectures);
  return text + fmt::format("needs NVIDIA driver {} or newer\n", build.minimum_driver);
}

int complain(const std::string& sentence) {
  warn(sentence);
  return tool_error;
}

/// A closed standard stream would be given to the next file that is opened, and output would land in it. Each
/// gets a descriptor that can be neither read nor written, so that using it is an error with a sentence.
void occupy_closed_streams() {
  for (int stream = 0; stream <= 2; ++stream)
    if (::fcntl(stream, F_GETFD) < 0) {
      const int opened = ::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
      if (opened != stream) std::abort();
    }
}

/// The style that a command line asks for which could not be parsed.
judge::ExitStyle style_in(const std::vector<std::string>& words) {
  const std::string_view option = exit_style_option;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string value;
    if (words[i] == option && i + 1 < words.size()) value = words[i + 1];
    if (words[i].starts_with(std::string(option) + "=")) value = words[i].substr(option.size() + 1);
    if (const auto style = judge::exit_style(value)) return *style;
  }
  return judge::ExitStyle::ci;
}

/// Runs what was chosen; every error becomes one sentence and the code of a tool error.
int attempt(const Action& action) {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    return complain("out of memory");
  } catch (const std::exception& error) {
    return complain(error.what());
  }
}

int run_command(int argc, char** argv) {
  // Run files keep them, and are shared.
  const std::vector<std::string> given(argv, argv + argc);
  Invocation invocation;
  std::transform(given.begin(), given.end(), std::back_inserter(invocation.arguments),
                 store::without_password);
  CLI::App app{description, "gpugauge"};
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.formatter(wrapped_help());
  app.failure_message([&given, &app](const CLI::App*, const CLI::Error& error) {
    std::string text = usage_fault(app, error, given);
    for (const std::string& argument : given) text = store::without_secrets_of(argument, std::move(text));
    return text;
  });
  Action action;
  add_check(app, invocation, action);
  add_run(app, invocation, action);
  add_compare(app, invocation, action);
  add_baseline(app, invocation, action);
  add_status(app, invocation, action);
  add_fleet(app, invocation, action);
  add_history(app, invocation, action);
  add_list(app, invocation, action);
  add_doctor(app, invocation, action);
  add_frameworks(app, invocation, action);
  add_selftest(app, invocation, action);
  add_diagnose(app, invocation, action);
  add_explain(app, invocation, action);
  add_codegen(app, invocation, action);
  add_completion(app, invocation, action);
  add_manual(app, invocation, action);
  add_upgrade(app, invocation, action);
  add_probe(app, invocation, action);
  app.footer(main_footer);  // after them: a subcommand takes over what stands here when it is added
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream help;
    std::ostringstream fault;
    if (app.exit(error, help, fault) == 0) {
      print(help.str());
      return 0;
    }
    return judge::exit_status(style_in(invocation.arguments), complain(fault.str()));
  }
  if (const std::string fault = empty_value(app); !fault.empty())
    return judge::exit_status(style_in(invocation.arguments), complain(fault));
  stop_with_status(judge::exit_status(exit_style_of(app), static_cast<int>(judge::ExitCode::cannot_judge)));
  return judge::exit_status(exit_style_of(app), attempt([&] {
                              keep_apart(app);
                              return action();
                            }));
}

}  // namespace
}  // namespace gpugauge::cli

int main(int argc, char** argv) {
  gpugauge::cli::hear_signals();
  // A reader that goes away (| head) does not end what is under way, nor change how it ends.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit of file sizes is then an error of the write, with a sentence
  gpugauge::cli::end_children_with_the_command();
  gpugauge::cli::occupy_closed_streams();
  return gpugauge::cli::attempt([&] { return gpugauge::cli::run_command(argc, argv); });
}

// gpugauge codegen: is the machine code of our kernels what their authors declared? Needs no GPU.
#include "report/codegen.hpp"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/named_files.hpp"
#include "judge/judge.hpp"
#include "report/format.hpp"
#include "report/progress.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/stopwatch.hpp"
#include "run/disassemble.hpp"
#include "run/runner.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* codegen_footer =
    "Examples:\n"
    "  gpugauge codegen                            every family that is installed\n"
    "  gpugauge codegen my.o --expect my.codegen.json\n"
    "\n"
    "Exit codes: 0 as declared; 1 a kernel is not; 2 usage or tool error; 3 a file could not be judged.";

struct CodegenArguments {
  std::vector<std::string> files, expectations;
  std::string cuobjdump;
  bool json = false;
  bool strict = false;
};

/// A file that a user gave and that is no regular file is a slip of the hand, not a file without code.
void require_files(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored))
      throw result::UsageError(
          fmt::format("{} is no file; give executables, objects, libraries or cubins", file));
  }
}

std::vector<std::filesystem::path> files_to_read(const CodegenArguments& arguments) {
  require_files(arguments.files);
  if (!arguments.files.empty()) return {arguments.files.begin(), arguments.files.end()};
  std::vector<std::filesystem::path> out;
  for (const run::Family& family : run::find_families()) out.push_back(family.executable);
  if (out.empty())
    throw result::UsageError(fmt::format("no families are installed in {}; build them, or name a file",
                                         run::family_directory().string()));
  return out;
}

std::vector<stack::Expectation> expectations_of(const CodegenArguments& arguments) {
  if (arguments.expectations.empty()) return stack::built_in_expectations();
  std::vector<stack::Expectation> out;
  for (const std::string& file : arguments.expectations)
    for (stack::Expectation& one : stack::read_expectations(result::read_file(file), file))
      out.push_back(std::move(one));
  return out;
}

int cannot_judge(const std::string& sentence) {
  warn(sentence);
  return static_cast<int>(judge::ExitCode::cannot_judge);
}

int run(const CodegenArguments& arguments) {
  const std::vector<std::filesystem::path> files = files_to_read(arguments);
  report::CodegenReport report;
  const std::vector<stack::Expectation> expectations = expectations_of(arguments);
  if (!arguments.cuobjdump.empty()) require_files({arguments.cuobjdump});
  const std::filesystem::path cuobjdump =
      arguments.cuobjdump.empty() ? run::find_cuobjdump() : std::filesystem::path(arguments.cuobjdump);
  if (cuobjdump.empty())
    return cannot_judge(
        "no cuobjdump was found to read machine code with: it comes with the CUDA toolkit (set CUDA_HOME), "
        "and "
        "scripts/setup --for test installs it, which is heeded where nobody else may write the source tree; "
        "or "
        "name it with --cuobjdump");
  const report::Terminal terminal = report::terminal(2);
  report::ProgressLine progress(terminal, !terminal.interactive);
  const result::Stopwatch reading;
  const run::Disassembly code = run::disassemble(
      cuobjdump, files, [&](std::size_t ended, std::size_t all, const std::filesystem::path& file) {
        progress.show({"machine code", static_cast<int>(ended), static_cast<int>(all),
                       file.filename().string(), reading.seconds(), -1});
      });
  progress.clear();
  if (!code.problems.empty()) {
    for (const std::string& problem : code.problems) warn(problem);
    return static_cast<int>(judge::ExitCode::cannot_judge);
  }
  // Whoever brings expectations judges their own kernels, of whatever project.
  report.review =
      stack::review(code.kernels, expectations,
                    arguments.expectations.empty() ? stack::Kernels::of_this_project : stack::Kernels::all);
  for (const std::filesystem::path& file : files) report.files.push_back(file.string());
  // A family without CUDA holds no code, and that is as it should be; a file that somebody named should.
  if (!arguments.files.empty()) report.without_code = code.without_code;
  report.complete = arguments.files.empty() || !arguments.expectations.empty() || arguments.strict;
  report.every_architecture = !arguments.expectations.empty();
  report.strict = arguments.strict;
  const bool nothing = report.review.rows.empty();
  const judge::ExitCode judged = nothing || !(report::failed(report) || report::passed(report))
                                     ? judge::ExitCode::cannot_judge
                                 : report::failed(report) ? judge::ExitCode::regressed
                                                          : judge::ExitCode::pass;
  const int end =
      print_verdict(arguments.json ? report::to_json(report) : report::draw(report, report::terminal(1)),
                    static_cast<int>(judged));
  if (nothing)
    warn(arguments.expectations.empty()
             ? "none of these files holds a kernel of this project: there was nothing to judge"
             : "none of these files holds a kernel: there was nothing to judge");
  return end;
}

}  // namespace

void add_codegen(CLI::App& app, const Invocation&, Action& action) {
  CLI::App* command = app.add_subcommand(
      "codegen", "Is the machine code of the kernels what was declared? Needs no GPU, but cuobjdump");
  command->footer(codegen_footer);
  auto arguments = std::make_shared<CodegenArguments>();
  reads(command->add_option(
            "file", arguments->files,
            "Executables, objects, libraries or bare cubins (default: every family that is installed)"),
        "FILE");
  reads(command->add_option("--expect", arguments->expectations,
                            "Expectations of this file instead of those built in (may be repeated)"),
        "FILE");
  reads(command->add_option("--cuobjdump", arguments->cuobjdump,
                            "NVIDIA's cuobjdump (default: it is looked for)"),
        "FILE");
  command->add_flag("--strict", arguments->strict,
                    "Fail also for kernels without expectation, and expectations without kernel or code");
  command->add_flag("--json", arguments->json, "As JSON");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace gpugauge::cli

// gpugauge frameworks: run what a Python holds, prove where the work ran, and how fast beside our own cuBLAS.
#include "conductor/frameworks.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/named_files.hpp"
#include "cli/ranks.hpp"
#include "report/format.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "stack/inventory/python.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* frameworks_footer =
    "Examples:\n"
    "  gpugauge frameworks                         every framework of the Python on PATH or the active "
    "environment\n"
    "  gpugauge frameworks --python /opt/venv torch\n"
    "  gpugauge frameworks --json > frameworks.json\n"
    "\n"
    "Exit codes: 0 all work ran on the GPU, however fast; 1 a framework failed, or ran on the processor beside a usable "
    "GPU; 2 usage or tool error; 3 cannot judge (no usable GPU, none of them installed, not proved, interrupted, or "
    "another gpugauge measures).";

struct FrameworksArguments {
  std::vector<std::string> names;
  std::string python;
  std::string output;
  std::string observation;
  double window = 1;
  double limit = 180;
  bool json = false;
  bool quiet = false;
};

std::filesystem::path interpreter(const std::string& asked) {
  stack::Context context;
  context.environment = stack::current_environment();
  context.python = asked;
  std::error_code error;
  if (!asked.empty() && std::filesystem::exists(asked, error))
    context.python = std::filesystem::absolute(asked).lexically_normal().string();
  const stack::PythonSearch search = stack::find_python(context);
  if (!search.found)
    throw result::UsageError(fmt::format("no Python was found ({}); name one with --python", search.wanted));
  return search.found->path;
}

int run(const FrameworksArguments& arguments, const Invocation& invocation) {
  const std::vector<std::string>& known = conductor::probed_frameworks();
  conductor::FrameworkOptions options;
  options.names = arguments.names.empty() ? known : arguments.names;
  if (!arguments.observation.empty() && options.names.size() != 1)
    throw result::UsageError("--observation holds one framework; name it");
  options.python = interpreter(arguments.python);
  options.window_seconds = arguments.window;
  options.limit_seconds = arguments.limit;
  options.command = invocation.arguments;
  if (stack::drop_relative_python_path())
    warn(
        "PYTHONPATH: its empty and relative entries lead into the working folder and were left out; write "
        "folders in full");
  report::ProgressLine progress(report::terminal(2), arguments.quiet);
  options.progress = [&](const report::ProgressState& state) { progress.show(state); };
  const stack::GpuReport gpus = stack::probe_gpus();
  std::vector<conductor::Target> targets;
  for (const stack::Gpu& gpu : gpus.gpus)
    targets.push_back({.kind = conductor::DeviceKind::gpu, .selection = gpu.uuid, .label = gpu.name});
  if (targets.empty()) targets.push_back({.selection = "host", .label = "host"});
  const auto held = hold(targets, {}, progress);
  if (!held->refusal().empty()) return busy(*held);
  const result::Run measured = conductor::run_frameworks(options, gpus);
  progress.clear();
  const report::FrameworksReport report = conductor::judge_frameworks(measured, gpus);
  // The verdict first: nothing that goes wrong with a file may keep it back.
  Beside beside;
  beside.attempt("", [&] {
    print(arguments.json ? report::to_json(report) : report::draw(report, report::terminal(1)));
  });
  if (!arguments.output.empty())
    beside.attempt("--output: ",
                   [&] { result::write_file(own_file(arguments.output), result::to_json(measured)); });
  if (!arguments.observation.empty() && !report.frameworks.empty()) {
    const report::Framework& only = report.frameworks.front();
    if (only.observation)
      beside.attempt("--observation: ", [&] {
        result::write_file(arguments.observation, diagnose::to_json(*only.observation));
      });
    else
      warn(fmt::format("--observation: nothing was seen: {}", only.sentence));
  }
  return beside.end(static_cast<int>(report.outcome.code));
}

}  // namespace

void add_frameworks(CLI::App& app, const Invocation& invocation, Action& action) {
  CLI::App* command = app.add_subcommand(
      "frameworks",
      "Run PyTorch, TensorFlow, JAX and ONNX Runtime of a Python, prove where the work ran, and hold its "
      "products against our own cuBLAS");
  command->footer(frameworks_footer);
  auto arguments = std::make_shared<FrameworksArguments>();
  command
      ->add_option("names", arguments->names,
                   fmt::format("Which: {} (default: all)", fmt::join(conductor::probed_frameworks(), ", ")))
      ->check(CLI::IsMember(conductor::probed_frameworks()));
  reads(command->add_option(
            "--python", arguments->python,
            "Interpreter, or folder of a virtual environment (default: the active one, then PATH)"),
        "PATH");
  writes(command->add_option("-o,--output", arguments->output,
                             "Also keep everything that was measured of the frameworks as a run file"),
         "FILE");
  writes(command->add_option("--observation", arguments->observation,
                             "Also write what was seen of one framework, for `gpugauge diagnose`"),
         "FILE");
  command->add_option("--window", arguments->window, "Seconds of measuring for each operation")
      ->capture_default_str()
      ->check(finite())
      ->check(CLI::Range(.1, 60.))
      ->type_name("SECONDS");
  command->add_option("--limit", arguments->limit, "A framework that takes longer is killed")
      ->capture_default_str()
      ->check(finite())
      ->check(CLI::Range(1., 3600.))
      ->type_name("SECONDS");
  command->add_flag("--json", arguments->json, "JSON on standard output");
  command->add_flag("-q,--quiet", arguments->quiet, "No progress line");
  command->callback([arguments, &invocation, &action] {
    std::sort(arguments->names.begin(), arguments->names.end());
    arguments->names.erase(std::unique(arguments->names.begin(), arguments->names.end()),
                           arguments->names.end());
    action = [arguments, &invocation] { return run(*arguments, invocation); };
  });
}

}  // namespace gpugauge::cli

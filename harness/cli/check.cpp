// gpugauge check: its command line.
#include "cli/check.hpp"

#include "cli/named_files.hpp"
#include "cli/together.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* check_footer =
    "Examples:\n"
    "  gpugauge check                              every GPU, against its baseline or physical limits\n"
    "  gpugauge check --profile quick --device 0   one GPU\n"
    "  gpugauge check --device host --profile smoke\n"
    "  gpugauge check --only gemm --only memory    two classes or families of benchmarks\n"
    "  gpugauge check --report junit=check.xml --report html=check.html\n"
    "  gpugauge check --treatment driver           the driver was changed on purpose since the baseline\n"
    "\n"
    "Exit codes: 0 pass; 1 regressed or failed; 2 usage or tool error; 3 cannot judge; 4 inconclusive (with "
    "--strict).";

}  // namespace

void add_check(CLI::App& app, const Invocation& invocation, Action& action) {
  CLI::App* command = app.add_subcommand("check", "Measure a device and judge it");
  command->footer(check_footer);
  auto arguments = std::make_shared<CheckArguments>();
  add_measure_options(*command, arguments->measure);
  add_sustained_option(*command, arguments->measure.sustained_seconds);
  add_report_options(*command, arguments->report);
  add_every_metric_option(*command, arguments->report);
  add_policy_options(*command, arguments->policy);
  add_exit_style_option(*command);
  reads(command->add_option("-b,--baseline", arguments->baseline,
                            "Baseline, by name or folder (default: this node's own, then one of this site, "
                            "then one of a package)"),
        "NAME|DIR", Reads::baseline);
  writes(command->add_option("--observation", arguments->observation,
                             "Also write what was seen, for `gpugauge diagnose` (docs/observation.md)"),
         "FILE");
  reads(command->add_option(
            "--store", arguments->store,
            "Show each metric over the nights of this history on the page of --report html=FILE: a file, or "
            "postgresql://..."),
        "FILE|URL");
  command->add_flag("--strict", arguments->strict, "End with 4 when a metric stays inconclusive or unstable");
  add_together_option(*command, arguments->devices_together);
  command->add_flag("--no-probes", arguments->no_probes,
                    "Measure nothing more to separate causes when something is slower");
  command
      ->add_option(
          "--budget", arguments->budget,
          "How long all further rounds and probes may take together, over all devices; a first round of each "
          "device is always measured")
      ->capture_default_str()
      ->check(above_zero())
      ->type_name("SECONDS");
  command->callback([command, arguments, &invocation, &action] {
    arguments->measure.seed_given = command->count("--seed") > 0;
    action = [arguments, &invocation] { return check(*arguments, invocation); };
  });
}

}  // namespace gpugauge::cli

// gpugauge probe: hidden; what the command asks of itself in a child process, because a driver may hang or
// crash.
#include <csignal>

#include <sys/prctl.h>

#include "cli/command.hpp"
#include "run/telemetry_gpu.hpp"
#include "stack/inventory/gpus.hpp"

namespace gpugauge::cli {
namespace {

/// A driver may hang: nothing of ours must outlive the command that asked.
void die_with_parent() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

}  // namespace

void add_probe(CLI::App& app, const Invocation&, Action& action) {
  CLI::App* probe = app.add_subcommand("probe", "Look at the driver from a child process")->group("");
  probe->require_subcommand(1);
  probe->add_subcommand("devices", "The GPUs, as JSON")->callback([&action] {
    action = [] {
      die_with_parent();
      print(stack::to_json(stack::probe_gpus_here()));
      return 0;
    };
  });
  probe
      ->add_subcommand("hardware", "Ends with 0 when there is any NVIDIA hardware, with 1 when there is none")
      ->callback([&action] { action = [] { return stack::any_nvidia_hardware() ? 0 : 1; }; });
  probe->add_subcommand("inventory", "What the driver's libraries answer, one JSON line a part")
      ->callback([&action] {
        action = [] {
          die_with_parent();
          return stack::inventory_child_main();
        };
      });
  CLI::App* telemetry =
      probe->add_subcommand("telemetry", "One JSON line per sample of every GPU, until ended");
  auto interval = std::make_shared<double>(0.5);
  telemetry->add_option("--interval", *interval, "Seconds between samples")->check(CLI::PositiveNumber);
  telemetry->callback(
      [interval, &action] { action = [interval] { return run::telemetry_main(*interval); }; });
}

}  // namespace gpugauge::cli

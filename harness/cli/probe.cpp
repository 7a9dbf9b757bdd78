// gpugauge probe: hidden; what the command asks of itself in a child process, because a driver may hang or
// crash.
#include <csignal>
#include <system_error>

#include <sys/prctl.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "result/processor_list.hpp"
#include "run/load.hpp"
#include "run/surroundings.hpp"
#include "run/telemetry_gpu.hpp"
#include "run/under.hpp"
#include "stack/inventory/gpus.hpp"

namespace gpugauge::cli {
namespace {

/// A driver may hang: nothing of ours must outlive the command that asked.
void die_with_parent() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

void add_load(CLI::App& probe, Action& action) {
  struct Load {
    std::string kind = "compute";
    std::string processors;
    std::size_t bytes = std::size_t{256} << 20U;
    int parent = 0;
  };
  auto load = std::make_shared<Load>();
  CLI::App* command = probe.add_subcommand("load", "Take processors or memory bandwidth, until ended");
  command->add_option("--kind", load->kind, "What its threads do")
      ->check(CLI::IsMember({"compute", "memory"}));
  command->add_option("--processors", load->processors, "One thread on each of this list");
  command->add_option("--bytes", load->bytes, "That each thread streams through")
      ->check(CLI::Range(std::size_t{2}, std::size_t{1} << 40U));
  command->add_option("--parent", load->parent, "End with this process");
  command->callback([load, &action] {
    action = [load] {
      return run::load_main(load->kind == "memory" ? run::LoadKind::memory : run::LoadKind::compute,
                            result::parse_processors(load->processors), load->bytes, load->parent);
    };
  });
}

void add_under(CLI::App& probe, Action& action) {
  struct Words {
    run::Under under;
    std::string processors;
    std::string group;
    std::vector<std::string> words;
  };
  auto given = std::make_shared<Words>();
  CLI::App* command = probe.add_subcommand("under", "Become another command of this program, under a fault");
  command->add_option("--parent", given->under.parent, "End with this process");
  command->add_option("--processors", given->processors, "May use these only");
  command->add_option("--group", given->group, "In this control group");
  command->add_option("--shm-mib", given->under.shm_mib, "With a /dev/shm of this size")
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("words", given->words, "The command, behind --")->required();
  command->callback([given, &action] {
    action = [given]() -> int {
      given->under.processors = result::parse_processors(given->processors);
      given->under.group = given->group;
      std::vector<std::string> words{"/proc/self/exe"};
      words.insert(words.end(), given->words.begin(), given->words.end());
      try {
        run::become(given->under, words);
      } catch (const std::system_error& error) {
        warn(error.what());
      }
      ::_exit(run::under_refused);  // what is returned would become a code of verdicts
    };
  });
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
  add_load(*probe, action);
  add_under(*probe, action);
  CLI::App* telemetry =
      probe->add_subcommand("telemetry", "One JSON line per sample of every GPU, until ended");
  auto interval = std::make_shared<double>(0.5);
  telemetry->add_option("--interval", *interval, "Seconds between samples")->check(above_zero());
  telemetry->callback(
      [interval, &action] { action = [interval] { return run::telemetry_main(*interval); }; });
}

}  // namespace gpugauge::cli

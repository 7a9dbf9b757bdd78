// gpugauge list: what can be measured here.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "result/error.hpp"
#include "result/object_reader.hpp"
#include "result/pattern.hpp"

namespace gpugauge::cli {
namespace {

struct Arguments {
  std::string what = "benchmarks";
  std::vector<std::string> only;
  bool json = false;
};

int list_benchmarks(const Arguments& arguments) {
  const conductor::Catalogue catalogue = conductor::catalogue();
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  report::Table table({{"benchmark"}, {"class"}, {"needs"}, {"what it isolates", false, true}});
  for (const conductor::Benchmark& benchmark : catalogue.benchmarks) {
    bool chosen = arguments.only.empty();
    for (const std::string& pattern : arguments.only)
      chosen = chosen || result::matches(pattern, benchmark.id);
    if (!chosen) continue;
    json.push_back({{"id", benchmark.id},
                    {"family", benchmark.family},
                    {"class", benchmark.metric_class},
                    {"needs_gpu", benchmark.needs_gpu},
                    {"isolates", benchmark.isolates},
                    {"bad_value", benchmark.bad_value}});
    table.add({{benchmark.id, report::Tone::strong},
               {benchmark.metric_class.empty() ? "-" : benchmark.metric_class},
               {benchmark.needs_gpu ? "GPU" : "-"},
               {benchmark.isolates, report::Tone::faint}});
  }
  if (json.empty()) throw result::UsageError("no benchmark matches; leave --only out to see them all");
  for (const std::string& problem : catalogue.problems)
    fmt::print(stderr, "gpugauge: {}\n", report::plain(problem));
  print(arguments.json ? result::dump_json(json) : table.draw(report::terminal(1)));
  return 0;
}

int list_devices(const Arguments& arguments) {
  const stack::GpuReport gpus = stack::probe_gpus();
  if (arguments.json) {
    print(stack::to_json(gpus));
    return 0;
  }
  report::Table table({{"device"}, {"name"}, {"compute capability"}, {"PCI"}});
  for (const stack::Gpu& gpu : gpus.gpus)
    table.add({{fmt::format("{} {}", gpu.index, gpu.uuid), report::Tone::strong},
               {report::plain(gpu.name)},
               {gpu.compute_capability},
               {gpu.pci_bus_id}});
  const result::Fingerprint fingerprint = stack::fingerprint(gpus);
  const auto model = fingerprint.device.find("host.cpu_model");
  table.add({{"host", report::Tone::strong},
             {model == fingerprint.device.end() ? "" : report::plain(model->second)},
             {"-"},
             {"-"}});
  const report::Terminal terminal = report::terminal(1);
  print(table.draw(terminal));
  if (!gpus.explanation.empty())
    print("  " + report::wrap(report::plain(gpus.explanation), terminal.width, 2) + "\n");
  return 0;
}

}  // namespace

void add_list(CLI::App& app, const Invocation&, Action& action) {
  CLI::App* command = app.add_subcommand("list", "What can be measured here: benchmarks or devices");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("what", arguments->what, "benchmarks or devices")
      ->capture_default_str()
      ->check(CLI::IsMember({"benchmarks", "devices"}));
  command->add_option("--only", arguments->only, "Only benchmarks whose id matches; * stands for anything")
      ->type_name("PATTERN");
  command->add_flag("--json", arguments->json, "As JSON");
  command->callback([arguments, &action] {
    action = [arguments] {
      return arguments->what == "devices" ? list_devices(*arguments) : list_benchmarks(*arguments);
    };
  });
}

}  // namespace gpugauge::cli

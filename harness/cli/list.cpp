// gpugauge list: what can be measured here.
#include <limits>
#include <set>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "result/error.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::cli {
namespace {

struct Arguments {
  std::string what = "benchmarks";
  std::vector<std::string> only;
  std::string profile;  ///< "" = whatever any profile measures
  bool json = false;
};

using Benchmarks = std::vector<const conductor::Benchmark*>;

/// What the profile measures of what the words select; without a profile, of everything. Throws
/// result::UsageError for a word that selects nothing, as a measuring command does.
Benchmarks chosen(const conductor::Catalogue& catalogue, const Arguments& arguments) {
  const int depth =
      arguments.profile.empty() ? std::numeric_limits<int>::max() : run::depth_of(arguments.profile);
  Benchmarks all;
  for (const conductor::Benchmark& benchmark : catalogue.benchmarks)
    if (run::depth_of(benchmark.profile) <= depth) all.push_back(&benchmark);
  if (arguments.only.empty()) return all;
  std::set<const conductor::Benchmark*> wanted;
  for (const std::string& word : arguments.only) {
    bool any = false;
    for (const conductor::Benchmark* benchmark : all) {
      if (!conductor::selects(word, *benchmark)) continue;
      wanted.insert(benchmark);
      any = true;
    }
    if (!any)
      throw result::UsageError(fmt::format("'{}' selects no benchmark{}; leave --only out to see them all",
                                           word, conductor::deeper_profile(catalogue, word)));
  }
  std::erase_if(all, [&](const conductor::Benchmark* benchmark) { return !wanted.contains(benchmark); });
  return all;
}

/// "Profile quick: 9 benchmarks of a GPU, about 54 s a round; 18 of the host, about 57 s a round."
std::string estimate(const Benchmarks& all, const std::string& name) {
  const run::Profile profile = run::profile(name);
  std::string text;
  for (const bool gpu : {true, false}) {
    Benchmarks some;
    for (const conductor::Benchmark* benchmark : all)
      if (benchmark->needs_gpu == gpu) some.push_back(benchmark);
    if (some.empty()) continue;
    text += fmt::format("{}{} benchmark{} of {}, about {} a round", text.empty() ? "" : "; ", some.size(),
                        some.size() == 1 ? "" : "s", gpu ? "a GPU" : "the host",
                        report::duration(conductor::round_seconds(some, profile)));
  }
  return fmt::format("Profile {}: {}.", name, text);
}

int list_benchmarks(const Arguments& arguments) {
  const conductor::Catalogue catalogue = conductor::catalogue();
  const Benchmarks benchmarks = chosen(catalogue, arguments);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  report::Table table({{"benchmark"}, {"class"}, {"profile"}, {"needs"}, {"what it isolates", false, true}});
  for (const conductor::Benchmark* benchmark : benchmarks) {
    json.push_back({{"id", benchmark->id},
                    {"family", benchmark->family},
                    {"class", benchmark->metric_class},
                    {"profile", benchmark->profile},
                    {"needs_gpu", benchmark->needs_gpu},
                    {"isolates", benchmark->isolates},
                    {"bad_value", benchmark->bad_value}});
    table.add({{benchmark->id, report::Tone::strong},
               {benchmark->metric_class.empty() ? "-" : benchmark->metric_class},
               {benchmark->profile},
               {benchmark->needs_gpu ? "GPU" : "-"},
               {benchmark->isolates, report::Tone::faint}});
  }
  if (benchmarks.empty())
    throw result::UsageError(
        fmt::format("the families here have no benchmark that the profile {} measures", arguments.profile));
  for (const std::string& problem : catalogue.problems) warn(problem);
  if (arguments.json) {
    print(result::dump_json(json));
    return 0;
  }
  const report::Terminal terminal = report::terminal(1);
  std::string text = table.draw(terminal);
  if (!arguments.profile.empty())
    text += "  " + report::wrap(estimate(benchmarks, arguments.profile), terminal.width, 2) + "\n";
  print(text);
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
  command
      ->add_option("--only", arguments->only,
                   "Only the benchmarks of a class or family, or whose id matches; * stands for anything")
      ->type_name("CLASS|FAMILY|PATTERN");
  command->add_option("-p,--profile", arguments->profile,
                      "Only what this profile measures, with the time that it takes");
  command->add_flag("--json", arguments->json, "As JSON");
  command->callback([arguments, &action] {
    action = [arguments] {
      return arguments->what == "devices" ? list_devices(*arguments) : list_benchmarks(*arguments);
    };
  });
}

}  // namespace gpugauge::cli

// gpugauge list: what can be measured here.
#include <limits>
#include <set>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/definition.hpp"
#include "conductor/near_words.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "result/counted.hpp"
#include "result/error.hpp"
#include "result/facts.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* list_footer =
    "Examples:\n"
    "  gpugauge list                               every benchmark of every family\n"
    "  gpugauge list --profile quick               what this profile measures, and how long it takes\n"
    "  gpugauge list devices                       what can be given to --device\n"
    "\n"
    "Exit codes: 0 listed; 2 usage or tool error.";

struct ListArguments {
  std::string what = "benchmarks";
  std::vector<std::string> only;
  std::string profile;  ///< "" = whatever any profile measures
  double sustained = 0;
  bool json = false;
};

using Benchmarks = std::vector<const conductor::Benchmark*>;

/// What the profile measures of what the words select; without a profile, of everything. Throws
/// result::UsageError for a word that selects nothing, as a measuring command does.
Benchmarks chosen(const conductor::Catalogue& catalogue, const ListArguments& arguments) {
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
    if (any) continue;
    const std::string elsewhere = conductor::deeper_profile(catalogue, word);
    throw result::UsageError(fmt::format("'{}' selects no benchmark{}; leave --only out to see them all",
                                         word,
                                         elsewhere.empty() ? conductor::near_words(word, all) : elsewhere));
  }
  std::erase_if(all, [&](const conductor::Benchmark* benchmark) { return !wanted.contains(benchmark); });
  return all;
}

/// The profile that is asked for, with its windows.
run::Profile profile_of(const ListArguments& arguments) {
  run::Profile profile = run::profile(arguments.profile);
  profile.sustained_seconds = arguments.sustained;
  return profile;
}

/// "Profile quick: 9 benchmarks of a GPU, about 52 s a round (a verdict should take 1 min at most); 18 of the
/// host, ..."
std::string estimate(const conductor::Catalogue& catalogue, const Benchmarks& all,
                     const run::Profile& profile) {
  std::string text;
  using conductor::DeviceKind;
  for (const DeviceKind kind : {DeviceKind::gpu, DeviceKind::links, DeviceKind::host}) {
    Benchmarks some;
    for (const conductor::Benchmark* benchmark : all)
      if (benchmark->kind == kind) some.push_back(benchmark);
    if (some.empty()) continue;
    const double seconds =
        conductor::round_seconds(conductor::plan_of(some, profile), catalogue.start_seconds, profile, kind);
    text +=
        fmt::format("{}{} of {}, about {} a round (a verdict should take {} at most)",
                    text.empty() ? "" : "; ", result::counted(some.size(), "benchmark"), in_words(kind),
                    report::duration(seconds), report::duration(conductor::budget_seconds(profile, kind)));
  }
  return fmt::format("Profile {}: {}.", profile.name, text);
}

/// Every class of its metrics, "l2, smem"; "-" where its family names none.
std::string classes_of(const conductor::Benchmark& benchmark) {
  std::string text = benchmark.metric_class.empty() ? "-" : benchmark.metric_class;
  for (const std::string& name : benchmark.more_classes) text += ", " + name;
  return text;
}

std::string needs(conductor::DeviceKind kind) {
  switch (kind) {
    case conductor::DeviceKind::gpu:
      return "GPU";
    case conductor::DeviceKind::links:
      return "GPUs";
    case conductor::DeviceKind::host:
      break;
  }
  return "-";
}

int list_benchmarks(const ListArguments& arguments) {
  if (arguments.sustained > 0 && arguments.profile.empty())
    throw result::UsageError("--sustained changes the estimate of a profile: give --profile, too");
  const conductor::Catalogue catalogue = conductor::catalogue();
  const Benchmarks benchmarks = chosen(catalogue, arguments);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  report::Table table(
      {{"benchmark"}, {"class"}, {"profile"}, {"needs"}, {"what it isolates", false, false, true}});
  for (const conductor::Benchmark* benchmark : benchmarks) {
    json.push_back({{"id", benchmark->id},
                    {"family", benchmark->family},
                    {"class", benchmark->metric_class},
                    {"more_classes", benchmark->more_classes},
                    {"profile", benchmark->profile},
                    {"device", std::string(to_string(benchmark->kind))},
                    {"stands_in", benchmark->stands_in},
                    {"isolates", benchmark->isolates},
                    {"bad_value", benchmark->bad_value}});
    if (!arguments.profile.empty()) {
      const run::Profile profile = profile_of(arguments);
      const run::PlannedBenchmark planned = conductor::plan_of({benchmark}, profile).front();
      json.back()["processes"] = planned.processes;
      json.back()["window_seconds"] = conductor::window_seconds(*benchmark, profile);
      json.back()["estimated_seconds"] = planned.seconds;
      json.back()["process_start_seconds"] = catalogue.start_seconds.at(benchmark->family);
    }
    table.add({{benchmark->id, report::Tone::strong},
               {classes_of(*benchmark)},
               {benchmark->profile},
               {needs(benchmark->kind)},
               {benchmark->isolates, report::Tone::faint}});
  }
  if (benchmarks.empty())
    throw result::UsageError(
        fmt::format("the families here have no benchmark that the profile {} measures", arguments.profile));
  for (const conductor::SilentFamily& family : catalogue.silent) warn(sentence(family));
  if (arguments.json) {
    print(result::dump_json(json));
    return 0;
  }
  const report::Terminal terminal = report::uncut(report::terminal(1));
  std::string text = table.draw(terminal);
  if (!arguments.profile.empty())
    text +=
        "  " + report::wrap(estimate(catalogue, benchmarks, profile_of(arguments)), terminal.width, 2) + "\n";
  print(text);
  return 0;
}

int list_devices(const ListArguments& arguments) {
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
  table.add({{"host", report::Tone::strong},
             {report::plain(result::fact(fingerprint.device, "host.cpu_model"))},
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
  command->footer(list_footer);
  auto arguments = std::make_shared<ListArguments>();
  command->add_option("what", arguments->what, "benchmarks or devices")
      ->capture_default_str()
      ->check(CLI::IsMember({"benchmarks", "devices"}));
  offer(
      command
          ->add_option("--only", arguments->only,
                       "Only the benchmarks of a class or family, or whose id matches; * stands for anything")
          ->type_name("CLASS|FAMILY|PATTERN"),
      class_names);
  offer(command->add_option("-p,--profile", arguments->profile,
                            "Only what this profile measures, with an estimate of the time that it takes"),
        profile_names);
  add_sustained_option(*command, arguments->sustained);
  command->add_flag("--json", arguments->json, "As JSON");
  command->callback([arguments, &action] {
    action = [arguments] {
      return arguments->what == "devices" ? list_devices(*arguments) : list_benchmarks(*arguments);
    };
  });
}

}  // namespace gpugauge::cli

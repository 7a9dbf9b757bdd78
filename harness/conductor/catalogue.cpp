#include "conductor/catalogue.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/error.hpp"
#include "result/object_reader.hpp"
#include "result/pattern.hpp"

namespace gpugauge::conductor {
namespace {

constexpr double describe_limit_seconds = 20;

/// The instances of one definition. The family is of the same build as the command, or newer: keys that are
/// not needed here are left alone.
void add_definition(const nlohmann::json& value, const result::Place& place, const std::string& family,
                    std::vector<Benchmark>& out) {
  result::ObjectReader reader(value, place);
  Benchmark made;
  made.family = family;
  made.metric_class = reader.text("class");
  made.isolates = reader.text("isolates");
  made.bad_value = reader.text("bad_value");
  made.needs_gpu = result::ObjectReader(reader.object("requires"), place.key("requires")).boolean("gpu");
  for (const std::string& id : reader.texts("ids")) {
    made.id = id;
    out.push_back(made);
  }
}

}  // namespace

Catalogue catalogue() {
  Catalogue made;
  for (const run::Family& family : run::find_families()) {
    try {
      const std::string text = run::describe_family(family, describe_limit_seconds);
      const nlohmann::json value =
          result::parse_json(text, family.executable.string() + " --gpugauge_describe");
      result::ObjectReader reader(value, {family.name, ""});
      result::require_schema(reader, "gpugauge.definitions/1");
      reader.each("definitions", [&](const nlohmann::json& element, const result::Place& place) {
        add_definition(element, place, family.name, made.benchmarks);
      });
      made.families.push_back(family);
    } catch (const std::runtime_error& error) {
      made.problems.push_back(fmt::format("family {}: {}", family.name, error.what()));
    }
  }
  if (made.families.empty())
    throw result::UsageError(fmt::format(
        "there is no family that can be measured in {}{}{}; build or install GPUGauge whole, or "
        "name its folder with GPUGAUGE_LIBEXEC",
        run::family_directory().string(), made.problems.empty() ? "" : ": ", fmt::join(made.problems, "; ")));
  std::sort(made.benchmarks.begin(), made.benchmarks.end(),
            [](const Benchmark& a, const Benchmark& b) { return a.id < b.id; });
  return made;
}

Choice choose(const Catalogue& catalogue, bool gpu, const std::vector<std::string>& families,
              const std::vector<std::string>& patterns) {
  std::vector<std::string> known;
  for (const run::Family& family : catalogue.families) known.push_back(family.name);
  for (const std::string& name : families)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw result::UsageError(
          fmt::format("there is no family '{}'; there are {}", name, fmt::join(known, ", ")));

  std::vector<const Benchmark*> chosen;
  for (const Benchmark& benchmark : catalogue.benchmarks) {
    const bool family =
        families.empty() || std::find(families.begin(), families.end(), benchmark.family) != families.end();
    if (family && benchmark.needs_gpu == gpu) chosen.push_back(&benchmark);
  }
  const char* const kind = gpu ? "a GPU" : "the host";
  if (chosen.empty())
    throw result::UsageError(fmt::format("no benchmark of the chosen families measures {}", kind));

  std::set<std::string> only;
  for (const std::string& pattern : patterns) {
    const std::size_t before = only.size();
    for (const Benchmark* benchmark : chosen)
      if (result::matches(pattern, benchmark->id)) only.insert(benchmark->id);
    const bool nothing =
        only.size() == before && std::none_of(chosen.begin(), chosen.end(), [&](const Benchmark* benchmark) {
          return result::matches(pattern, benchmark->id);
        });
    if (nothing)
      throw result::UsageError(fmt::format(
          "the pattern '{}' selects no benchmark of {}; `gpugauge list` shows them", pattern, kind));
  }
  Choice choice;
  choice.only.assign(only.begin(), only.end());
  std::set<std::string> needed;
  for (const Benchmark* benchmark : chosen)
    if (only.empty() || only.contains(benchmark->id)) needed.insert(benchmark->family);
  for (const run::Family& family : catalogue.families)
    if (needed.contains(family.name)) choice.families.push_back(family);
  return choice;
}

}  // namespace gpugauge::conductor

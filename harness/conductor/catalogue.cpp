// Builds the catalogue from the families' descriptions, and plans its benchmarks.
#include "conductor/catalogue.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/build.hpp"
#include "result/error.hpp"
#include "result/metric_key.hpp"
#include "result/object_reader.hpp"
#include "result/pattern.hpp"
#include "result/window.hpp"
#include "stack/missing_library.hpp"

namespace gpugauge::conductor {
namespace {

constexpr double describe_limit_seconds = 20;

/// True for a class whose metrics belong to several devices together: a link of a pair, a collective.
bool is_between_devices(std::string_view metric_class) {
  return metric_class == "p2p" || metric_class == "coll_large" || metric_class == "coll_small";
}

constexpr double start_seconds_unless_stated = .6;

/// Longest time that a family may state, in seconds. The limit keeps sums finite.
constexpr double longest_seconds = 86400;

double within(const result::Place& place, double value) {
  if (!(value >= 0 && value <= longest_seconds))
    place.refuse(fmt::format("is {}; it must be 0 to {}", value, longest_seconds));
  return value;
}

/// The number under that key, or `otherwise` if a family of another release lacks it.
double number_or(const nlohmann::json& value, const char* key, const result::Place& place, double otherwise) {
  const auto found = value.find(key);
  if (found == value.end() || !found->is_number()) return otherwise;
  return within(place.key(key), found->get<double>());
}

/// The text under that key of an object; "" where there is none.
std::string text_or_empty(const nlohmann::json& value, const char* key) {
  if (!value.is_object()) return "";
  const auto found = value.find(key);
  return found != value.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The classes of an instance's metrics, which a family of another release may lack.
std::vector<std::string> classes_of(const nlohmann::json& value, const std::string& id) {
  std::vector<std::string> out;
  const auto all = value.find("classes");
  if (all == value.end() || !all->is_object()) return out;
  const auto own = all->find(id);
  if (own == all->end() || !own->is_array()) return out;
  for (const nlohmann::json& name : *own)
    if (name.is_string()) out.push_back(name.get<std::string>());
  return out;
}

/// Adds the instances of one definition. The family has the same build as the command or a newer one, so
/// unneeded keys are ignored.
void add_definition(const nlohmann::json& value, const result::Place& place, Benchmark made,
                    std::vector<Benchmark>& out) {
  result::ObjectReader reader(value, place);
  const std::string family = made.family;
  made.metric_class = reader.text("class");
  made.isolates = reader.text("isolates");
  made.bad_value = reader.text("bad_value");
  const nlohmann::json& needed = reader.object("requires");
  const auto instead_on = needed.find("instead_on");
  made.stands_in = number_or(needed, "below_compute_capability", place.key("requires"), 0) > 0 ||
                   (instead_on != needed.end() && !instead_on->empty());
  if (result::ObjectReader(needed, place.key("requires")).boolean("gpu"))
    made.kind = is_between_devices(made.metric_class) ? DeviceKind::links : DeviceKind::gpu;
  made.window_share = within(place.key("window_share"), reader.number("window_share"));
  if (const auto sustained = value.find("sustained"); sustained != value.end() && sustained->is_boolean())
    made.sustained = sustained->get<bool>();
  made.beside_seconds +=
      number_or(value, "warm_seconds", place, 0) + number_or(value, "extra_seconds", place, 0);
  const std::string quantity = text_or_empty(value, "quantity");
  made.batch_seconds =
      quantity.empty() || quantity == "custom" ? 0 : number_or(value, "batch_seconds", place, 0);
  if (const auto metrics = value.find("metrics"); metrics != value.end() && metrics->is_array())
    made.forms_mean = std::any_of(metrics->begin(), metrics->end(), [](const nlohmann::json& metric) {
      return text_or_empty(metric, "statistic") == "mean";
    });
  std::map<std::string, std::string> depths = reader.text_map("depths");
  for (const std::string& id : reader.texts("ids")) {
    if (!id.starts_with(family + "/"))
      place.key("ids").refuse(
          fmt::format("holds {}, which is no benchmark of this family", result::quoted(id)));
    made.id = id;
    made.profile = depths[id];
    run::depth_of(made.profile);  // an unknown profile is an error of the family
    out.push_back(made);
    std::vector<std::string> classes = classes_of(value, id);
    if (classes.empty()) continue;
    out.back().metric_class = classes.front();
    out.back().more_classes.assign(classes.begin() + 1, classes.end());
  }
}

}  // namespace

void add_family(const run::Family& family, const std::string& description, const std::string& origin,
                Catalogue& out) {
  const nlohmann::json value = result::parse_json(description, origin);
  result::ObjectReader reader(value, {family.name, ""});
  result::require_schema(reader, "gpugauge.definitions/1");
  std::vector<Benchmark> described;
  const std::string named = reader.text("family");
  if (named != family.name)
    throw result::FormatError(
        fmt::format("its executable describes the family {}: it has the wrong name; install it again",
                    result::quoted(named)));
  Benchmark common;
  common.family = family.name;
  common.beside_seconds = number_or(value, "beside_seconds", reader.place(), common.beside_seconds);
  reader.each("definitions", [&](const nlohmann::json& element, const result::Place& place) {
    add_definition(element, place, common, described);
  });
  const double start = number_or(value, "start_seconds", reader.place(), start_seconds_unless_stated);
  out.start_seconds[family.name] = start;
  out.benchmarks.insert(out.benchmarks.end(), described.begin(), described.end());
  out.families.push_back(family);
}

std::string sentence(const SilentFamily& family) {
  return fmt::format("family {}: {}", family.name, family.reason);
}

std::string sentences(const std::vector<SilentFamily>& families) {
  std::vector<std::string> out;
  out.reserve(families.size());
  for (const SilentFamily& family : families) out.push_back(sentence(family));
  return fmt::format("{}", fmt::join(out, "; "));
}

namespace {

/// The reason, and what to do where it is a library that the loader did not find.
std::string with_next_step(const std::string& reason) {
  const std::string library = stack::missing_library(reason);
  return library.empty()
             ? reason
             : fmt::format("{}. Next: {}", reason, stack::how_to_get(library, result::build().cuda));
}

}  // namespace

Catalogue catalogue() {
  Catalogue made;
  for (const run::Family& family : run::find_families()) {
    try {
      add_family(family, run::describe_family(family, describe_limit_seconds),
                 family.executable.string() + " --gpugauge_describe", made);
    } catch (const std::runtime_error& error) {
      made.silent.push_back({family.name, with_next_step(error.what())});
    }
  }
  if (made.families.empty())
    throw result::UsageError(fmt::format(
        "there is no family that can be measured in {}{}{}; build or install GPUGauge whole, or "
        "name its folder with GPUGAUGE_LIBEXEC",
        run::family_directory().string(), made.silent.empty() ? "" : ": ", sentences(made.silent)));
  std::sort(made.benchmarks.begin(), made.benchmarks.end(),
            [](const Benchmark& a, const Benchmark& b) { return a.id < b.id; });
  return made;
}

bool selects(const std::string& word, const Benchmark& benchmark) {
  const std::vector<std::string>& more = benchmark.more_classes;
  return word == benchmark.metric_class || word == benchmark.family ||
         std::find(more.begin(), more.end(), word) != more.end() || result::matches(word, benchmark.id);
}

run::Profile profile_of(run::Profile profile, DeviceKind kind) {
  if (kind != DeviceKind::host) profile.window_seconds = profile.device_window_seconds;
  return profile;
}

double window_seconds(const Benchmark& benchmark, const run::Profile& profile) {
  const double window =
      result::window_seconds({benchmark.window_share, benchmark.sustained,
                              benchmark.forms_mean && run::depth_of(benchmark.profile) == 0},
                             {profile_of(profile, benchmark.kind).window_seconds, profile.mean_window_seconds,
                              profile.sustained_seconds});
  return std::max(window, result::fewest_batches * benchmark.batch_seconds);
}

int processes_of(const Benchmark& benchmark, const run::Profile& profile) {
  constexpr double long_seconds = 6;
  if (window_seconds(benchmark, profile) >= long_seconds) return 1;
  return benchmark.profile == profile.name ? profile.own_processes : profile.processes;
}

std::vector<run::PlannedBenchmark> plan_of(const std::vector<const Benchmark*>& benchmarks,
                                           const run::Profile& profile) {
  std::vector<run::PlannedBenchmark> out;
  out.reserve(benchmarks.size());
  for (const Benchmark* benchmark : benchmarks) {
    const double seconds = window_seconds(*benchmark, profile) + benchmark->beside_seconds;
    out.push_back({benchmark->id, processes_of(*benchmark, profile), benchmark->stands_in ? 0 : seconds,
                   benchmark->sustained, benchmark->stands_in});
  }
  return out;
}

double round_seconds(const std::vector<run::PlannedBenchmark>& planned,
                     const std::map<std::string, double>& start_seconds, const run::Profile& profile,
                     DeviceKind kind) {
  double seconds = planned.empty() || kind == DeviceKind::host ? 0 : profile.cool_down.watch_seconds;
  std::map<std::string, int> processes;
  for (const run::PlannedBenchmark& benchmark : planned) {
    seconds += benchmark.seconds * benchmark.processes;
    int& most = processes[result::family_of(benchmark.id)];
    most = std::max(most, benchmark.processes);
  }
  for (const auto& [family, count] : processes) {
    const auto start = start_seconds.find(family);
    const double once = start == start_seconds.end() ? start_seconds_unless_stated : start->second;
    seconds += (once + profile.pause_seconds) * count;
  }
  return seconds;
}

double budget_seconds(const run::Profile& profile, DeviceKind kind) {
  return kind == DeviceKind::host ? profile.host_budget_seconds : profile.budget_seconds;
}

}  // namespace gpugauge::conductor

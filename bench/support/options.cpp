// Parses a family's flags and chooses the instances to measure.
#include "support/options.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <random>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "result/error.hpp"
#include "result/file.hpp"
#include "result/number.hpp"

namespace gpugauge::bench {

namespace {

using result::UsageError;

// The value of --name=VALUE when `argument` is that flag.
std::optional<std::string> value_of(const std::string& argument, std::string_view name) {
  const std::string start = fmt::format("--{}=", name);
  if (argument.rfind(start, 0) != 0) return std::nullopt;
  return argument.substr(start.size());
}

double seconds_of(const std::string& argument, std::string text) {
  if (!text.empty() && text.back() == 's') text.pop_back();
  const double seconds = result::number_in<double>(text).value_or(0);
  if (seconds <= 0 || seconds > 3600)
    throw UsageError(fmt::format("{}: give seconds above 0 and up to 3600, such as 0.5", argument));
  return seconds;
}

template <typename T>
T integer_of(const std::string& argument, const std::string& text) {
  const auto value = result::number_in<T>(text);
  if (!value) throw UsageError(fmt::format("{}: '{}' is not a whole number in range", argument, text));
  return *value;
}

std::string path_of(const std::string& argument, const std::string& text) {
  if (text.empty()) throw UsageError(fmt::format("{}: the file's name is missing", argument));
  return text;
}

Depth depth_of(const std::string& argument, const std::string& text) {
  try {
    return depth_from(text);
  } catch (const std::invalid_argument& fault) {
    throw UsageError(fmt::format("{}: {}", argument, fault.what()));
  }
}

bool truth_of(const std::string& text) {
  return !(text == "false" || text == "0" || text == "no" || text == "off" || text == "f" || text == "n");
}

bool is_ours(const std::string& argument, Options& options) {
  if (argument.rfind("--gpugauge_", 0) != 0) return false;
  if (argument == "--gpugauge_describe") {
    options.describe = true;
  } else if (const auto samples = value_of(argument, "gpugauge_samples")) {
    options.samples = path_of(argument, *samples);
  } else if (const auto seed = value_of(argument, "gpugauge_seed")) {
    options.seed = integer_of<std::uint64_t>(argument, *seed);
  } else if (const auto window = value_of(argument, "gpugauge_window")) {
    options.window_seconds = seconds_of(argument, *window);
  } else if (const auto mean_window = value_of(argument, "gpugauge_mean_window")) {
    options.mean_window_seconds = seconds_of(argument, *mean_window);
  } else if (const auto sustained = value_of(argument, "gpugauge_sustained")) {
    options.sustained_seconds = seconds_of(argument, *sustained);
  } else if (const auto only = value_of(argument, "gpugauge_only")) {
    options.only = path_of(argument, *only);
  } else if (const auto depth = value_of(argument, "gpugauge_depth")) {
    options.depth = depth_of(argument, *depth);
  } else if (const auto child = value_of(argument, "gpugauge_child"); child && !child->empty()) {
    options.child = *child;
  } else if (const auto parent = value_of(argument, "gpugauge_parent")) {
    options.parent = integer_of<int>(argument, *parent);
  } else {
    throw UsageError(
        fmt::format("{}: no such flag, or its value is missing; --help lists the flags", argument));
  }
  return true;
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  for (const std::string& argument : arguments) {
    if (is_ours(argument, options)) continue;
    if (argument == "--help" || argument == "-h") {
      options.help = true;
    } else if (argument == "--benchmark_list_tests") {
      options.list = true;
    } else if (const auto list = value_of(argument, "benchmark_list_tests")) {
      options.list = truth_of(*list);
    } else if (const auto filter = value_of(argument, "benchmark_filter")) {
      options.filter = *filter;
    } else if (const auto seconds = value_of(argument, "benchmark_min_time")) {
      // Not passed to Google Benchmark: iterations are explicit, and not every version of it reads "0.5s".
      options.window_seconds = seconds_of(argument, *seconds);
    } else {
      options.rest.push_back(argument);
    }
  }
  return options;
}

double Options::window_for(const Definition& definition) const {
  constexpr double of_others = 1;
  constexpr double of_sustained = 0.2;
  return window_seconds.value_or(definition.is_sustained ? of_sustained : of_others);
}

std::string help_text(const std::string& family) {
  return fmt::format(
      "gpugauge-bench-{}: the benchmarks of one family, a Google Benchmark program\n"
      "  --gpugauge_samples=FILE    write every batch and metric to FILE (JSON); rank N of several that a "
      "launcher started\n"
      "                             writes beside it, .rankN before its ending, and without this flag to "
      "{}.JOB.rankN.json\n"
      "  --gpugauge_seed=N          shuffle the order of the benchmarks\n"
      "  --gpugauge_window=SECONDS  time window per benchmark (default 1); --benchmark_min_time is the same\n"
      "  --gpugauge_mean_window=S   at least S seconds where a mean is judged of what the profile smoke "
      "measures\n"
      "  --gpugauge_sustained=S     S seconds for each benchmark of sustained load (default: its multiple of "
      "the window,\n"
      "                             and of 0.2 s without --gpugauge_window: a minute of load is a minute)\n"
      "  --gpugauge_only=FILE       measure only the ids in FILE, one per line\n"
      "  --gpugauge_depth=DEPTH     only what the profile DEPTH measures: smoke, quick, standard, deep, "
      "exhaustive\n"
      "  --gpugauge_describe        print what each benchmark isolates, as JSON\n"
      "  --gpugauge_parent=PID      end when the process PID ends\n",
      family, family);
}

std::vector<Instance> choose(std::vector<Instance> all, const Options& options,
                             const std::optional<std::vector<std::string>>& only) {
  if (only) {
    const std::string ours = all.empty() ? "" : all.front().definition->family + "/";
    for (const std::string& id : *only)
      if (id.rfind(ours, 0) == 0 &&
          std::none_of(all.begin(), all.end(), [&](const Instance& instance) { return instance.id == id; }))
        throw UsageError(
            fmt::format("--gpugauge_only: this family has no benchmark '{}'; "
                        "--benchmark_list_tests lists what it has",
                        id));
    std::erase_if(all, [&](const Instance& instance) {
      return std::find(only->begin(), only->end(), instance.id) == only->end();
    });
  }
  if (options.depth)
    std::erase_if(all, [&](const Instance& instance) { return instance.depth() > *options.depth; });
  if (!options.filter.empty() && options.filter != "all") {
    const bool negative = options.filter.front() == '-';
    try {
      const std::regex pattern(options.filter.substr(negative ? 1 : 0));
      std::erase_if(
          all, [&](const Instance& instance) { return std::regex_search(instance.id, pattern) == negative; });
    } catch (const std::regex_error& error) {
      throw UsageError(
          fmt::format("--benchmark_filter={}: not a regular expression ({})", options.filter, error.what()));
    }
  }
  if (all.empty())
    throw UsageError(options.filter.empty()
                         ? std::string("no benchmark is chosen; --benchmark_list_tests lists what there is")
                         : fmt::format("--benchmark_filter={}: matches no benchmark; "
                                       "--benchmark_list_tests lists what there is",
                                       options.filter));
  if (options.seed) {
    std::mt19937_64 random(*options.seed);
    for (std::size_t left = all.size(); left > 1; --left) std::swap(all[left - 1], all[random() % left]);
  }
  return all;
}

std::vector<std::string> read_ids(const std::filesystem::path& file) {
  std::istringstream text(result::read_file(file));
  std::vector<std::string> ids;
  for (std::string line; std::getline(text, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (!line.empty()) ids.push_back(line);
  }
  return ids;
}

}  // namespace gpugauge::bench

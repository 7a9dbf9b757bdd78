// Reads Google Benchmark's JSON into a run.
#include "result/google_benchmark.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "result/counted.hpp"
#include "result/device_kind.hpp"
#include "result/file.hpp"
#include "result/object_reader.hpp"
#include "result/time.hpp"

namespace gpugauge::result {
namespace {

using nlohmann::json;

/// Google Benchmark's own keys, which are no counters (versions 1.5 to 1.9).
constexpr std::array<std::string_view, 19> own_keys{"name",
                                                    "family_index",
                                                    "per_family_instance_index",
                                                    "run_name",
                                                    "run_type",
                                                    "repetitions",
                                                    "repetition_index",
                                                    "threads",
                                                    "iterations",
                                                    "real_time",
                                                    "cpu_time",
                                                    "time_unit",
                                                    "error_occurred",
                                                    "error_message",
                                                    "aggregate_name",
                                                    "aggregate_unit",
                                                    "skipped",
                                                    "skip_message",
                                                    "label"};

/// One benchmark while its entries are collected.
struct Gathered {
  /// family_index and per_family_instance_index, written since 1.5.5. The same name at another place is
  /// another benchmark.
  std::optional<std::pair<std::int64_t, std::int64_t>> place;
  std::vector<double> seconds;           ///< of the repetitions
  std::map<std::string, double> totals;  ///< aggregate name -> seconds
  Status status = Status::ok;
  std::string reason;
  std::int64_t iterations = 1;
};

std::string text_or(const json& object, const char* key, const std::string& otherwise) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

double seconds_per(const json& entry, const Place& place) {
  const auto found = entry.find("time_unit");
  if (found == entry.end()) place.refuse("has no time_unit; it should be ns, us, ms or s");
  if (!found->is_string()) place.key("time_unit").refuse("should be text: ns, us, ms or s");
  const auto unit = found->get<std::string>();
  if (unit == "ns") return 1e-9;
  if (unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  if (unit == "s") return 1;
  place.key("time_unit").refuse(fmt::format("is {}; it should be ns, us, ms or s", quoted(unit)));
}

/// Seconds. nullopt for an impossible time, which fails the benchmark; others in the file are unaffected.
std::optional<double> real_time(const json& entry, const Place& place, Gathered& benchmark) {
  const auto found = entry.find("real_time");
  if (found == entry.end() || !(found->is_number() || found->is_null()))
    place.refuse("has no real_time that is a number");
  const double value = found->is_null() ? std::nan("") : found->get<double>() * seconds_per(entry, place);
  // Keeps sums of many times, multiplied by iterations, finite.
  constexpr double longest = 1e12;
  if (value >= smallest_value && value < longest) return value;
  if (benchmark.status != Status::failed)
    benchmark.reason = fmt::format("its real_time is {}, and a time must be above 0 and below 1e12 seconds",
                                   found->is_null() ? "NaN, infinite or null" : fmt::format("{:g} s", value));
  benchmark.status = Status::failed;
  return std::nullopt;
}

bool ends_a_word(char c) {
  return std::string_view(",]} \t\r\n").find(c) != std::string_view::npos;
}

/// Replaces the bare words NaN and Infinity, which Google Benchmark writes and JSON lacks, by null, outside
/// strings. Keeps later positions: pads null to a longer word, and drops a blank before the shorter NaN.
std::string with_null_for_not_finite(const std::string& text) {
  constexpr std::array<std::string_view, 3> words{"NaN", "Infinity", "-Infinity"};
  constexpr std::string_view null = "null";
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_string && text[i] == '\\' && i + 1 < text.size())
      out += text[i++];
    else if (text[i] == '"')
      in_string = !in_string;
    const std::string_view rest = std::string_view(text).substr(i);
    const auto word =
        in_string ? words.end() : std::find_if(words.begin(), words.end(), [&](const auto& one) {
          return rest.starts_with(one) && (rest.size() == one.size() || ends_a_word(rest[one.size()]));
        });
    if (word == words.end()) {
      out += text[i];
      continue;
    }
    if (word->size() < null.size() && !out.empty() && out.back() == ' ') out.pop_back();
    out += null;
    if (word->size() > null.size()) out.append(word->size() - null.size(), ' ');
    i += word->size() - 1;
  }
  return out;
}

/// Skips the benchmark if this entry belongs to another one of the same name. Entries of fits to a curve
/// (BigO, RMS) bear a family's bare name and have no time.
void require_place(const json& entry, Gathered& benchmark) {
  const auto family = entry.find("family_index");
  const auto instance = entry.find("per_family_instance_index");
  if (family == entry.end() || instance == entry.end() || !family->is_number_integer() ||
      !instance->is_number_integer())
    return;
  const std::pair place{family->get<std::int64_t>(), instance->get<std::int64_t>()};
  if (!benchmark.place) benchmark.place = place;
  if (*benchmark.place == place || benchmark.status == Status::failed) return;
  // The measurement is sound; only its owner is ambiguous.
  benchmark.status = Status::skipped;
  benchmark.reason = "its name stands for two benchmarks of the file, whose times cannot be told apart";
}

/// Adds one element of `benchmarks` to its benchmark. Returns the number of counters left out.
std::size_t gather(const json& entry, const Place& place, std::map<std::string, Gathered>& out) {
  if (!entry.is_object()) place.refuse("should be an object");
  const std::string name = text_or(entry, "name", "");
  if (name.empty()) place.refuse("has no name");
  Gathered& benchmark = out[text_or(entry, "run_name", name)];
  const auto flag = [&](const char* key) {
    const auto found = entry.find(key);
    return found != entry.end() && found->is_boolean() && found->get<bool>();
  };
  if (flag("error_occurred") || flag("skipped")) {
    // One failed repetition makes a failure, whatever the others say.
    if (benchmark.status == Status::failed) return 0;
    benchmark.status = flag("error_occurred") ? Status::failed : Status::skipped;
    benchmark.reason = text_or(entry, "error_message", text_or(entry, "skip_message", "no reason was given"));
    return 0;
  }
  const std::string aggregate = text_or(entry, "aggregate_name", "");
  if (text_or(entry, "run_type", "iteration") == "aggregate" || !aggregate.empty()) {
    const bool time = text_or(entry, "aggregate_unit", "time") == "time";
    if (!time || (aggregate != "median" && aggregate != "mean")) return 0;
    require_place(entry, benchmark);
    if (const auto seconds = real_time(entry, place, benchmark)) benchmark.totals[aggregate] = *seconds;
    return 0;
  }
  require_place(entry, benchmark);
  if (const auto seconds = real_time(entry, place, benchmark)) benchmark.seconds.push_back(*seconds);
  if (const auto found = entry.find("iterations"); found != entry.end() && found->is_number_integer())
    benchmark.iterations = std::max<std::int64_t>(1, found->get<std::int64_t>());
  return static_cast<std::size_t>(
      std::count_if(entry.items().begin(), entry.items().end(), [](const auto& item) {
        return (item.value().is_number() || item.value().is_null()) &&
               std::find(own_keys.begin(), own_keys.end(), item.key()) == own_keys.end();
      }));
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// nullopt if there was neither a repetition nor an aggregate.
std::optional<BenchmarkResult> result_of(const std::string& name, const Gathered& gathered) {
  BenchmarkResult out;
  out.id = name;
  out.status = gathered.status;
  out.reason = gathered.reason;
  out.notes[std::string(not_verified_note)] = "another program's figures";
  if (gathered.status != Status::ok) return out;
  Metric metric;
  metric.name = "real_time";
  metric.unit = "second";
  metric.better = Direction::lower;
  metric.metric_class = "application";
  if (!gathered.seconds.empty()) {
    metric.value = median_of(gathered.seconds);
    metric.statistic = "median";
    out.batches.seconds_per_operation = gathered.seconds;
  } else if (!gathered.totals.empty()) {
    const bool median = gathered.totals.count("median") > 0;
    metric.value = gathered.totals.at(median ? "median" : "mean");
    metric.statistic = median ? "median" : "mean";
    metric.note = "of the file's own aggregate";
    out.batches.seconds_per_operation = {metric.value};
  } else {
    return std::nullopt;
  }
  out.batches.operations_per_batch = gathered.iterations;
  for (const double seconds : out.batches.seconds_per_operation)
    out.batches.window_seconds += seconds * static_cast<double>(gathered.iterations);
  out.metrics = {metric};
  return out;
}

std::string number_text(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->dump() : "";
}

/// Records the file's facts about the machine. Another processor count means another machine; another host
/// name may.
void describe(const json& context, Run& run) {
  const auto add = [](Facts& facts, const char* name, const std::string& value) {
    if (!value.empty()) facts[name] = value;
  };
  add(run.fingerprint.device, "host.name", text_or(context, "host_name", ""));
  add(run.fingerprint.device, "host.processors", number_text(context, "num_cpus"));
  add(run.fingerprint.settings, "host.mhz", number_text(context, "mhz_per_cpu"));
  add(run.fingerprint.settings, "executable", text_or(context, "executable", ""));
  add(run.fingerprint.settings, "google_benchmark.version", text_or(context, "library_version", ""));
  run.fingerprint.suite["suite.profile"] = google_benchmark_profile;
  run.started = text_or(context, "date", "");  // in the machine's time zone
  if (auto time = utc_time(run.started)) run.started = *std::move(time);
  if (const auto scaling = context.find("cpu_scaling_enabled");
      scaling != context.end() && scaling->is_boolean() && scaling->get<bool>())
    run.remarks.emplace_back("The processor's clock was free to change (cpu_scaling_enabled).");
  if (text_or(context, "library_build_type", "") == "debug")
    run.remarks.emplace_back("Google Benchmark itself was a debug build: its own cost is in every time.");
  if (const auto load = context.find("load_avg"); load != context.end() && load->is_array() &&
                                                  !load->empty() && load->front().is_number() &&
                                                  load->front().get<double>() > 1)
    run.remarks.push_back(fmt::format("Other work was running (load {:.1f}).", load->front().get<double>()));
}

/// 26 characters derived from the text, to tell files apart (FNV-1a; no protection against intent).
std::string id_of(const std::string& text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return fmt::format("{:026X}", hash);
}

}  // namespace

bool is_google_benchmark(const std::string& text) {
  // Both keys come near the beginning of the file; the strict parse follows.
  const std::size_t context = text.find("\"context\"");
  return context != std::string::npos && context < 4096 &&
         text.find("\"benchmarks\"", context) != std::string::npos &&
         text.find("\"gpugauge.") == std::string::npos;
}

Run parse_google_benchmark(const std::string& text, const std::string& origin) {
  const json value = parse_json(with_null_for_not_finite(text), origin);
  const Place top{origin, ""};
  const auto context = value.find("context");
  const auto benchmarks = value.find("benchmarks");
  if (context == value.end() || !context->is_object()) top.key("context").refuse("should be an object");
  if (benchmarks == value.end() || !benchmarks->is_array())
    top.key("benchmarks").refuse("should be an array");
  std::map<std::string, Gathered> gathered;
  std::size_t counters = 0;
  for (std::size_t i = 0; i < benchmarks->size(); ++i)
    counters += gather((*benchmarks)[i], top.key("benchmarks").index(i), gathered);

  Run run;
  run.id = id_of(text);
  run.boot_id = run.id;
  run.complete = true;
  run.profile = google_benchmark_profile;
  run.device = to_string(DeviceKind::host);
  describe(*context, run);
  Process process;
  process.family = "google-benchmark";
  process.exit_code = 0;
  process.samples.emplace();
  process.samples->family = process.family;
  for (const auto& [name, one] : gathered) {
    auto result = result_of(name, one);
    if (!result) continue;
    for (const double seconds : result->batches.seconds_per_operation)
      run.wall_seconds += seconds * static_cast<double>(result->batches.operations_per_batch);
    process.samples->benchmarks.push_back(std::move(*result));
  }
  if (process.samples->benchmarks.empty()) top.key("benchmarks").refuse("holds no measured benchmark");
  process.wall_seconds = run.wall_seconds;
  run.processes.push_back(std::move(process));
  if (counters > 0)
    run.remarks.push_back(fmt::format("{} not judged: the file does not say which way {} better.",
                                      counted(counters, "counter value is", "counter values are"),
                                      counters == 1 ? "it is" : "they are"));
  return run;
}

Run read_any_run(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  return is_google_benchmark(text) ? parse_google_benchmark(text, file.string())
                                   : parse_run(text, file.string());
}

}  // namespace gpugauge::result

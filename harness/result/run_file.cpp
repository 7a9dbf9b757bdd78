// Reads, checks and writes run files.
#include "result/run_file.hpp"

#include <cmath>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "result/counted.hpp"
#include "result/file.hpp"
#include "result/gpu_health.hpp"
#include "result/gpu_series.hpp"
#include "result/json_array.hpp"
#include "result/run_reader.hpp"
#include "result/samples_json.hpp"
#include "result/time.hpp"

namespace gpugauge::result {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const Fingerprint& fingerprint) {
  return {{"device", fingerprint.device},
          {"stack", fingerprint.stack},
          {"settings", fingerprint.settings},
          {"topology", fingerprint.topology},
          {"suite", fingerprint.suite}};
}

ordered_json json_of(const Series& series) {
  return {{"source", series.source},
          {"name", series.name},
          {"unit", series.unit},
          {"seconds", series.seconds},
          {"values", series.values}};
}

ordered_json json_of(const Process& process) {
  ordered_json out{{"family", process.family},
                   {"index", process.index},
                   {"order", process.order},
                   {"status", to_string(process.status)},
                   {"reason", process.reason}};
  if (process.exit_code) out["exit_code"] = *process.exit_code;
  if (process.signal) out["signal"] = *process.signal;
  out["start_seconds"] = process.start_seconds;
  out["wall_seconds"] = process.wall_seconds;
  if (process.expected_seconds) out["expected_seconds"] = *process.expected_seconds;
  out["host"] = process.host;
  out["output"] = process.output;
  if (process.samples) out["samples"] = json_of(*process.samples);
  return out;
}

void read(JsonCursor& in, Fingerprint& fingerprint) {
  in.object(member("device", fingerprint.device), member("stack", fingerprint.stack),
            member("settings", fingerprint.settings), member("topology", fingerprint.topology),
            member("suite", fingerprint.suite));
}

/// Lengths of a series' two columns, whether or not they were kept.
struct Lengths {
  std::size_t seconds = 0;
  std::size_t values = 0;
};

void read(JsonCursor& in, Series& series, Detail detail, Lengths& lengths) {
  series.name.clear();
  const auto column = [&](std::vector<double>& kept, std::size_t& length) {
    kept.clear();
    return [&] {
      // Writers put the name first. If it is still unknown, the values are kept.
      const bool wanted = detail == Detail::all || series.name.empty() || is_health_series(series.name) ||
                          series.name == processes_before_series;
      if (wanted) in.read(kept);
      length = wanted ? kept.size() : in.skip_numbers();
    };
  };
  in.object(member("source", series.source), member("name", series.name), member("unit", series.unit),
            member("seconds", column(series.seconds, lengths.seconds)),
            member("values", column(series.values, lengths.values)));
}

void read_not_negative(JsonCursor& in, int& out) {
  in.read(out);
  if (out < 0) in.refuse("should be 0 or more");
}

void read(JsonCursor& in, Process& process, Detail detail) {
  bool has_samples = false;
  const auto read_samples = [&] {
    has_samples = true;
    if (!process.samples) process.samples.emplace();
    read(in, *process.samples, detail);
  };
  process.exit_code.reset();
  process.signal.reset();
  process.expected_seconds.reset();
  in.object(member("family", process.family), member("index", [&] { read_not_negative(in, process.index); }),
            member("order", [&] { read_not_negative(in, process.order); }),
            member("status", [&] { process.status = word(in, status_from); }),
            member("reason", process.reason), optional_member("exit_code", process.exit_code),
            optional_member("signal", process.signal), member("start_seconds", process.start_seconds),
            member("wall_seconds", process.wall_seconds),
            optional_member("expected_seconds", process.expected_seconds), member("host", process.host),
            member("output", process.output), optional_member("samples", read_samples));
  if (!has_samples) process.samples.reset();
}

/// Checks the rules of run_file.hpp that types cannot express. Samples are checked where they are read and
/// written. `telemetry`: the lengths of each series.
void validate(const Run& run, const std::vector<Lengths>& telemetry) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument(what); };
  const auto require = [&refuse](const auto& where, std::string_view name, double value) {
    if (!is_possible(value))
      refuse(fmt::format("{}: {} is {}", where(), shortened(name),
                         std::isfinite(value) ? fmt::format("{:.3g}, and nothing of a machine is above {:g}",
                                                            value, largest_value)
                                              : "not finite"));
  };
  const auto require_amount = [&](const auto& where, std::string_view name, double value) {
    require(where, name, value);
    if (value < 0) refuse(fmt::format("{}: {} is below 0", where(), shortened(name)));
  };
  if (run.id.empty()) refuse("the run has no id");
  if (run.round < 1) refuse("round is below 1");
  require_amount([] { return "the run"; }, "wall_seconds", run.wall_seconds);
  if (!run.complete && run.partial_reason.empty()) refuse("the run is partial and does not say why");
  if (run.complete && !run.partial_reason.empty()) refuse("the run is complete and says why it is partial");
  std::set<std::pair<std::string_view, int>> processes;
  for (const Process& process : run.processes) {
    const auto where = [&] { return fmt::format("{} process {}", shortened(process.family), process.index); };
    if (!processes.emplace(process.family, process.index).second) refuse(where() + ": stands twice");
    if (process.status != Status::ok && process.reason.empty())
      refuse(where() + ": is not ok and gives no reason");
    if (process.status == Status::ok && process.exit_code.value_or(0) != 0)
      refuse(where() + fmt::format(": is ok although it ended with exit code {}", *process.exit_code));
    if (process.status == Status::ok && process.signal)
      refuse(where() + fmt::format(": is ok although signal {} ended it", *process.signal));
    if (process.status == Status::interrupted && run.complete)
      refuse(where() + ": was interrupted although the run is complete");
    require_amount(where, "start_seconds", process.start_seconds);
    require_amount(where, "wall_seconds", process.wall_seconds);
    require_amount(where, "expected_seconds", process.expected_seconds.value_or(0));
    for (const auto& [name, value] : process.host) require_amount(where, name, value);
    if (process.samples && process.samples->family != process.family)
      refuse(where() + fmt::format(": holds samples of the family {}", quoted(process.samples->family)));
  }
  for (std::size_t s = 0; s < run.telemetry.size(); ++s) {
    const Series& series = run.telemetry[s];
    const Lengths& lengths = telemetry[s];
    const auto where = [&] { return "telemetry " + shortened(series.name); };
    if (!is_unit(series.unit))
      refuse(fmt::format("{}: {} is no unit that this version knows", where(), quoted(series.unit)));
    if (lengths.seconds != lengths.values)
      refuse(fmt::format("{}: {} for {}", where(), counted(lengths.seconds, "time"),
                         counted(lengths.values, "value")));
    for (const double value : series.seconds) require(where, "a time", value);
    for (const double value : series.values) require(where, "a value", value);
  }
}

/// Called before writing; each process's samples are checked separately.
void validate(const Run& run) {
  std::vector<Lengths> telemetry;
  telemetry.reserve(run.telemetry.size());
  for (const Series& series : run.telemetry)
    telemetry.push_back({series.seconds.size(), series.values.size()});
  validate(run, telemetry);
  for (const Process& process : run.processes)
    if (process.samples) validate(*process.samples);
}

}  // namespace

std::string to_json(const Run& run) {
  validate(run);
  ordered_json processes = array_of(run.processes, json_of);
  ordered_json telemetry = array_of(run.telemetry, json_of);
  return dump_json({{"schema", run_schema},
                    {"id", run.id},
                    {"complete", run.complete},
                    {"partial_reason", run.partial_reason},
                    {"started", run.started},
                    {"wall_seconds", run.wall_seconds},
                    {"seed", run.seed},
                    {"profile", run.profile},
                    {"device", run.device},
                    {"round", run.round},
                    {"command", run.command},
                    {"only", run.only},
                    {"boot_id", run.boot_id},
                    {"fingerprint", json_of(run.fingerprint)},
                    {"remarks", run.remarks},
                    {"processes", std::move(processes)},
                    {"telemetry", std::move(telemetry)}});
}

Run parse_run(const std::string& text, const std::string& origin, Detail detail) {
  Run run;
  parse_run(text, origin, detail, run);
  return run;
}

void parse_run(const std::string& text, const std::string& origin, Detail detail, Run& run) {
  JsonCursor in(text, origin);
  const Place place = in.place();
  std::vector<Lengths> telemetry;
  in.object(member("schema", [&] { require_schema(in.text(), run_schema, place); }), member("id", run.id),
            member("complete", run.complete), member("partial_reason", run.partial_reason),
            member("started", run.started), member("wall_seconds", run.wall_seconds),
            member("seed", run.seed), member("profile", run.profile), member("device", run.device),
            member("round", [&] { read_not_negative(in, run.round); }), member("command", run.command),
            member("only", run.only), member("boot_id", run.boot_id),
            member("fingerprint", [&] { read(in, run.fingerprint); }), member("remarks", run.remarks),
            member("processes",
                   [&] { in.again(run.processes, [&](Process& process) { read(in, process, detail); }); }),
            member("telemetry", [&] {
              in.again(run.telemetry,
                       [&](Series& series) { read(in, series, detail, telemetry.emplace_back()); });
            }));
  in.end();
  if (!is_utc_time(run.started))
    place.refuse(
        fmt::format("it started at {}, which is no UTC time of RFC 3339, such as 2025-01-31T12:00:00.123Z",
                    quoted(run.started)));
  try {
    validate(run, telemetry);
  } catch (const std::invalid_argument& error) {
    place.refuse(error.what());
  }
}

Run read_run(const std::filesystem::path& file, Detail detail) {
  return parse_run(read_file(file), file.string(), detail);
}

}  // namespace gpugauge::result

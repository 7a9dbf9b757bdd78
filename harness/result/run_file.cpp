#include "result/run_file.hpp"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "result/file.hpp"
#include "result/samples_json.hpp"

namespace gpugauge::result {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json json_of(const Fingerprint& fingerprint) {
  return {{"device", fingerprint.device},
          {"stack", fingerprint.stack},
          {"settings", fingerprint.settings},
          {"topology", fingerprint.topology},
          {"suite", fingerprint.suite}};
}

Fingerprint fingerprint_from(const json& value, const Place& place) {
  ObjectReader reader(value, place);
  Fingerprint fingerprint;
  fingerprint.device = reader.text_map("device");
  fingerprint.stack = reader.text_map("stack");
  fingerprint.settings = reader.text_map("settings");
  fingerprint.topology = reader.text_map("topology");
  fingerprint.suite = reader.text_map("suite");
  reader.done();
  return fingerprint;
}

ordered_json json_of(const Series& series) {
  return {{"source", series.source},
          {"name", series.name},
          {"unit", series.unit},
          {"seconds", series.seconds},
          {"values", series.values}};
}

Series series_from(const json& value, const Place& place) {
  ObjectReader reader(value, place);
  Series series{reader.text("source"), reader.text("name"), reader.text("unit"), reader.numbers("seconds"),
                reader.numbers("values")};
  reader.done();
  return series;
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
  out["host"] = process.host;
  out["output"] = process.output;
  if (process.samples) out["samples"] = json_of(*process.samples);
  return out;
}

int small(ObjectReader& reader, const std::string& key) {
  const std::optional<int> value = reader.optional_integer(key);
  if (!value) reader.place().refuse(fmt::format("the key '{}' is missing", key));
  if (*value < 0) reader.place().key(key).refuse("should be 0 or more");
  return *value;
}

Process process_from(const json& value, const Place& place) {
  ObjectReader reader(value, place);
  Process process;
  process.family = reader.text("family");
  process.index = small(reader, "index");
  process.order = small(reader, "order");
  try {
    process.status = status_from(reader.text("status"));
  } catch (const std::invalid_argument& error) {
    place.key("status").refuse(error.what());
  }
  process.reason = reader.text("reason");
  process.exit_code = reader.optional_integer("exit_code");
  process.signal = reader.optional_integer("signal");
  process.start_seconds = reader.number("start_seconds");
  process.wall_seconds = reader.number("wall_seconds");
  process.host = reader.number_map("host");
  process.output = reader.text("output");
  if (const json* samples = reader.optional("samples"))
    process.samples = samples_from(*samples, place.key("samples"));
  reader.done();
  return process;
}

/// The rules of run_file.hpp that a type cannot hold.
void validate(const Run& run) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument(what); };
  if (run.id.empty()) refuse("the run has no id");
  if (run.round < 1) refuse("round is below 1");
  if (!run.complete && run.partial_reason.empty()) refuse("the run is partial and does not say why");
  for (const Process& process : run.processes) {
    const std::string where = fmt::format("{} process {}", process.family, process.index);
    if (process.status != Status::ok && process.reason.empty())
      refuse(where + ": is not ok and gives no reason");
    for (const auto& [name, value] : process.host)
      if (!std::isfinite(value)) refuse(fmt::format("{}: {} is not finite", where, name));
    if (process.samples && process.samples->family != process.family)
      refuse(where + fmt::format(": holds samples of the family '{}'", process.samples->family));
    if (process.samples) validate(*process.samples);
  }
  for (const Series& series : run.telemetry) {
    if (!is_unit(series.unit))
      refuse(fmt::format("telemetry {}: '{}' is no unit that this version knows", series.name, series.unit));
    if (series.seconds.size() != series.values.size())
      refuse(fmt::format("telemetry {}: {} times for {} values", series.name, series.seconds.size(),
                         series.values.size()));
    for (std::size_t i = 0; i < series.values.size(); ++i)
      if (!std::isfinite(series.values[i]) || !std::isfinite(series.seconds[i]))
        refuse(fmt::format("telemetry {}: a value is not finite", series.name));
  }
}

}  // namespace

std::string to_json(const Run& run) {
  validate(run);
  ordered_json processes = ordered_json::array();
  for (const Process& process : run.processes) processes.push_back(json_of(process));
  ordered_json telemetry = ordered_json::array();
  for (const Series& series : run.telemetry) telemetry.push_back(json_of(series));
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

Run parse_run(const std::string& text, const std::string& origin) {
  const json value = parse_json(text, origin);
  const Place place{origin, ""};
  ObjectReader reader(value, place);
  require_schema(reader, run_schema);
  Run run;
  run.id = reader.text("id");
  run.complete = reader.boolean("complete");
  run.partial_reason = reader.text("partial_reason");
  run.started = reader.text("started");
  run.wall_seconds = reader.number("wall_seconds");
  run.seed = reader.unsigned_integer("seed");
  run.profile = reader.text("profile");
  run.device = reader.text("device");
  run.round = small(reader, "round");
  run.command = reader.texts("command");
  run.only = reader.texts("only");
  run.boot_id = reader.text("boot_id");
  run.fingerprint = fingerprint_from(reader.object("fingerprint"), place.key("fingerprint"));
  run.remarks = reader.texts("remarks");
  reader.each("processes", [&](const json& element, const Place& where) {
    run.processes.push_back(process_from(element, where));
  });
  reader.each("telemetry", [&](const json& element, const Place& where) {
    run.telemetry.push_back(series_from(element, where));
  });
  reader.done();
  try {
    validate(run);
  } catch (const std::invalid_argument& error) {
    place.refuse(error.what());
  }
  return run;
}

Run read_run(const std::filesystem::path& file) {
  return parse_run(read_file(file), file.string());
}

}  // namespace gpugauge::result

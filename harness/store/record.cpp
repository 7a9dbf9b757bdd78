// Reduces a run to the record that the history keeps.
#include "store/record.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/digest.hpp"
#include "baseline/fields.hpp"
#include "judge/collect.hpp"
#include "judge/one_machine.hpp"
#include "judge/statistics.hpp"
#include "result/device_kind.hpp"
#include "result/error.hpp"
#include "result/facts.hpp"
#include "result/google_benchmark.hpp"
#include "result/json_cursor.hpp"
#include "result/time.hpp"

namespace gpugauge::store {
namespace {

/// Text that every database accepts: PostgreSQL rejects NUL and invalid UTF-8, which a file name may hold.
/// Different names stay different.
std::string storable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = result::character(text);
    if (text.front() == '\0')
      out += '?';
    else if (length == 0)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

/// Texts of one file, each checked against the databases' length limits.
class Texts {
 public:
  explicit Texts(const std::string& source) : source_(source) {}

  /// For a column.
  std::string text(const char* what, const std::string& text) const {
    return bounded(what, storable(text), std::size_t{1} << 20);
  }
  /// For a key. PostgreSQL limits a key to 2704 bytes over all its columns.
  std::string key(const char* what, const std::string& text) const {
    return bounded(what, storable(text), 512);
  }
  /// For a key together with one such text.
  std::string longer_key(const char* what, const std::string& text) const {
    return bounded(what, storable(text), 2048);
  }
  /// The largest text; SQLite is limited to 16 MiB per row.
  std::string facts(std::string text) const {
    return bounded("fingerprint", std::move(text), std::size_t{8} << 20);
  }
  /// For the values of one metric in a run; each takes up to 25 bytes as text.
  void require_few(const std::string& metric, std::size_t values) const {
    if (values > most_values)
      throw result::FormatError(fmt::format("{}: {} has {} values, and a history keeps {} of a run at most",
                                            source_, result::shortened(metric), values, most_values));
  }

 private:
  std::string bounded(const char* what, std::string text, std::size_t most) const {
    if (text.size() > most)
      throw result::FormatError(
          fmt::format("{}: its {} is {} bytes long, and a history keeps {} at most ({})", source_, what,
                      text.size(), most, result::shortened(text)));
    return text;
  }

  const std::string& source_;
};

/// A checksum is part of a key, which PostgreSQL limits to 2704 bytes. Replaces a longer one by its own
/// checksum.
std::string storable_checksum(const std::string& value) {
  constexpr std::size_t longest = 256;
  return value.size() > longest ? "sha256:" + baseline::sha256(value) : storable(value);
}

}  // namespace

std::string facts_text(const result::Fingerprint& fingerprint) {
  return nlohmann::ordered_json{{"device", fingerprint.device},
                                {"stack", fingerprint.stack},
                                {"settings", fingerprint.settings},
                                {"topology", fingerprint.topology},
                                {"suite", fingerprint.suite}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

result::Fingerprint fingerprint_from(const std::string& text, const std::string& origin) {
  result::JsonCursor in(text, origin);
  result::Fingerprint out;
  in.object(result::member("device", out.device), result::member("stack", out.stack),
            result::member("settings", out.settings), result::member("topology", out.topology),
            result::member("suite", out.suite));
  in.end();
  return out;
}

std::string identity_of(const result::Run& run) {
  return result::is_host(run.device) ? run.device
                                     : storable(judge::PeerCollector::without_values(run, {}, {}, {}).node);
}

std::string profile_of(const std::string& profile, const result::Fingerprint& facts) {
  constexpr std::string_view section = "suite.";
  std::string out = profile;
  if (profile == result::google_benchmark_profile) {
    const std::filesystem::path executable = result::fact(facts.settings, "executable");
    if (executable.has_filename()) out += " of " + executable.filename().string();
  }
  for (const auto& [name, value] : facts.suite)
    if (name != "suite.profile" && name.starts_with(section) &&
        baseline::role_of("suite", name) == baseline::Role::must)
      out += fmt::format(", {} {}", name.substr(section.size()), value);
  return out;
}

std::string profile_of(const result::Run& run) {
  return profile_of(run.profile, run.fingerprint);
}

Record record_of(const result::Run& run, std::string content_hash, const std::string& source,
                 const std::string& node) {
  Record out;
  const auto started = result::utc_time(run.started);
  if (!started)
    throw result::FormatError(
        fmt::format("{}: it started at {}, which is no time of RFC 3339: a history needs one", source,
                    result::quoted(run.started)));
  const Texts texts(source);
  out.content_hash = std::move(content_hash);
  out.source = texts.text("name", source);
  out.node = texts.key("node", node);
  out.started = *started;
  const judge::Sighting seen = judge::sighting_of(run);
  out.boot_id = texts.text("boot_id", seen.boot);
  out.host_identity = seen.identity;
  out.host_name = seen.name;
  out.profile = texts.text("profile", profile_of(run));
  out.round = run.round;
  out.wall_seconds = run.wall_seconds;
  judge::Collected collected = judge::collect(run);
  out.peer = judge::PeerCollector::without_values(run, collected, out.source, out.node);
  out.peer.node = texts.text("node", out.peer.node);
  out.peer.id = texts.key("id", out.peer.id);
  out.peer.device = texts.text("device", out.peer.device);
  out.peer.kind = texts.text("kind", out.peer.kind);
  out.peer.partial_reason = texts.text("partial_reason", out.peer.partial_reason);
  for (judge::PeerFault& fault : out.peer.faults) {
    fault.what = texts.text("fault", fault.what);
    fault.reason = texts.text("fault", fault.reason);
  }
  for (judge::Verdict& verdict : out.peer.health) {
    verdict.metric = texts.text("health", verdict.metric);
    verdict.reason = texts.text("health", verdict.reason);
  }
  judge::Checksums checksums;
  for (auto& [benchmark, values] : out.peer.checksums)
    for (const std::string& value : values)
      checksums[texts.text("benchmark", benchmark)].push_back(storable_checksum(value));
  out.peer.checksums = std::move(checksums);
  // A host has no serial number, and its boot id changes; within a node it is "host".
  out.identity = texts.longer_key("device", identity_of(run));
  out.facts = texts.facts(facts_text(run.fingerprint));
  out.facts_hash = baseline::sha256(out.facts);
  // The total is limited too, because the list is one column.
  texts.text("list of chosen benchmarks", fmt::format("{}", fmt::join(out.peer.only, " ")));
  for (std::string& benchmark : out.peer.only) benchmark = texts.text("benchmark", benchmark);
  for (auto& [key, metric] : collected.metrics) {
    texts.require_few(key, metric.values.size() + metric.recorded.size());
    Measured measured;
    measured.form = {texts.text("metric", key), texts.text("benchmark", metric.benchmark),
                     texts.key("class", metric.form.metric_class), texts.key("unit", metric.form.unit),
                     metric.form.better};
    measured.statistic = texts.text("statistic", metric.form.statistic);
    measured.form.judged = metric.judged();
    measured.not_judged = texts.text("note", metric.not_judged);
    if (!metric.recorded.empty()) measured.recorded = judge::measured(metric);
    if (metric.judged()) measured.median = judge::median(metric.values);
    measured.values = std::move(metric.values);
    out.measured.push_back(std::move(measured));
  }
  if (out.measured.empty() && out.peer.faults.empty())
    throw result::FormatError(
        fmt::format("{}: it holds neither a value nor a fault: nothing to keep", source));
  return out;
}

}  // namespace gpugauge::store

// What one process of one family leaves: the sample file, schema "gpugauge.samples/1". bench/support writes
// it and the harness reads it; the two sides share nothing else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "result/vocabulary.hpp"

namespace gpugauge::result {

/// The "schema" that a sample file must have.
inline constexpr std::string_view samples_schema = "gpugauge.samples/1";

/// What a reader keeps. `values` is for callers that read thousands of files. It drops batches, parameters,
/// telemetry values (except those of a GPU's health, is_health_series, and processes_before_series) and the notes of benchmarks, except in
/// family integrity and of unavailable ones. It still checks that these are JSON, and that batches and telemetry
/// are numbers within range and of the right count.
enum class Detail { all, values };

/// Flat facts with dotted names ("gpu.uuid", "host.cpu_model"); docs/observation.md lists the names. Values
/// are text, so that comparing two fingerprints needs no interpretation.
using Facts = std::map<std::string, std::string>;

/// A bound that physics or a data sheet sets for a metric.
struct Limit {
  double value = 0;    ///< in the metric's unit, > 0
  std::string source;  ///< the origin of the figure
  /// True if a healthy device comes near the limit: 40% to 105% of it is then plausible. False if the limit
  /// only bounds the metric from its good side.
  bool saturating = false;
  /// Share of the limit that every healthy machine reaches, 0 < floor < 1; set where it is not the usual 0.4.
  /// Only for a saturating limit.
  std::optional<double> floor = std::nullopt;

  bool operator==(const Limit&) const = default;  ///< member by member, numbers exactly
};

/// One judged number of a benchmark, computed from its batches.
struct Metric {
  std::string name;                      ///< unique within the benchmark: "bandwidth", "latency_p99"
  std::string unit;                      ///< one of result::units
  Direction better = Direction::higher;  ///< the judge calls a change in the other direction a regression
  std::string metric_class;              ///< one of result::classes
  std::string
      statistic;  ///< how the value was formed: "median", "mean", "p99", "minimum", "maximum", "fit", "ratio"
  double value = 0;       ///< finite, > 0 when judged
  double resolution = 0;  ///< smallest difference the clock can tell, in the metric's unit; 0 = negligible
  bool judged = true;     ///< false: recorded, never gated; note says why
  /// One clause: why it is not judged, or what a reader should know of the value; may be "" where judged.
  std::string note;
  std::optional<Limit> limit;  ///< absent where none is known; then there is no physical check

  bool operator==(const Metric&) const = default;  ///< member by member, numbers exactly
};

/// The reason of the file of a process that has not ended by itself, or not yet.
inline constexpr const char* ended_early = "the process ended before everything was measured";

/// How a result was checked. A NaN error never passes.
struct Verification {
  std::string method;           ///< what was compared with what, in words; not empty
  bool passed = false;          ///< false makes the benchmark failed, whatever its speed
  std::optional<double> error;  ///< largest error found; absent if not finite or not a number of this kind
  std::optional<double> tolerance;  ///< largest error allowed

  bool operator==(const Verification&) const = default;  ///< member by member, numbers exactly
};

/// The timed batches of one benchmark in one process. Every batch is kept.
struct Batches {
  std::int64_t operations_per_batch = 0;          ///< operations in one batch, >= 1
  std::vector<double> seconds_per_operation;      ///< one entry per batch, > 0
  std::vector<double> cpu_seconds_per_operation;  ///< same length or empty
  std::vector<double> sm_clock_hz;                ///< same length or empty (no GPU)
  double window_seconds = 0;  ///< wall time from the first batch's start to the last one's end
  double cpu_seconds = 0;     ///< processor time the process used in that window

  bool operator==(const Batches&) const = default;  ///< member by member, numbers exactly
};

/// When the steps of a benchmark came, in seconds since its process began. None comes before the one above it.
struct Timeline {
  double began = 0;  ///< preparing its inputs
  /// Warming up and calibrating. Absent where the benchmark timed in a way of its own, and so is `timed`.
  std::optional<double> warming;
  std::optional<double> timed;  ///< the end of the window; it began Batches::window_seconds earlier
  double ended = 0;             ///< its result was checked, and its memory given back

  bool operator==(const Timeline&) const = default;  ///< member by member, numbers exactly
};

/// Work of one operation, as the definition declares it. 0 = does not apply.
struct Work {
  double bytes = 0;  ///< bytes moved; bandwidth = bytes / seconds of one operation
  double flops = 0;  ///< floating-point operations; a fused multiply-add is two
  double items = 0;  ///< what the rate counts, such as launches or elements

  bool operator==(const Work&) const = default;  ///< compares exactly
};

/// A note that only readers of another program's figures set: those have no check of ours.
inline constexpr std::string_view not_verified_note = "not_verified";

/// One benchmark in one process.
struct BenchmarkResult {
  std::string id;              ///< family/op/variant/params
  Status status = Status::ok;  ///< of this benchmark in this process
  std::string reason;          ///< one sentence unless ok
  Facts parameters;            ///< axis of the definition -> its value in this instance
  Facts notes;                 ///< how it was measured: "synchronous_launch" = "true", "timer" = "cuda_event"
  Work work;                   ///< of one operation; bandwidth, throughput and rate come from it
  Batches batches;             ///< empty where nothing was timed
  /// Absent where nothing was measured, and in files of other programs and of versions without it.
  std::optional<Timeline> timeline;
  std::vector<Metric> metrics;  ///< each name once; may be empty unless ok
  /// Every check the benchmark made; empty if it did not get that far. An ok result without a verification is
  /// judged as failed, unless it has the note `not_verified`.
  std::vector<Verification> verifications;

  bool operator==(const BenchmarkResult&) const = default;  ///< member by member, numbers exactly
};

/// A sample file.
struct Samples {
  std::string family;                       ///< ids of its benchmarks begin with it and a slash
  Status status = Status::ok;               ///< unavailable: no benchmark could run, reason says why
  std::string reason;                       ///< one sentence unless ok
  std::string suite_version;                ///< GPUGauge's version
  std::string source_hash;                  ///< SHA-256 over the family's sources
  std::uint64_t seed = 0;                   ///< of the order of benchmarks and of the input data
  Facts context;                            ///< what the process found: gpu.*, cuda.*, host.*, settings
  std::vector<BenchmarkResult> benchmarks;  ///< in measuring order; each id once

  bool operator==(const Samples&) const = default;  ///< member by member, numbers exactly
};

/// "gemm/bf16/mma_sync/4096x4096x4096:throughput": names a metric in reports, policies and baselines.
std::string metric_key(const std::string& benchmark_id, const std::string& metric_name);

/// Reads a sample file. Throws FormatError naming file, place and what is wrong; unknown keys are refused.
Samples read_samples(const std::filesystem::path& file);
/// As read_samples, from text; `origin` names it in error sentences.
Samples parse_samples(const std::string& text, const std::string& origin);

/// JSON text of a sample file. Throws std::invalid_argument when a value is not finite or breaks a rule
/// above.
std::string to_json(const Samples& samples);

}  // namespace gpugauge::result

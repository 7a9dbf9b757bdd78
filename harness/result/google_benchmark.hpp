// Reads Google Benchmark's own JSON (--benchmark_out), of any project, as a run of one process.
#pragma once

#include <filesystem>
#include <string>

#include "result/run_file.hpp"

namespace gpugauge::result {

/// The profile of a run read from such a file.
inline constexpr std::string_view google_benchmark_profile = "google-benchmark";

/// True when the text looks like Google Benchmark's output (an object with `context` and `benchmarks`).
bool is_google_benchmark(const std::string& text);

/// Reads one run. Each benchmark, named by its run_name, gets the metric `real_time`: the median over its
/// repetitions, lower is better. Every repetition is kept as a batch. A file with aggregates only gives their
/// median, else their mean. Counters are left out, because the file does not say which direction is better;
/// `remarks` counts them.
/// The bare words NaN and Infinity, which it writes although JSON has no such words, are read as null. A
/// benchmark with an impossible time (0, negative, not finite) becomes a failed entry; the others are read. A
/// name that two benchmarks of the file share (family_index differs) becomes a skipped entry. A time needs
/// its time_unit.
/// The id is made from the file's text, so the same file given twice is noticed. Each file counts as a boot
/// of its own, since the format names none. Throws FormatError naming file, place and fault.
Run parse_google_benchmark(const std::string& text, const std::string& origin);

/// Reads a run file or Google Benchmark's JSON, whichever it is. Throws like read_run.
Run read_any_run(const std::filesystem::path& file);

}  // namespace gpugauge::result

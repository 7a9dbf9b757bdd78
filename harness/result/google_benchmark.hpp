// Google Benchmark's own JSON (--benchmark_out), of any project: read as a run of one process.
#pragma once

#include <filesystem>
#include <string>

#include "result/run_file.hpp"

namespace gpugauge::result {

/// The profile of a run that came from such a file.
inline constexpr std::string_view google_benchmark_profile = "google-benchmark";

/// True when the text looks like Google Benchmark's output (an object with `context` and `benchmarks`).
bool is_google_benchmark(const std::string& text);

/// One run: each benchmark by its run_name with the metric `real_time` (median over its repetitions, lower is
/// better), every repetition kept as a batch. Where a file holds aggregates only, their median, else their
/// mean. Counters are left out, since the file does not say which way they are better; `remarks` counts them.
/// The bare words NaN and Infinity, which it writes and JSON does not have, read as null; a benchmark with a
/// time that cannot be one (0, negative, not finite) is a failed entry, and the others are read. So is one
/// whose name two benchmarks of the file share, where it tells them apart (family_index). A time needs its
/// time_unit. The file's text gives the id, so that the same file given twice is noticed; each file is a boot
/// of its own, since the format names none. Throws FormatError naming file, place and fault.
Run parse_google_benchmark(const std::string& text, const std::string& origin);

/// A run file or Google Benchmark's JSON, whichever it is. Throws like read_run.
Run read_any_run(const std::filesystem::path& file);

}  // namespace gpugauge::result

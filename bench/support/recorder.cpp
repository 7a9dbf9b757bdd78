#include "support/recorder.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace gpugauge::bench {

using result::BenchmarkResult;
using result::ended_early;
using result::Status;

Recorder::Recorder(result::Samples known, std::optional<std::filesystem::path> file)
    : samples_(std::move(known)), file_(std::move(file)) {
  std::error_code error;
  const auto there = file_ ? std::filesystem::symlink_status(*file_, error) : std::filesystem::file_status();
  // A pipe or a device is written once, at the end, if at all.
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) file_.reset();
}

void Recorder::begin(const std::string& id, const result::Facts& parameters) {
  if (entered_.count(id) != 0) return;
  BenchmarkResult current;
  current.id = id;
  current.parameters = parameters;
  current.status = Status::interrupted;
  current.reason = "the process ended while this was measured";
  write(std::move(current), Status::failed, ended_early);
}

void Recorder::keep(BenchmarkResult measured, const std::string& reason) {
  if (entered_.count(measured.id) != 0) return;
  const bool interrupted = measured.status == Status::interrupted;
  const std::string why = interrupted ? measured.reason : reason;
  write(std::move(measured), interrupted ? Status::interrupted : Status::failed, why);
}

void Recorder::write(std::optional<BenchmarkResult> current, Status status, const std::string& reason) {
  if (!file_) return;
  const std::string blamed = current ? current->id : "";
  result::Samples partial = samples_;
  if (current) partial.benchmarks.push_back(std::move(*current));
  partial.status = status;
  partial.reason = reason;
  std::filesystem::path fresh = *file_;
  fresh += ".part";
  std::ofstream out(fresh, std::ios::trunc);
  out << result::to_json(partial);
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(fresh, *file_, error);
  if (out && !error) {
    blamed_ = blamed;
    return;
  }
  std::filesystem::remove(fresh, error);
  if (blamed_.empty() || blamed_ == blamed) return;
  std::filesystem::remove(*file_, error);
  blamed_.clear();
}

void Recorder::add(BenchmarkResult fresh) {
  const int repetitions = ++entered_[fresh.id];
  if (repetitions > 1) fresh.notes["repetitions"] = fmt::format("{}, the last one kept", repetitions);
  const auto same = [&](const BenchmarkResult& earlier) { return earlier.id == fresh.id; };
  const auto found = std::find_if(samples_.benchmarks.begin(), samples_.benchmarks.end(), same);
  if (found == samples_.benchmarks.end())
    samples_.benchmarks.push_back(std::move(fresh));
  else
    *found = std::move(fresh);
  write(std::nullopt, Status::failed, ended_early);
}

result::Samples Recorder::take() {
  return std::move(samples_);
}

}  // namespace gpugauge::bench

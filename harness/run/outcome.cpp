#include "run/outcome.hpp"

#include <algorithm>
#include <exception>
#include <system_error>

#include <fmt/core.h>

#include "result/counted.hpp"
#include "result/file.hpp"

namespace gpugauge::run {
namespace {

using result::Status;

/// Reads the sample file into `process`; returns what is wrong with it as the end of a sentence, "" when it
/// is good.
std::string read_samples_of(result::Process& process, const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::symlink_status(file, error).type() == std::filesystem::file_type::not_found)
    return "left no sample file";
  try {
    auto samples = result::parse_samples(result::read_file(file), file.filename().string());
    if (samples.family != process.family)
      return fmt::format("left samples of the family '{}': the executable has the wrong name",
                         samples.family);
    process.samples = std::move(samples);
    return {};
  } catch (const std::exception& fault) {
    return fmt::format("left a sample file that cannot be read: {}", fault.what());
  }
}

/// ": 2 of 9 benchmarks failed (first gemm/...: wrong result)", "" when none did.
std::string failed_benchmarks(const result::Samples& samples) {
  const auto failed = [](const auto& benchmark) { return benchmark.status == Status::failed; };
  const auto& all = samples.benchmarks;
  const auto first = std::find_if(all.begin(), all.end(), failed);
  if (first == all.end()) return {};
  return fmt::format(": {} of {} benchmarks failed (first {}: {})", std::count_if(first, all.end(), failed),
                     all.size(), first->id, first->reason);
}

/// The loader's and the driver's last words say more than an exit code. A row of the family's own table does
/// not.
std::string said(const std::string& output, const std::string& family) {
  const auto line = last_line(output);
  const bool of_the_table = line.starts_with(family + "/") || line.starts_with("***WARNING***");
  return line.empty() || of_the_table ? "" : "; it said: " + line;
}

/// The benchmark that was measured when the process ended, where that was before its end: only then is a
/// failed file's benchmark interrupted. Of a file that the process wrote when its limit told it to end it is
/// the first that is.
result::BenchmarkResult* cut_short(std::optional<result::Samples>& samples, bool timed_out) {
  if (!samples) return nullptr;
  if (samples->status != Status::failed && !(timed_out && samples->status == Status::interrupted))
    return nullptr;
  const auto found = std::find_if(samples->benchmarks.begin(), samples->benchmarks.end(),
                                  [](const auto& one) { return one.status == Status::interrupted; });
  return found == samples->benchmarks.end() ? nullptr : &*found;
}

std::string sentence(const std::string& text) {
  return text.ends_with('.') ? text : text + ".";
}

}  // namespace

std::vector<std::string> conclude_process(result::Process& process, const ChildEnd& end,
                                          const std::string& executable,
                                          const std::filesystem::path& samples_file,
                                          const std::string& stopped_by) {
  process.exit_code = end.exit_code;
  process.signal = end.signal;
  process.output = end.output;
  const auto file_fault = end.started ? read_samples_of(process, samples_file) : "";
  const auto* samples = process.samples ? &*process.samples : nullptr;

  if (end.stopped && !end.timed_out && !stopped_by.empty()) {
    process.status = Status::interrupted;
    process.reason = fmt::format("{} stopped the run.", stopped_by);
  } else if (auto* const current = cut_short(process.samples, end.timed_out)) {
    const std::string fault = end.fault.empty() ? "ended before everything was measured" : end.fault;
    current->status = Status::failed;
    current->reason = fmt::format("its process {} while this was measured", fault);
    process.status = Status::failed;
    process.reason = sentence(fmt::format("{} {} while {} was measured{}", executable, fault, current->id,
                                          said(end.output, process.family)));
    process.samples->status = Status::failed;
    process.samples->reason = process.reason;
    for (auto& later : process.samples->benchmarks)
      if (later.status == Status::interrupted)
        later.reason = fmt::format("its process {} before this was measured", fault);
  } else if (samples != nullptr && end.exit_code && samples->status != Status::ok &&
             !(end.timed_out && samples->status == Status::interrupted)) {
    process.status = samples->status;
    process.reason = samples->reason;
    if (samples->status == Status::interrupted && !end.stopped && stopped_by.empty())
      process.reason = sentence(fmt::format("{} was told from elsewhere to end, not by this command: {}",
                                            executable, samples->reason));
  } else if (!end.fault.empty()) {
    process.status = Status::failed;
    const auto more = samples == nullptr ? said(end.output, process.family)
                      : samples->status == Status::failed && !samples->reason.empty()
                          ? ": " + samples->reason + said(end.output, process.family)
                          : failed_benchmarks(*samples);
    process.reason = sentence(executable + " " + end.fault + more);
  } else if (samples == nullptr) {
    process.status = Status::failed;
    process.reason = sentence(executable + " " + file_fault);
  }

  std::vector<std::string> remarks;
  const auto name = fmt::format("{}, process {}", process.family, process.index);
  if (end.left_behind > 0 && !end.timed_out && !end.stopped)
    remarks.push_back(fmt::format("{}: left {} running when it ended; {} ended.", name,
                                  result::counted(end.left_behind, "process", "processes"),
                                  end.left_behind == 1 ? "it was" : "they were"));
  if (end.unkillable > 0)
    remarks.push_back(
        fmt::format("{}: {} did not end even after SIGKILL and may disturb what was measured after it.", name,
                    result::counted(end.unkillable, "process", "processes")));
  return remarks;
}

std::vector<std::string> add_suite_facts(result::Facts& suite,
                                         const std::vector<result::Process>& processes) {
  std::vector<std::string> remarks;
  const auto add = [&](const std::string& name, const std::string& value) {
    const auto [fact, added] = suite.try_emplace(name, value);
    const auto remark = fmt::format(
        "{} changed during the run, from {}: another build was installed meanwhile; "
        "measure again.",
        name, fact->second);
    if (!added && fact->second != value && std::find(remarks.begin(), remarks.end(), remark) == remarks.end())
      remarks.push_back(remark);
  };
  for (const auto& process : processes) {
    if (!process.samples) continue;
    add("suite.version", process.samples->suite_version);
    add("suite.source_hash." + process.family, process.samples->source_hash);
  }
  return remarks;
}

}  // namespace gpugauge::run

// Derives a process's status and reason from its end and its sample file.
#include "run/outcome.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "result/counted.hpp"
#include "result/device_kind.hpp"
#include "result/facts.hpp"
#include "result/family_exit.hpp"
#include "result/file.hpp"
#include "result/text.hpp"

namespace gpugauge::run {
namespace {

using result::Status;

/// Reads the sample file into `process`. Returns its fault as the end of a sentence, "" if it is good.
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

/// ": 2 of 9 benchmarks failed (first gemm/...: wrong result)"; "" if none failed.
std::string failed_benchmarks(const result::Samples& samples) {
  const auto failed = [](const auto& benchmark) { return benchmark.status == Status::failed; };
  const auto& all = samples.benchmarks;
  const auto first = std::find_if(all.begin(), all.end(), failed);
  if (first == all.end()) return {};
  return fmt::format(": {} of {} benchmarks failed (first {}: {})", std::count_if(first, all.end(), failed),
                     all.size(), first->id, first->reason);
}

/// The last line of output, unless it is a row of the family's own table. The last words of the loader or
/// driver say more than an exit code.
std::string said(const std::string& output, const std::string& family) {
  const auto line = last_line(output);
  const bool of_the_table = line.starts_with(family + "/") || line.starts_with("***WARNING***");
  return line.empty() || of_the_table ? "" : "; it said: " + line;
}

/// The benchmark that was being measured when the process ended: the first interrupted one. nullptr unless
/// the sample file says failed, or says interrupted after the time limit. Only an early end leaves an
/// interrupted benchmark in a failed file.
result::BenchmarkResult* cut_short(std::optional<result::Samples>& samples, bool timed_out) {
  if (!samples) return nullptr;
  if (samples->status != Status::failed && !(timed_out && samples->status == Status::interrupted))
    return nullptr;
  const auto found = std::find_if(samples->benchmarks.begin(), samples->benchmarks.end(),
                                  [](const auto& one) { return one.status == Status::interrupted; });
  return found == samples->benchmarks.end() ? nullptr : &*found;
}

/// Says, as the end of a sentence, that the process measured other GPUs than it was given. "" if they match
/// or the process does not say. CUDA ignores everything after an unknown name in CUDA_VISIBLE_DEVICES, so a
/// lost GPU shortens the list without a message. Instances of a GPU are not compared, because they have
/// several names.
std::string other_gpus(const result::Samples& samples, const std::string& visible) {
  if (result::is_host(visible) || samples.status == Status::unavailable) return {};
  const std::vector<std::string> wanted = result::split(visible, ',');  // Plan::device
  const std::string count = result::fact(samples.context, "gpu.visible_count");
  if (!count.empty() && count != std::to_string(wanted.size()))
    return fmt::format(
        "saw {} where {} {} to be measured: CUDA passes over all that is listed behind one that it "
        "cannot use, and `nvidia-smi` shows whether one is lost",
        count == "1" ? "1 GPU" : fmt::format("{} GPUs", count), wanted.size(),
        wanted.size() == 1 ? "was" : "were");
  const std::string uuid = result::fact(samples.context, "gpu.uuid");
  const bool whole = std::all_of(wanted.begin(), wanted.end(),
                                 [](const std::string& name) { return name.starts_with("GPU-"); });
  if (uuid.empty() || !whole || std::find(wanted.begin(), wanted.end(), uuid) != wanted.end()) return {};
  return fmt::format(
      "measured {} where {} was to be measured: something between this command and the driver "
      "shows it other GPUs (a wrapper of its executable, a preloaded library)",
      uuid, visible);
}

/// ": no result of x/y and 2 more of the 9 benchmarks that it was to measure"; "" if none is missing.
std::string lacking(const result::Samples& samples, const std::vector<std::string>& asked) {
  std::vector<std::string> out;
  for (const std::string& id : asked)
    if (std::none_of(samples.benchmarks.begin(), samples.benchmarks.end(),
                     [&](const auto& one) { return one.id == id; }))
      out.push_back(id);
  if (out.empty()) return {};
  return fmt::format("left no result of {}{} of the {} that it was to measure", out.front(),
                     out.size() > 1 ? fmt::format(" and {} more", out.size() - 1) : "",
                     result::counted(asked.size(), "benchmark"));
}

std::string sentence(const std::string& text) {
  return text.ends_with('.') ? text : text + ".";
}

/// Sets status and reason of a process, one function for each way to end.
class Conclusion {
 public:
  Conclusion(result::Process& process, const ChildEnd& end, const std::string& executable)
      : process_(process), end_(end), executable_(executable) {}

  void interrupted(const std::string& reason) { set(Status::interrupted, sentence(reason)); }
  /// `fault` follows the executable's name.
  void failed(const std::string& fault) {
    set(Status::failed, sentence(fmt::format("{} {}", executable_, fault)));
  }
  void not_kept() {
    interrupted(
        fmt::format("{} could not keep what it measured{}", executable_, said(end_.output, process_.family)));
    process_.samples.reset();  // an earlier file of the same process, which lacks what came after it
  }
  /// It ended while `current` was measured.
  void failed_in(result::BenchmarkResult& current) {
    const std::string fault = end_.fault.empty() ? "ended before everything was measured" : end_.fault;
    current.status = Status::failed;
    current.reason = fmt::format("its process {} while this was measured", fault);
    failed(fmt::format("{} while {} was measured{}", fault, current.id, said(end_.output, process_.family)));
    process_.samples->status = Status::failed;
    process_.samples->reason = process_.reason;
    for (auto& later : process_.samples->benchmarks)
      if (later.status == Status::interrupted)
        later.reason = fmt::format("its process {} before this was measured", fault);
  }
  /// As its sample file says.
  void as_told(bool stopped_here) {
    set(process_.samples->status, process_.samples->reason);
    if (process_.status == Status::interrupted && !stopped_here)
      interrupted(fmt::format("{} was told from elsewhere to end, not by this command: {}", executable_,
                              process_.samples->reason));
  }
  void failed_by_its_end() {
    const auto& samples = process_.samples;
    if (end_.exit_code == result::exit_family_failed) {
      failed("was ended by an error outside its benchmarks" + said(end_.output, process_.family));
      return;
    }
    const bool benchmarks_told = samples && (samples->status != Status::failed || samples->reason.empty());
    const std::string told = samples && !benchmarks_told ? ": " + samples->reason : "";
    failed(end_.fault +
           (benchmarks_told ? failed_benchmarks(*samples) : told + said(end_.output, process_.family)));
  }

 private:
  void set(Status status, std::string reason) {
    process_.status = status;
    process_.reason = std::move(reason);
  }

  result::Process& process_;
  const ChildEnd& end_;
  const std::string& executable_;
};

/// Sentences on the processes that a child left behind.
std::vector<std::string> remarks_of(const result::Process& process, const ChildEnd& end) {
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

}  // namespace

std::vector<std::string> conclude_process(result::Process& process, const ChildEnd& end,
                                          const std::string& executable,
                                          const std::filesystem::path& samples_file,
                                          const std::string& stopped_by, const Asked& asked) {
  process.exit_code = end.exit_code;
  process.signal = end.signal;
  process.output = end.output;
  const auto file_fault = end.started ? read_samples_of(process, samples_file) : "";
  Conclusion conclusion(process, end, executable);
  auto* const current = cut_short(process.samples, end.timed_out);
  const auto told_its_end = [&] {
    // One that a library ended between two benchmarks told nothing.
    return process.samples && end.exit_code && process.samples->status != Status::ok &&
           process.samples->reason != result::ended_early &&
           !(end.timed_out && process.samples->status == Status::interrupted);
  };

  if (end.stopped && !end.timed_out && !stopped_by.empty())
    conclusion.interrupted(fmt::format("{} stopped the run", stopped_by));
  else if (end.exit_code == result::exit_samples_not_kept &&
           (!process.samples || process.samples->status == Status::failed))
    conclusion.not_kept();
  else if (current != nullptr)
    conclusion.failed_in(*current);
  else if (told_its_end())
    conclusion.as_told(end.stopped || !stopped_by.empty());
  else if (!end.fault.empty())
    conclusion.failed_by_its_end();
  else if (!process.samples)
    conclusion.failed(file_fault);
  else if (const std::string lack = lacking(*process.samples, asked.benchmarks); !lack.empty())
    conclusion.failed(lack);
  if (const std::string other = process.samples ? other_gpus(*process.samples, asked.visible) : "";
      !other.empty()) {
    conclusion.failed(other);
    process.samples.reset();
  }
  return remarks_of(process, end);
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

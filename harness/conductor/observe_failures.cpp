#include "conductor/observe_failures.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "judge/collect.hpp"
#include "result/cuda_error.hpp"
#include "result/facts.hpp"
#include "result/gpu_health.hpp"
#include "result/gpu_series.hpp"
#include "result/metric_key.hpp"
#include "result/number.hpp"
#include "result/profiles.hpp"
#include "result/xid.hpp"

namespace gpugauge::conductor {
namespace {

using diagnose::ErrorSeen;
using diagnose::Observation;
using judge::Verdict;
using judge::VerdictKind;
using result::Status;

/// "cudaErrorIllegalAddress (700)" in a text.
struct NamedCode {
  std::string name;
  int number = 0;
};

/// Interfaces by the beginning of their errors' names. An interface without a word of its own has "".
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> interfaces{{{"cudaError", "cuda"},
                                                                                   {"CUDA_ERROR_", "driver"},
                                                                                   {"CUDNN_STATUS_", "cudnn"},
                                                                                   {"NVML_ERROR_", "nvml"},
                                                                                   {"nccl", "nccl"},
                                                                                   {"CUBLAS_STATUS_", ""},
                                                                                   {"CUFFT_", ""}}};

const std::string_view* interface_of(std::string_view name) {
  for (const auto& [start, api] : interfaces)
    if (name.starts_with(start)) return &api;
  return nullptr;
}

/// The first name of an error that is followed by its number in brackets.
std::optional<NamedCode> code_in(const std::string& text) {
  constexpr std::string_view between = " (";
  for (std::size_t at = text.find(between); at != std::string::npos; at = text.find(between, at + 1)) {
    const std::size_t digits = at + between.size();
    const std::size_t end = text.find(')', digits);
    if (end == std::string::npos) return std::nullopt;
    const auto number = result::number_in<int>(text.substr(digits, end - digits));
    std::size_t begin = at;
    while (begin > 0 &&
           (std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0 || text[begin - 1] == '_'))
      --begin;
    const std::string name = text.substr(begin, at - begin);
    if (number && interface_of(name) != nullptr) return NamedCode{name, *number};
  }
  return std::nullopt;
}

/// The text without what the suite itself explains of a CUDA error.
std::string without_explanation(std::string text, int number) {
  const auto known = result::explain_cuda_error(number);
  if (!known) return text;
  for (const std::string& said :
       {fmt::format(": {} {}", known->meaning, known->next), fmt::format(": {}", known->meaning)})
    if (const std::size_t at = text.find(said); at != std::string::npos) return text.erase(at, said.size());
  return text;
}

bool is_of_loader(const std::string& text) {
  return text.find("cannot open shared object file") != std::string::npos ||
         text.find("error while loading shared libraries") != std::string::npos;
}

/// What was seen, as the first clause of a judge's reason; advice and explanations follow behind it.
std::string first_clause(const std::string& reason) {
  return reason.substr(0, std::min(reason.find("; "), reason.find(": ")));
}

/// Collects errors, each once.
class Errors {
 public:
  explicit Errors(Observation& out) : out_(out) {}

  /// `what` names the benchmark; "" for a process, whose reason names it.
  void add(const std::string& what, const std::string& reason, bool framework) {
    ErrorSeen error = framework ? ErrorSeen{"framework", {}, reason} : error_in(reason);
    const std::string key = error.code.is_null() ? error.text : error.api + " " + error.code.text();
    if (!told_.insert(key).second) return;
    if (!what.empty() && !framework) error.text = fmt::format("{}: {}", what, error.text);
    out_.errors.push_back(std::move(error));
  }
  void add(ErrorSeen error) { out_.errors.push_back(std::move(error)); }

 private:
  Observation& out_;
  std::set<std::string> told_;
};

/// Names by the judges' verdicts.
struct Judged {
  std::set<std::string> advisory;  ///< what a policy does not count
  std::set<std::string> failed;    ///< what the physical judge failed
  std::set<std::string> missing;   ///< families of which a comparison misses something
};

Judged judged(const std::vector<Verdict>& verdicts) {
  Judged out;
  for (const Verdict& verdict : verdicts) {
    if (verdict.advisory) out.advisory.insert(verdict.metric);
    if (verdict.judge == judge::Judge::physical && verdict.kind == VerdictKind::failed)
      out.failed.insert(verdict.metric);
    if (verdict.judge == judge::Judge::baseline && verdict.kind == VerdictKind::missing && !verdict.advisory)
      out.missing.insert(result::family_of(verdict.metric));
  }
  return out;
}

/// Not even beginning is a failure where it worked before, and where ranks refuse to begin together. A GPU
/// that is only in use is none.
bool did_not_begin(const result::Process& process, const Judged& judged) {
  if (process.status != Status::unavailable || judge::occupied(process)) return false;
  const bool of_ranks = process.samples && !result::fact(process.samples->context, "ranks.size").empty();
  return of_ranks || judged.failed.contains(process.family) || judged.missing.contains(process.family);
}

/// Adds why processes and benchmarks of a run failed. Returns the names of these families and benchmarks.
std::set<std::string> add_processes(const result::Run& run, const Judged& judged, Errors& errors,
                                    std::vector<std::string>& log) {
  const bool framework = run.profile == result::frameworks_profile;
  std::set<std::string> told;
  for (const result::Process& process : run.processes) {
    bool by_benchmark = false;
    if (process.samples)
      for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) {
        if (benchmark.status != Status::failed) continue;
        by_benchmark = true;
        told.insert(benchmark.id);
        if (!judged.advisory.contains(benchmark.id)) errors.add(benchmark.id, benchmark.reason, framework);
      }
    const bool died = process.status == Status::failed || (framework && !process.samples);
    if (!died && !did_not_begin(process, judged)) continue;
    told.insert(process.family);
    if (judged.advisory.contains(process.family)) continue;
    if (!process.samples) add_output(process, framework, log);
    if (!by_benchmark) errors.add("", process.reason, framework);
  }
  return told;
}

/// The error of a failed verdict that is no figure. NVML's own answer stands behind a lost GPU.
ErrorSeen error_of(const Verdict& verdict) {
  constexpr double gpu_is_lost = 15;  // NVML_ERROR_GPU_IS_LOST
  const std::string text = fmt::format("{}: {}", verdict.metric, first_clause(verdict.reason));
  if (verdict.metric == "gpu/lost") return {"nvml", gpu_is_lost, text};
  return {"", {}, text};
}

/// Adds a line for each Xid that NVML reported.
void add_xids(const std::vector<result::Run>& runs, Observation& out) {
  std::map<std::pair<std::string, int>, int> counts;
  for (const result::Run& run : runs)
    for (const std::string& uuid : result::measured_gpus(run))
      for (const double value : result::values_of_gpu(run, uuid, result::xid_series)) {
        constexpr double most = 1e6;
        if (value > 0 && value < most) ++counts[{uuid, static_cast<int>(value)}];
      }
  for (const auto& [xid, count] : counts) {
    const result::XidMeaning* const meaning = result::xid_meaning(xid.second);
    const bool of_program = meaning != nullptr && meaning->blame == result::XidBlame::program;
    if (of_program && out.errors.empty()) continue;
    out.log.push_back(fmt::format("Xid {} of {}{}, while it was measured", xid.second, xid.first,
                                  count > 1 ? fmt::format(", {} times", count) : ""));
  }
}

}  // namespace

ErrorSeen error_in(const std::string& reason) {
  const auto code = code_in(reason);
  if (!code) return {is_of_loader(reason) ? "loader" : "", {}, reason};
  const std::string api(*interface_of(code->name));
  if (api != "cuda" && api != "driver") return {api, code->name, reason};
  return {api, static_cast<double>(code->number), without_explanation(reason, code->number)};
}

void add_output(const result::Process& process, bool framework, std::vector<std::string>& log) {
  std::istringstream lines(process.output);
  for (std::string line; std::getline(lines, line);) {
    const bool of_table = line.starts_with(process.family + "/") || line.starts_with("***WARNING***");
    if (line.find_first_not_of(" \t\r") != std::string::npos && (framework || !of_table)) log.push_back(line);
  }
}

void add_failures(const report::DeviceReport& device, Observation& out) {
  const Judged names = judged(device.verdicts);
  Errors errors(out);
  std::set<std::string> told;
  for (const result::Run& run : device.rounds) told.merge(add_processes(run, names, errors, out.log));
  for (const Verdict& verdict : device.verdicts) {
    const bool failed = verdict.judge == judge::Judge::physical && verdict.kind == VerdictKind::failed;
    if (!failed || verdict.advisory || !verdict.metric_class.empty()) continue;
    // A line of the log tells of an Xid.
    if (told.contains(verdict.metric) || verdict.metric.starts_with("health/xid")) continue;
    errors.add(error_of(verdict));
  }
  add_xids(device.rounds, out);
}

}  // namespace gpugauge::conductor

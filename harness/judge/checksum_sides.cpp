#include "judge/checksum_sides.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/collect.hpp"
#include "result/facts.hpp"

namespace gpugauge::judge {
namespace {

/// The conditions under which two checksums are comparable. Another toolkit may compile another order of
/// roundings.
struct Operation {
  std::string benchmark, source_hash, gpu, capability, toolkit;
  bool operator<(const Operation& other) const {
    return std::tie(benchmark, source_hash, gpu, capability, toolkit) <
           std::tie(other.benchmark, other.source_hash, other.gpu, other.capability, other.toolkit);
  }
};

/// Checksum -> number of processes with it.
using Sums = std::map<std::string, int>;

/// The CUDA versions that the run's programs were built with or ran on.
std::string toolkit_of(const result::Run& run) {
  std::string out;
  for (const auto& [name, value] : run.fingerprint.stack)
    if (name.starts_with("cuda.")) out += fmt::format("{}={};", name, value);
  return out;
}

void add_sums(const result::Run& run, std::map<Operation, Sums>& out) {
  for (const result::Process& process : run.processes) {
    if (!process.samples) continue;
    const result::Facts& context = process.samples->context;
    for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) {
      const auto note = benchmark.notes.find("checksum");
      if (note == benchmark.notes.end() || !sound(benchmark)) continue;
      ++out[{benchmark.id, process.samples->source_hash, result::fact(context, "gpu.name"),
             result::fact(context, "gpu.compute_capability"), toolkit_of(run)}][note->second];
    }
  }
}

std::map<Operation, Sums> sums_of(const std::vector<result::Run>& rounds) {
  std::map<Operation, Sums> out;
  for (const result::Run& run : rounds) add_sums(run, out);
  return out;
}

/// The checksum of most processes; of equally frequent ones the first in digit order.
const Sums::value_type& most(const Sums& sums) {
  return *std::max_element(sums.begin(), sums.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
}

Verdict corrupted(const std::string& benchmark, Judge judge, int rounds, std::string reason) {
  Verdict verdict;
  verdict.kind = VerdictKind::failed;
  verdict.judge = judge;
  verdict.metric = benchmark + ":checksum";
  verdict.metric_class = "integrity";
  verdict.rounds = rounds;
  verdict.reason = std::move(reason);
  return verdict;
}

}  // namespace

std::vector<Verdict> judge_checksums_against(const std::vector<result::Run>& now,
                                             const std::vector<result::Run>& then) {
  std::vector<Verdict> out;
  const std::map<Operation, Sums> before = sums_of(then);
  for (const auto& [operation, sums] : sums_of(now)) {
    const auto found = before.find(operation);
    if (found == before.end() || most(found->second).first == most(sums).first) continue;
    out.push_back(corrupted(
        operation.benchmark, Judge::baseline, static_cast<int>(now.size()),
        fmt::format("checksum {} now, {} before, of the same work on the same model of GPU: one of the "
                    "two computed wrongly",
                    most(sums).first, most(found->second).first)));
  }
  return out;
}

std::vector<Verdict> judge_checksums_between(const std::vector<ChecksumSide>& devices) {
  std::map<Operation, std::map<std::string, std::vector<std::string>>> labels;  // checksum -> devices
  for (const ChecksumSide& device : devices)
    for (const auto& [operation, sums] : sums_of(device.rounds))
      labels[operation][most(sums).first].push_back(device.label);
  std::vector<Verdict> out;
  for (const auto& [operation, by_sum] : labels) {
    if (by_sum.size() < 2) continue;
    std::size_t largest = 0;
    std::size_t all = 0;
    for (const auto& [sum, having] : by_sum) {
      largest = std::max(largest, having.size());
      all += having.size();
    }
    std::vector<std::string> odd;
    for (const auto& [sum, having] : by_sum)
      if (2 * largest <= all || having.size() < largest)
        for (const std::string& label : having) odd.push_back(fmt::format("{} ({})", label, sum));
    out.push_back(
        corrupted(operation.benchmark, Judge::physical, 1,
                  fmt::format("{} GPUs of one model computed the same work and {}: {}", all,
                              2 * largest <= all ? "do not agree on the checksum" : "most agree but for",
                              fmt::join(odd, ", "))));
  }
  return out;
}

}  // namespace gpugauge::judge

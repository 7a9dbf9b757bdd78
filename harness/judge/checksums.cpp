// Compares checksums within a run and between the GPUs of one kind.
#include "judge/checksums.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/collect.hpp"

namespace gpugauge::judge {
namespace {

constexpr std::string_view integrity_family = "integrity/";
constexpr std::size_t fewest_for_a_majority = 3;

Verdict checksum_verdict(const std::string& benchmark, VerdictKind kind, int runs, std::string reason) {
  Verdict out;
  out.kind = kind;
  out.judge = Judge::peers;
  out.metric = benchmark + ":checksum";
  out.metric_class = "integrity";
  out.rounds = runs;
  out.reason = std::move(reason);
  return out;
}

/// All checksums that one GPU's runs noted for a benchmark.
std::set<std::string> noted_by(const RunChecksums& runs, const std::string& benchmark) {
  std::set<std::string> out;
  for (const Checksums* run : runs)
    if (const auto found = run->find(benchmark); found != run->end())
      out.insert(found->second.begin(), found->second.end());
  return out;
}

int runs_with(const RunChecksums& runs, const std::string& benchmark) {
  return static_cast<int>(std::count_if(runs.begin(), runs.end(),
                                        [&](const Checksums* run) { return run->contains(benchmark); }));
}

std::string disagreeing(const std::set<std::string>& values, const char* who) {
  return fmt::format(
      "{} disagree: {}; the same operation on the same input must be the same bit for bit, so that it "
      "computes "
      "or stores wrongly now and then: silent corruption",
      who, fmt::join(values, ", "));
}

/// One benchmark on all GPUs of a kind.
class ChecksumVote {
 public:
  ChecksumVote(const std::string& benchmark, const std::vector<RunChecksums>& gpus, ChecksumComparison& out)
      : benchmark_(benchmark), gpus_(gpus), out_(out) {
    for (const RunChecksums& gpu : gpus) values_.push_back(noted_by(gpu, benchmark));
  }

  void count() {
    std::map<std::string, std::size_t> votes;
    std::size_t voters = 0;
    std::size_t holders = 0;
    for (const std::set<std::string>& own : values_) {
      holders += own.empty() ? 0 : 1;
      if (own.size() != 1) continue;
      ++votes[*own.begin()];
      ++voters;
    }
    if (holders >= 2) ++out_.benchmarks;
    const auto most = std::max_element(votes.begin(), votes.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (voters >= fewest_for_a_majority && 2 * most->second > voters) majority_ = most->first;
    if (holders >= 2 && votes.size() == 1 && voters == holders) ++out_.agreeing;
    if (votes.size() > 1 && !majority_) say_split(votes, voters);
    for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) judge(gpu, votes, voters);
  }

 private:
  void say_split(const std::map<std::string, std::size_t>& votes, std::size_t voters) {
    constexpr std::size_t shown = 4;
    std::vector<std::string> parts;
    for (const auto& [value, count] : votes)
      if (parts.size() < shown) parts.push_back(fmt::format("{} on {}", value, count));
    out_.remarks.push_back(fmt::format(
        "{}: {} GPUs of one kind have {} different checksums and none has a majority ({}{}): at least one of "
        "them computes wrongly, and it cannot be told which.",
        benchmark_, voters, votes.size(), fmt::join(parts, ", "), votes.size() > shown ? ", ..." : ""));
  }

  void judge(std::size_t gpu, const std::map<std::string, std::size_t>& votes, std::size_t voters) {
    const std::set<std::string>& own = values_[gpu];
    const int runs = runs_with(gpus_[gpu], benchmark_);
    const auto add = [&](VerdictKind kind, std::string reason) {
      out_.verdicts[gpu].push_back(checksum_verdict(benchmark_, kind, runs, std::move(reason)));
      if (kind == VerdictKind::inconclusive && runs == 1) out_.again[gpu] = true;
    };
    if (own.size() > 1)
      return add(VerdictKind::failed, disagreeing(own, runs == 1 ? "the checksums of its processes"
                                                                 : "the checksums of its runs"));
    if (own.empty() || votes.size() < 2) return;
    if (!majority_)
      return add(VerdictKind::inconclusive,
                 fmt::format("the checksum is {}, as on {} of {} GPUs of its kind, and no checksum has a "
                             "majority: one of them computes wrongly, and it cannot be told which",
                             *own.begin(), votes.at(*own.begin()), voters));
    if (*own.begin() == *majority_) return;
    const std::string seen = fmt::format("the checksum is {}, and {} on {} of {} GPUs of its kind",
                                         *own.begin(), *majority_, votes.at(*majority_), voters);
    if (runs == 1)
      return add(VerdictKind::inconclusive,
                 seen + ": silent corruption, unless the file is not what it says; a further run decides");
    add(VerdictKind::failed, fmt::format("{}, in each of {} runs: silent corruption", seen, runs));
  }

  const std::string& benchmark_;
  const std::vector<RunChecksums>& gpus_;
  ChecksumComparison& out_;
  std::vector<std::set<std::string>> values_;  ///< by GPU
  std::optional<std::string> majority_;
};

}  // namespace

Checksums checksums_of(const result::Run& run) {
  Checksums out;
  for (const result::Process& process : run.processes) {
    if (!process.samples) continue;
    for (const result::BenchmarkResult& benchmark : process.samples->benchmarks) {
      if (!benchmark.id.starts_with(integrity_family) || !sound(benchmark)) continue;
      const auto note = benchmark.notes.find("checksum");
      if (note == benchmark.notes.end()) continue;
      std::vector<std::string>& values = out[benchmark.id];
      const auto place = std::lower_bound(values.begin(), values.end(), note->second);
      if (place == values.end() || *place != note->second) values.insert(place, note->second);
    }
  }
  return out;
}

std::vector<Verdict> judge_checksums(const Checksums& checksums) {
  std::vector<Verdict> out;
  for (const auto& [benchmark, values] : checksums) {
    if (values.size() < 2) continue;
    out.push_back(
        checksum_verdict(benchmark, VerdictKind::failed, 1,
                         disagreeing({values.begin(), values.end()}, "the checksums of its processes")));
    out.back().judge = Judge::physical;
  }
  return out;
}

ChecksumComparison compare_checksums(const std::vector<RunChecksums>& gpus) {
  ChecksumComparison out;
  out.verdicts.resize(gpus.size());
  out.again.resize(gpus.size(), false);
  std::set<std::string> benchmarks;
  for (const RunChecksums& gpu : gpus) {
    bool any = false;
    for (const Checksums* run : gpu)
      for (const auto& [benchmark, values] : *run) {
        benchmarks.insert(benchmark);
        any = true;
      }
    out.gpus += any ? 1 : 0;
  }
  for (const std::string& benchmark : benchmarks) ChecksumVote(benchmark, gpus, out).count();
  return out;
}

}  // namespace gpugauge::judge

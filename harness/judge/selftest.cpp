// Trials of the gauge on splits of a baseline, without and with simulated drops.
#include "judge/selftest.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "judge/scale.hpp"
#include "judge/statistics.hpp"
#include "result/error.hpp"

namespace gpugauge::judge {
namespace {

/// Share of the metrics that get a drop, at least one: a fault affects some metrics, not all.
constexpr double share_with_drop = .1;
constexpr double found_often = .99;

/// A copy of a run with only what the judge reads, without batches and telemetry.
result::Run slim(const result::Run& run) {
  result::Run out = run;
  out.telemetry.clear();
  for (result::Process& process : out.processes) {
    if (!process.samples) continue;
    for (result::BenchmarkResult& benchmark : process.samples->benchmarks)
      benchmark.batches = {benchmark.batches.operations_per_batch, {}, {},
                           benchmark.batches.sm_clock_hz,          0,  0};
  }
  return out;
}

/// Resamples the processes of each family with replacement.
void resample(result::Run& run, std::mt19937_64& engine) {
  std::map<std::string, std::vector<std::size_t>> families;
  for (std::size_t i = 0; i < run.processes.size(); ++i) families[run.processes[i].family].push_back(i);
  std::vector<result::Process> drawn;
  for (const auto& [family, members] : families) {
    std::uniform_int_distribution<std::size_t> pick(0, members.size() - 1);
    for (std::size_t i = 0; i < members.size(); ++i) {
      drawn.push_back(run.processes[members[pick(engine)]]);
      drawn.back().index = static_cast<int>(i);
    }
  }
  run.processes = std::move(drawn);
}

void make_worse(result::Run& run, const std::set<std::string>& metrics, double drop) {
  for (result::Process& process : run.processes) {
    if (!process.samples) continue;
    for (result::BenchmarkResult& benchmark : process.samples->benchmarks)
      for (result::Metric& metric : benchmark.metrics)
        if (metrics.count(result::metric_key(benchmark.id, metric.name)) > 0)
          metric.value *= metric.better == result::Direction::lower ? 1 + drop : 1 - drop;
  }
}

void keep_only(result::Run& run, const std::vector<std::string>& benchmarks) {
  const std::set<std::string> kept(benchmarks.begin(), benchmarks.end());
  run.only = benchmarks;
  for (result::Process& process : run.processes)
    if (process.samples)
      std::erase_if(process.samples->benchmarks,
                    [&](const result::BenchmarkResult& one) { return kept.count(one.id) == 0; });
}

/// One split of the rounds: the old side, and an unlimited number of new rounds.
class Trial {
 public:
  Trial(const std::vector<result::Run>& runs, const baseline::Manifest& manifest, std::size_t old_rounds,
        bool resampled, bool provisional, std::mt19937_64& engine)
      : engine_(engine), resampled_(resampled) {
    std::vector<std::size_t> order(runs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    old_.manifest = manifest;
    // The old side must be as mature as the baseline. If that covers enough boots or enough days, redraw until the
    // old side does too. Any three rounds of three boots suffice.
    do {
      std::shuffle(order.begin(), order.end(), engine);
      old_.runs.clear();
      for (std::size_t i = 0; i < old_rounds; ++i) old_.runs.push_back(runs[order[i]]);
    } while (old_.provisional() && !provisional);
    for (std::size_t i = resampled ? 0 : old_rounds; i < order.size(); ++i) new_.push_back(&runs[order[i]]);
    std::shuffle(new_.begin(), new_.end(), engine);
  }

  const baseline::Baseline& old_side() const { return old_; }

  result::Run next() {
    const std::size_t index = drawn_++;
    result::Run run = *new_[index % new_.size()];
    if (resampled_ || index >= new_.size()) resample(run, engine_);
    run.id = fmt::format("{:026}", index);
    run.round = static_cast<int>(index) + 1;
    return run;
  }

 private:
  std::mt19937_64& engine_;
  bool resampled_;
  baseline::Baseline old_;
  std::vector<const result::Run*> new_;
  std::size_t drawn_ = 0;
};

/// The whole judgement of one trial, with as many rounds as it requests.
std::vector<Verdict> judge_trial(Trial& trial, const Policy& policy, const std::set<std::string>& worse,
                                 double drop) {
  std::vector<result::Run> rounds;
  std::vector<std::string> asked;
  while (true) {
    rounds.push_back(trial.next());
    if (!worse.empty()) make_worse(rounds.back(), worse, drop);
    if (!asked.empty()) keep_only(rounds.back(), asked);
    Judgement judgement = judge_baseline(rounds, trial.old_side(), policy);
    asked = judgement.request.benchmarks;
    if (asked.empty()) return std::move(judgement.verdicts);
  }
}

bool counts_as_found(const Verdict& verdict) {
  return verdict.kind == VerdictKind::regressed && !verdict.advisory;
}

/// Running counts of one class.
struct Tally {
  std::set<std::string> metrics;
  std::set<std::string> advisory;
  int alarmed = 0;
  long judged = 0;
  long undecided = 0;
  std::vector<long> injected;
  std::vector<long> found;
};

/// The rows that a verdict counts in: its class, and all.
std::vector<std::string> rows_of(const Verdict& verdict) {
  return {"", verdict.metric_class};
}

class Counter {
 public:
  explicit Counter(std::size_t drops) : drops_(drops) {}

  void without_drop(const std::vector<Verdict>& verdicts) {
    std::set<std::string> alarmed;
    for (const Verdict& verdict : verdicts) {
      for (const std::string& row : rows_of(verdict)) {
        Tally& tally = at(row);
        tally.metrics.insert(verdict.metric);
        if (verdict.advisory) {
          tally.advisory.insert(verdict.metric);
          continue;
        }
        ++tally.judged;
        tally.undecided += verdict.kind == VerdictKind::inconclusive || verdict.kind == VerdictKind::unstable;
        if (counts_as_found(verdict)) alarmed.insert(row);
      }
    }
    for (const std::string& row : alarmed) ++at(row).alarmed;
  }
  void with_drop(const std::vector<Verdict>& verdicts, const std::set<std::string>& worse, std::size_t size) {
    for (const Verdict& verdict : verdicts) {
      if (worse.count(verdict.metric) == 0) continue;
      for (const std::string& row : rows_of(verdict)) {
        ++at(row).injected[size];
        at(row).found[size] += counts_as_found(verdict);
      }
    }
  }
  std::vector<SelftestRow> rows(int trials, const std::vector<double>& drops) const {
    std::vector<SelftestRow> out;
    for (const auto& [name, tally] : tallies_) {
      SelftestRow row;
      row.metric_class = name;
      row.metrics = static_cast<int>(tally.metrics.size());
      row.counted = row.metrics - static_cast<int>(tally.advisory.size());
      row.false_alarm = static_cast<double>(tally.alarmed) / trials;
      row.undecided =
          tally.judged > 0 ? static_cast<double>(tally.undecided) / static_cast<double>(tally.judged) : 0;
      for (std::size_t size = 0; size < drops.size(); ++size) {
        row.power.push_back(tally.injected[size] > 0 ? static_cast<double>(tally.found[size]) /
                                                           static_cast<double>(tally.injected[size])
                                                     : 0);
        row.injected.push_back(tally.injected[size]);
      }
      for (std::size_t size = drops.size(); size-- > 0 && row.power[size] >= found_often;) {
        row.smallest = drops[size];
        row.at_least = share_lower_bound(tally.found[size], tally.injected[size]);
      }
      out.push_back(std::move(row));
    }
    return out;
  }

 private:
  Tally& at(const std::string& row) {
    Tally& tally = tallies_[row];
    tally.injected.resize(drops_);
    tally.found.resize(drops_);
    return tally;
  }

  std::size_t drops_;
  std::map<std::string, Tally> tallies_;
};

void require_ranges(const SelftestOptions& options) {
  const bool drops = !options.drops.empty() && std::is_sorted(options.drops.begin(), options.drops.end()) &&
                     options.drops.front() > 0 && options.drops.back() < 1;
  if (options.trials < 1 || options.injections < 1 || !drops)
    throw std::invalid_argument("at least one trial and injection, and drops between 0 and 1 that ascend");
}

/// Metrics that may get a drop, by class.
using Counted = std::map<std::string, std::vector<std::string>>;

/// Chooses the metrics that a trial makes worse: one of each class in turn, so that small classes get as many
/// drops as large ones.
class Turns {
 public:
  Turns(const Counted& counted, std::mt19937_64& engine) : engine_(engine) {
    for (const auto& [name, metrics] : counted) {
      classes_.push_back(metrics);
      metrics_ += metrics.size();
    }
    each_ =
        std::max<std::size_t>(1, static_cast<std::size_t>(share_with_drop * static_cast<double>(metrics_)));
  }
  /// Number of trials after which each class has had `injections` drops.
  int trials_for(int injections) const {
    const std::size_t turns = static_cast<std::size_t>(injections) * classes_.size();
    return std::max(classes_.empty() ? 0 : injections, static_cast<int>((turns + each_ - 1) / each_));
  }
  std::set<std::string> next() {
    std::set<std::string> out;
    const std::size_t wanted = std::min(each_, metrics_);
    // A class with all its metrics chosen skips its turn; the first round of turns is never skipped.
    while (out.size() < wanted) {
      const std::vector<std::string>& metrics = classes_[turn_++ % classes_.size()];
      std::vector<std::string> left;
      std::copy_if(metrics.begin(), metrics.end(), std::back_inserter(left),
                   [&](const std::string& metric) { return out.count(metric) == 0; });
      if (left.empty()) continue;
      out.insert(left[std::uniform_int_distribution<std::size_t>(0, left.size() - 1)(engine_)]);
    }
    return out;
  }

 private:
  std::mt19937_64& engine_;
  std::vector<std::vector<std::string>> classes_;
  std::size_t metrics_ = 0;
  std::size_t each_ = 1;
  std::size_t turn_ = 0;
};

}  // namespace

Selftest selftest(const baseline::Baseline& baseline, const Policy& policy, const SelftestOptions& options) {
  require_ranges(options);
  const auto rounds = static_cast<int>(baseline.runs.size());
  if (rounds < minimum_baseline_rounds)
    throw result::UsageError(
        fmt::format("baseline {} has {} rounds and verdicts need {}: nothing can be tested",
                    baseline.manifest.name, rounds, minimum_baseline_rounds));
  Selftest out;
  out.trials = options.trials;
  out.resampled = rounds < selftest_split_rounds;
  out.baseline_rounds =
      out.resampled ? rounds : std::max(minimum_baseline_rounds, rounds - std::max(3, rounds / 3));
  out.drops = options.drops;
  std::vector<result::Run> runs;
  for (const result::Run& run : baseline.runs) runs.push_back(slim(run));

  std::mt19937_64 engine(options.seed);
  Counter counter(options.drops.size());
  int all = options.trials * (1 + static_cast<int>(options.drops.size()));
  int done = 0;
  Counted counted;
  const auto step = [&] {
    if (options.progress) options.progress(++done, all);
  };
  const auto trial = [&] {
    return Trial(runs, baseline.manifest, static_cast<std::size_t>(out.baseline_rounds), out.resampled,
                 baseline.provisional(), engine);
  };
  for (int i = 0; i < options.trials; ++i) {
    Trial one = trial();
    const std::vector<Verdict> verdicts = judge_trial(one, policy, {}, 0);
    counter.without_drop(verdicts);
    if (i == 0)
      for (const Verdict& verdict : verdicts)
        if (verdict.minimum_detectable_drop && verdict.metric.find(':') != std::string::npos)
          counted[verdict.metric_class].push_back(verdict.metric);
    if (i == 0)
      all = options.trials +
            static_cast<int>(options.drops.size()) *
                std::max(options.trials, Turns(counted, engine).trials_for(options.injections));
    step();
  }
  Turns turns(counted, engine);
  const int with_drop = std::max(options.trials, turns.trials_for(options.injections));
  for (std::size_t size = 0; size < options.drops.size(); ++size) {
    for (int i = 0; i < with_drop; ++i) {
      const std::set<std::string> worse = turns.next();
      Trial one = trial();
      counter.with_drop(judge_trial(one, policy, worse, options.drops[size]), worse, size);
      step();
    }
  }
  out.rows = counter.rows(options.trials, options.drops);
  return out;
}

}  // namespace gpugauge::judge

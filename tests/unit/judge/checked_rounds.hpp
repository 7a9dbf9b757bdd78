// A check of made rounds against a made baseline, as the conductor goes through one.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "judge/judge.hpp"
#include "runs.hpp"

namespace gpugauge::judge {

/// The first verdict on a metric that fits; throws where there is none.
template <typename Fits>
const Verdict& verdict_on(const std::vector<Verdict>& verdicts, const std::string& key, const Fits& fits) {
  const auto found = std::find_if(verdicts.begin(), verdicts.end(), [&](const Verdict& verdict) {
    return verdict.metric == key && fits(verdict);
  });
  if (found == verdicts.end()) throw std::runtime_error("no verdict on " + key);
  return *found;
}

/// The verdict on a metric in what was judged: a Judgement or a BeforeAfter.
template <typename Judged>
const Verdict& of(const Judged& judged, const std::string& key) {
  return verdict_on(judged.verdicts, key, [](const Verdict&) { return true; });
}

/// The verdict on a metric by a baseline.
inline const Verdict& on(const std::string& key, const std::vector<Verdict>& verdicts) {
  return verdict_on(verdicts, key, [](const Verdict& one) { return one.judge == Judge::baseline; });
}

/// As the conductor does it: further rounds measure only what is asked for.
inline Judgement check(const baseline::Baseline& baseline, const Slowness& slow, int* rounds_used = nullptr,
                       const Policy& policy = {}) {
  std::vector<result::Run> rounds{make_run(900, slow)};
  Judgement judgement = judge_baseline(rounds, baseline, policy);
  while (!judgement.request.benchmarks.empty()) {
    result::Run next = make_run(900 + rounds.size(), slow);
    next.only = judgement.request.benchmarks;
    for (result::Process& process : next.processes) {
      std::erase_if(process.samples->benchmarks, [&](const result::BenchmarkResult& found) {
        return std::find(next.only.begin(), next.only.end(), found.id) == next.only.end();
      });
    }
    rounds.push_back(std::move(next));
    judgement = judge_baseline(rounds, baseline, policy);
  }
  if (rounds_used != nullptr) *rounds_used = static_cast<int>(rounds.size());
  return judgement;
}

}  // namespace gpugauge::judge

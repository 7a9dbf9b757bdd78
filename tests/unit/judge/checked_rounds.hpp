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

/// The verdict on a metric; throws where there is none.
inline const Verdict& of(const Judgement& judgement, const std::string& key) {
  const auto found = std::find_if(judgement.verdicts.begin(), judgement.verdicts.end(),
                                  [&](const Verdict& verdict) { return verdict.metric == key; });
  if (found == judgement.verdicts.end()) throw std::runtime_error("no verdict on " + key);
  return *found;
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

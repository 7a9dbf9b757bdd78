// A fleet and newcomers at its gate, for tests of admissions.
#pragma once

#include <functional>
#include <string>

#include <fmt/format.h>

#include "judge/admit.hpp"
#include "runs.hpp"

namespace gpugauge::judge {

using Apply = std::function<void(result::Run&)>;

/// A fleet of one kind on GPUs, and newcomers, collected as the command does it.
class Gate {
 public:
  void add_fleet(int nodes, const Apply& apply = {}) {
    for (int i = 0; i < nodes; ++i, ++node_) {
      const result::Run run = run_of(node_, 0, {}, apply);
      input.fleet.rounds.push_back(reduce(run));
      usual.add(input.fleet.rounds.back().kind, run.id, run.fingerprint);
    }
  }
  void add_newcomer(const Slowness& slow = {}, std::uint64_t round = 0, const Apply& apply = {}) {
    const result::Run run = run_of(900, round, slow, apply);
    input.newcomers.push_back(reduce(run));
    input.fingerprints.emplace(run.id, run.fingerprint);
  }
  Admissions judge() {
    input.fleet.metrics = collector_.metrics();
    return judge_admission(input, usual, policy, rules);
  }
  Admission only() { return judge().nodes.at(0); }

  AdmissionInput input;
  UsualFacts usual;
  Policy policy;
  PeerRules rules;

 private:
  static result::Run run_of(int node, std::uint64_t round, const Slowness& slow, const Apply& apply) {
    result::Run run = make_run(static_cast<std::uint64_t>(node) + 1000 * round, slow);
    run.device = fmt::format("GPU-{:03}", node);
    run.fingerprint.device = {
        {"gpu.0.name", "H200"}, {"gpu.0.compute_capability", "9.0"}, {"gpu.0.uuid", run.device}};
    run.fingerprint.stack = {{"driver.version", "580.65.06"}, {"nccl.version", "2.27.7"}};
    run.fingerprint.settings = {{"gpu.0.power_limit_watt", "700"},
                                {"host.cpus_allowed", std::to_string(node)}};
    if (apply) apply(run);
    return run;
  }
  PeerRound reduce(const result::Run& run) {
    return collector_.reduce(run, run.device + ".json", run.device);
  }

  PeerCollector collector_;
  int node_ = 0;
};

}  // namespace gpugauge::judge

// A fleet of runs made by hand, for the tests of the peers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "judge/judge_peers.hpp"
#include "runs.hpp"

namespace gpugauge::judge {

/// Runs of host-like nodes on GPUs of one kind, collected.
class Fleet {
 public:
  void add(int node, const Slowness& slow = {}, std::uint64_t round = 0,
           const std::function<void(result::Run&)>& apply = {}) {
    result::Run run = make_run(static_cast<std::uint64_t>(node) + 1000 * round, slow);
    run.device = fmt::format("GPU-{:02}", node);
    tell_health(run, "remap_failed", 0);
    if (apply) apply(run);
    input_.rounds.push_back(
        collector_->reduce(run, fmt::format("{}-{}.json", node, round), fmt::format("n{:02}", node)));
  }
  void add_healthy(int from, int to) {
    for (int node = from; node < to; ++node) add(node);
  }
  void add_unread(const std::string& label) {
    input_.unread.push_back({label + ".json", label, "the file is truncated"});
  }
  PeersJudgement judge(bool strict = false) { return judge_peers(input(), policy_, strict); }
  Policy& policy() { return policy_; }
  const PeersInput& input() {
    input_.metrics = collector_->metrics();
    return input_;
  }

 private:
  std::unique_ptr<PeerCollector> collector_ = std::make_unique<PeerCollector>();
  PeersInput input_;
  Policy policy_;
};

inline const NodeJudgement& judged_of(const PeersJudgement& judgement, const std::string& label) {
  for (const NodeJudgement& node : judgement.nodes)
    if (node.label == label) return node;
  throw std::runtime_error("no node " + label);
}

}  // namespace gpugauge::judge

// A failure that needs no history and no figure: something is gone, or went the wrong way.
#pragma once

#include <string>
#include <utility>

#include "judge/verdict.hpp"

namespace gpugauge::judge {

/// Failed, by the physical judge, of one round. `metric` names it: "gpu/lost".
inline Verdict physical_failure(std::string metric, std::string reason) {
  Verdict out;
  out.kind = VerdictKind::failed;
  out.judge = Judge::physical;
  out.metric = std::move(metric);
  out.rounds = 1;
  out.reason = std::move(reason);
  return out;
}

}  // namespace gpugauge::judge

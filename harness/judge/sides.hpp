// Two sides measured on purpose, before and after a change, without a baseline: the same question as the
// gate's, asked once. Plain numbers; natural logarithms, + is worse.
//
//   Var(after - before) = s_b^2 (1/B_after + 1/B_before) + s_r^2 (1/R_after + 1/R_before)
//
// B boots and R rounds a side. A level that both sides share cancels: rounds of one boot on both sides have
// no boot term. s_b is estimated where a side has two boots or more, and pulled towards an assumption (1%
// between boots, as measured on real nodes), which stands alone where each side has one.
#pragma once

#include <span>
#include <vector>

#include "judge/gate.hpp"

namespace gpugauge::judge {

/// Values of one metric on one side: units of replication (boots), each with the values of its rounds; none
/// is empty.
using Side = std::vector<std::vector<double>>;

struct SidesSeries {
  Side before;
  Side after;
  double tolerance = 0;  ///< tau > 0
  double within_error =
      0;  ///< standard error of a round's value from what is inside it; a lower bound of s_r
};

struct SidesRules {
  GateRules gate;
  bool shared_unit = false;     ///< both sides were measured within the same boot: no boot term
  double assumed_spread = .01;  ///< s_b where nothing tells it, relative
  double assumed_degrees = 10;  ///< what the assumption is worth
};

struct SidesResult {
  Decision decision = Decision::inconclusive;
  double change = 0;                     ///< after - before
  double half_width = 0;                 ///< of its 1 - 2 alpha_ok interval
  double minimum_detectable_change = 0;  ///< with 90% power
  double before = 0;                     ///< centre of that side
};

/// One result a series. Throws std::invalid_argument when a side is empty.
std::vector<SidesResult> compare_sides(std::span<const SidesSeries> series, const SidesRules& rules);

}  // namespace gpugauge::judge

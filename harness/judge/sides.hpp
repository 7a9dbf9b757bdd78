// Two sides measured on purpose, before and after a change, without a baseline: the same question as the
// gate's, asked once. Plain numbers; natural logarithms, + is worse.
//
//   Var(after - before) = s_b^2 (1/B_after + 1/B_before) + s_r^2 (1/R_after + 1/R_before)
//
// and 2 s_node^2 where the sides are two nodes or cards. B boots and R rounds a side, as many in each boot;
// where boots differ in that, 1/R is sum(1/R_i)/B^2, since a side's value is the mean of its boots. A level
// that both sides share cancels: rounds of one boot on both sides have no boot term. s_b is estimated where a
// side has two boots or more, and pulled towards an assumption (1% between boots, as measured on real nodes),
// which stands alone where each side has one. s_r comes from rounds of one boot; where no round repeats, from
// the processes inside the rounds; where those are single, too, an assumption stands in.
#pragma once

#include <span>
#include <vector>

#include "judge/gate.hpp"

namespace gpugauge::judge {

/// Values of one metric on one side: units of replication (boots), each with the values of its rounds; none
/// is empty.
using Side = std::vector<std::vector<double>>;

/// One metric as measured on both sides.
struct SidesSeries {
  Side before;           ///< at least one unit
  Side after;            ///< at least one unit
  double tolerance = 0;  ///< tau > 0
  /// Standard error of a round's value from what is inside it: a lower bound of s_r, and its estimate where
  /// no round repeats; 0 = nothing is known.
  double within_error = 0;
  double within_degrees = 0;          ///< what within_error is worth
  double assumed_round_spread = .02;  ///< s_r where the data tell nothing of it at all
  double assumed_unit_spread = .01;   ///< s_b where nothing tells it, relative
  int group = 0;                      ///< spreads are moderated among the series of one group
  /// Standard deviation between healthy units (nodes), where the two sides are two of them; 0 = one unit.
  double unit_spread = 0;
  double counts_above = 0;  ///< a regression counts above this change; 0 = from where it is shown
};

/// Parameters of the comparison of two sides.
struct SidesRules {
  GateRules gate;               ///< its alpha and alpha_ok; there are no further rounds here
  bool shared_unit = false;     ///< both sides were measured within the same boot: no boot term
  double assumed_degrees = 10;  ///< what the assumptions are worth
};

/// What the comparison says of one metric. Changes are steps on the scale, + is worse.
struct SidesResult {
  Decision decision = Decision::inconclusive;  ///< never unstable
  double change = 0;                           ///< after - before
  double half_width = 0;                       ///< of its 1 - 2 alpha_ok interval
  /// With 90% power, over all series that are judged together, and so that it counts.
  double minimum_detectable_change = 0;
  double before = 0;  ///< centre of that side
};

/// One result a series. Throws std::invalid_argument when a side is empty.
std::vector<SidesResult> compare_sides(std::span<const SidesSeries> series, const SidesRules& rules);

}  // namespace gpugauge::judge

// Compares two sides, before and after a change, without a baseline: the gate's question, asked once. Plain
// numbers; natural logarithms, + is worse.
//
//   Var(after - before) = s_b^2 (1/B_after + 1/B_before) + s_r^2 (1/R_after + 1/R_before)
//
// plus 2 s_node^2 if the sides are two nodes or cards. Each side has B boots and R rounds, the same number
// per boot. Otherwise 1/R is sum(1/R_i)/B^2, since a side's value is the mean of its boots. A level that both
// sides share cancels, so rounds of one boot on both sides have no boot term. s_b is estimated if a side has
// two or more boots, and pulled towards an assumption (1% between boots, as measured on real nodes). With one
// boot per side the assumption is used alone. s_r comes from rounds of one boot; if no round repeats, from
// the processes inside the rounds; if those are single too, from an assumption.
#pragma once

#include <span>
#include <vector>

#include "judge/gate.hpp"

namespace gpugauge::judge {

/// Values of one metric on one side: units of replication (boots), each with its round values; none is empty.
using Side = std::vector<std::vector<double>>;

/// One metric as measured on both sides.
struct SidesSeries {
  Side before;           ///< at least one unit
  Side after;            ///< at least one unit
  double tolerance = 0;  ///< tau > 0
  /// Standard error of a round's value from its processes: a lower bound of s_r, and its estimate if no round
  /// repeats; 0 = not known.
  double within_error = 0;
  double within_degrees = 0;          ///< degrees of freedom of within_error
  double assumed_round_spread = .02;  ///< s_r if the data do not determine it, relative
  double assumed_unit_spread = .01;   ///< s_b if the data do not determine it, relative
  int group = 0;                      ///< spreads are moderated within a group of series
  /// Standard deviation between healthy units (nodes), if the two sides are different units; 0 = the same
  /// unit.
  double unit_spread = 0;
  double counts_above = 0;  ///< a regression counts above this change; 0 = every regression that is shown
};

/// Parameters of the comparison of two sides.
struct SidesRules {
  GateRules gate;               ///< only alpha and alpha_ok are used; there are no further rounds
  bool shared_unit = false;     ///< both sides were measured in one boot: no boot term
  double assumed_degrees = 10;  ///< degrees of freedom of the assumptions
};

/// The comparison of one metric. Changes are steps on the scale, + is worse.
struct SidesResult {
  Decision decision = Decision::inconclusive;  ///< never unstable
  double change = 0;                           ///< after - before
  double half_width = 0;                       ///< half width of its 1 - 2 alpha_ok interval
  /// With 90% power, over all series judged together, and large enough to count.
  double minimum_detectable_change = 0;
  double before = 0;  ///< centre of the before side
};

/// Returns one result per series. Throws std::invalid_argument when a side is empty.
std::vector<SidesResult> compare_sides(std::span<const SidesSeries> series, const SidesRules& rules);

}  // namespace gpugauge::judge

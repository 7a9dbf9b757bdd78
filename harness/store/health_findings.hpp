// What the runs of a history found on the health of GPUs, and since when. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "judge/verdict.hpp"
#include "store/store.hpp"

namespace gpugauge::store {

/// A stretch of runs of one device that all found the same part of its GPUs' health not well. Runs between
/// them that tell nothing of it do not end it.
struct HealthFinding {
  Device device;        ///< whose runs they are
  std::string subject;  ///< HealthPoint::subject
  judge::VerdictKind kind =
      judge::VerdictKind::failed;  ///< failed if it failed in any of them, else inconclusive
  std::string started;             ///< start of the first of them
  std::string run_id;              ///< result::Run::id of the first of them
  std::string latest;              ///< start of the newest of them
  std::string reason;              ///< of the newest of them of this kind
  int runs = 0;                    ///< how many they are
  std::string well;  ///< start of the first run after them that found it well; "" if there is none
};

/// Adds those of this device. `points` as Store::health returns them.
void add_health_findings(std::vector<HealthFinding>& findings, const Device& device,
                         const std::vector<HealthPoint>& points);

/// Orders them: what still stands before what a later run found well, what failed before what is in doubt,
/// then the newest first.
void put_gravest_first(std::vector<HealthFinding>& findings);

}  // namespace gpugauge::store

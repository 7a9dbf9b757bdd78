// The functions of kernels/support/programmatic.cuh, on the host: what TMA loads is looked at.
#pragma once

#include "cluster.hpp"

namespace gpugauge::kernels {

inline void let_the_next_begin() {
  emulator::one_ahead_runs = true;
}

inline void wait_for_the_one_ahead() {
  emulator::one_ahead_runs = false;
}

}  // namespace gpugauge::kernels

// The per-element functions of the streaming kernels, shared by the register and bulk-copy variants.
#pragma once

#include <cmath>

#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels::memory {

/// Returns from.
struct Same {
  static constexpr int inputs = 1;  ///< number of input arrays
  /// One element of the result.
  GPUGAUGE_HOST_DEVICE float operator()(float from) const { return from; }
};

/// Returns factor * from.
struct Scale {
  static constexpr int inputs = 1;  ///< number of input arrays
  float factor;                     ///< factor of every element
  /// One element of the result.
  GPUGAUGE_HOST_DEVICE float operator()(float from) const { return factor * from; }
};

/// Returns b + c.
struct Add {
  static constexpr int inputs = 2;  ///< number of input arrays
  /// One element of the result.
  GPUGAUGE_HOST_DEVICE float operator()(float b, float c) const { return b + c; }
};

/// Returns fma(factor, c, b), rounded once.
struct Triad {
  static constexpr int inputs = 2;  ///< number of input arrays
  float factor;                     ///< factor of every element of c
  /// One element of the result.
  GPUGAUGE_HOST_DEVICE float operator()(float b, float c) const { return fmaf(factor, c, b); }
};

}  // namespace gpugauge::kernels::memory

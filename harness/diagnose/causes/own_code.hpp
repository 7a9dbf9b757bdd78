// Facts about the code of programs, shared by several signatures.
#pragma once

#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {

/// A user's own work, whose class is unknown, is slower.
Fact slow_application(const Seen& seen);
/// Work of the user's own kernels, or of a compiler that makes them, is slower.
Fact slow_own_code(const Seen& seen);

}  // namespace gpugauge::diagnose

// Measures with our own cuBLAS the matrix products that frameworks ran on a GPU.
#pragma once

#include <optional>

#include "conductor/frameworks.hpp"
#include "result/stops_held_back.hpp"

namespace gpugauge::conductor {

/// Runs the family cublas once, in a fresh process, on the products that own_products_of() names, and adds to
/// `frameworks` what add_shares() says. The environment, and so the GPU that comes first, is that of the
/// frameworks; window and time limit are those of one of them. Does nothing where no product ran on a GPU.
/// Whatever keeps a product from being measured becomes its reason, never an exception. `held` holds stops
/// back since the frameworks ended, so that their results are not lost: one that came leaves the products
/// unmeasured, and before the process starts `held` is reset. `frameworks` holds none of the family's processes.
void measure_products_beside(const FrameworkOptions& options, const stack::GpuReport& gpus,
                             std::optional<result::StopsHeldBack>& held, result::Run& frameworks);

}  // namespace gpugauge::conductor

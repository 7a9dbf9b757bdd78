#include "support/cuda/library_age.hpp"

#include <fmt/format.h>

namespace gpugauge::bench::cuda {

std::optional<std::string> older_than_blackwell(const std::string& library, const std::string& version,
                                                bool knows, const std::string& first,
                                                int compute_capability) {
  if (knows || compute_capability < 100) return std::nullopt;
  return fmt::format(
      "{} {} is older than this GPU, of compute capability {}.{}: {} is the first for 10.0 and later. "
      "Install a "
      "newer one.",
      library, version, compute_capability / 10, compute_capability % 10, first);
}

}  // namespace gpugauge::bench::cuda

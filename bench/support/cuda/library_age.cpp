#include "support/cuda/library_age.hpp"

#include <fmt/format.h>

namespace gpugauge::bench::cuda {

std::string capability_text(int compute_capability) {
  return fmt::format("{}.{}", compute_capability / 10, compute_capability % 10);
}

std::string older_than_gpu(const std::string& library, const std::string& version, const std::string& first,
                           int compute_capability) {
  return fmt::format(
      "{} {} is older than this GPU, of compute capability {}: no version before {} knows it. Install a "
      "newer one.",
      library, version, capability_text(compute_capability), first);
}

std::optional<std::string> older_than_blackwell(const std::string& library, const std::string& version,
                                                bool knows, const std::string& first,
                                                int compute_capability) {
  if (knows || compute_capability < 100) return std::nullopt;
  return older_than_gpu(library, version, first, compute_capability);
}

}  // namespace gpugauge::bench::cuda

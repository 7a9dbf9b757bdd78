#include "nccl/own_gpu.hpp"

#include <cstddef>
#include <vector>

#include "result/text.hpp"

namespace gpugauge::bench::nccl {

std::optional<std::string> own_gpu(const std::optional<std::string>& visible, int local_rank) {
  if (!visible) return std::to_string(local_rank);
  const std::vector<std::string> gpus = result::split(*visible, ',');
  if (gpus.size() < 2 || static_cast<std::size_t>(local_rank) >= gpus.size()) return std::nullopt;
  const std::string_view own = result::stripped(gpus[static_cast<std::size_t>(local_rank)]);
  if (own.empty()) return std::nullopt;
  return std::string(own);
}

}  // namespace gpugauge::bench::nccl

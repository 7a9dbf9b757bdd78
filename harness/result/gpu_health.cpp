#include "result/gpu_health.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace gpugauge::result {

std::string MemoryFault::title(std::string_view gpu) const {
  return fmt::format("{}{}{}", before, gpu, after);
}

bool is_health_series(std::string_view name) {
  constexpr std::array known{
      remap_failed.fact,    remap_pending.fact, retired_pages_pending.fact,  ecc_uncorrected.fact,
      ecc_meanwhile_series, xid_series,         remapped_correctable_series, remapped_uncorrectable_series};
  return std::find(known.begin(), known.end(), name) != known.end();
}

std::string reset_step(std::size_t gpus, std::string_view places) {
  return fmt::format(
      "Drain the node, then reset the GPU{}: sudo nvidia-smi --gpu-reset -i {} (refused while a "
      "program uses it); else reboot",
      gpus > 1 ? "s" : "", places);
}

std::string clause(std::string_view sentence) {
  std::string out(sentence);
  if (out.ends_with('.')) out.pop_back();
  if (!out.empty() && out.front() >= 'A' && out.front() <= 'Z')
    out.front() = static_cast<char>(out.front() - 'A' + 'a');
  return out;
}

}  // namespace gpugauge::result

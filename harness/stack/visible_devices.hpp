// What CUDA_VISIBLE_DEVICES names, told from its words alone: CUDA is not asked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::stack {

/// The words of CUDA_VISIBLE_DEVICES as far as CUDA reads them: it shows what they name, in their order, and
/// stops at the first that names no device.
struct VisibleDevices {
  int named = 0;                       ///< words that name a GPU of this machine
  std::optional<std::string> stop;     ///< the word that names none, at which CUDA stops; "" for an empty one
  std::optional<std::string> unknown;  ///< the word of which that cannot be told: an instance of MIG, a UUID
                                       ///< where the GPUs' own are not known; no word behind it is looked at

  /// No device is left, whatever the machine has.
  bool hides_all() const { return named == 0 && stop.has_value(); }
};

/// `gpus`: how many the driver has, nullopt where that is not known; `uuids`: theirs, "" for one that is not
/// known.
VisibleDevices visible_devices(std::string_view value, std::optional<double> gpus,
                               const std::vector<std::string>& uuids);

}  // namespace gpugauge::stack

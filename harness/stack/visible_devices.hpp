// What CUDA_VISIBLE_DEVICES selects, from its words alone: does not ask CUDA.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::stack {

/// The words of CUDA_VISIBLE_DEVICES as CUDA reads them. CUDA shows the named devices in their order and
/// stops at the first word that names none.
struct VisibleDevices {
  int named = 0;  ///< number of words that name a GPU of this machine
  /// The word that names no device, at which CUDA stops; "" for an empty word.
  std::optional<std::string> stop;
  /// A word that may or may not name a device: a MIG instance, or a UUID if the GPUs' own are not known. The
  /// words after it are not examined.
  std::optional<std::string> unknown;

  /// True if no device is left, whatever the machine has.
  bool hides_all() const { return named == 0 && stop.has_value(); }
};

/// `gpus`: number of GPUs of the driver, nullopt if unknown. `uuids`: theirs, "" for an unknown one.
VisibleDevices visible_devices(std::string_view value, std::optional<double> gpus,
                               const std::vector<std::string>& uuids);

}  // namespace gpugauge::stack

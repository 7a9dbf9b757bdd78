// The SM clocks that GPU models were recorded to hold in light work.
#pragma once

#include <optional>
#include <string_view>

namespace gpugauge::judge {

/// The SM clock that one model holds in light work: launches, copies to and from the host, primitives.
/// Products draw so much power that a healthy card lowers its clock in them; light work does not.
struct HeldClock {
  double hertz = 0;              ///< lowest median of any light benchmark that was recorded
  std::string_view source = {};  ///< recording, below the source tree; static text
};

/// The clock of the model with exactly this name ("NVIDIA H200"); nullopt where none was recorded. A name
/// with a suffix (NVL, PCIe) is another board with other clocks.
std::optional<HeldClock> held_clock(std::string_view gpu_name);

/// Whether metrics of this class draw so little power that the clock is not lowered by it: copies to and from
/// the host, launches, primitives and cuFFT, each recorded at 99% of the highest clock or more. Reads of
/// device memory are not: they were recorded down to 91%.
bool is_light_class(std::string_view metric_class);

/// Less than this share of the clock that is due is clearly below it.
inline constexpr double clearly_below = .95;

}  // namespace gpugauge::judge

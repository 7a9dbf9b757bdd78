// What is said of a GPU's health: the doctor and the judge say it alike, of facts of the same names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gpugauge::result {

/// A fault of a GPU's memory as NVML tells it.
struct MemoryFault {
  std::string_view fact;    ///< name of the inventory's fact, and of the series of telemetry
  std::string_view before;  ///< beginning of the title, in front of the GPU's name; may be empty
  std::string_view after;   ///< rest of the title
  std::string_view why;     ///< what it means: whole sentences

  /// "A memory row of GPU 4 could not be remapped": `gpu` names one GPU or several.
  std::string title(std::string_view gpu) const;
};

/// Series: 1 where it is so, else 0; absent where the GPU cannot tell. The same of the next two.
inline constexpr MemoryFault remap_failed{
    "remap_failed", "A memory row of ", " could not be remapped",
    "The spare rows are used up, or a row that was replaced failed again: the GPU can no longer repair "
    "itself and is due for replacement."};
inline constexpr MemoryFault remap_pending{
    "remap_pending", "A memory row of ", " waits to be remapped at the next reset",
    "A memory error was met, and the row is replaced by a spare one when the GPU is reset. Until then work "
    "that touches it may fail."};
inline constexpr MemoryFault retired_pages_pending{
    "retired_pages_pending", "Memory pages of ", " wait to be retired",
    "A memory error was met, and the page is taken out of use when the driver is loaded again. Until then "
    "work that touches it may fail."};
/// Series: count of errors, 0 or more; absent where the GPU does not count.
inline constexpr MemoryFault ecc_uncorrected{"ecc_uncorrected_volatile", "",
                                             " met uncorrectable memory errors since the driver was loaded",
                                             "Each of them ended a program or damaged its data."};

/// Series: how many of the errors of ecc_uncorrected were counted while a run was measured; absent where the
/// count was not read at both ends.
inline constexpr std::string_view ecc_meanwhile_series = "ecc_uncorrected_meanwhile";
/// Series: numbers of the errors (Xid) that the driver reported of the GPU while a run was measured, in order.
inline constexpr std::string_view xid_series = "xid";

/// What to do where a GPU cannot repair its memory any more.
inline constexpr std::string_view replace_step =
    "Take the GPU out of use and have it tested for replacement (NVIDIA's field diagnostic)";
/// Where it met uncorrectable errors, and was reset.
inline constexpr std::string_view watch_step =
    "Watch whether they come again (nvidia-smi -q -d ECC), and have the GPU tested if so";
/// Where it fell off the bus.
inline constexpr std::string_view power_cycle_step = "Drain the node, then power it off and on";
/// Where a reset heals it: of so many GPUs, 1 or more, `places` as nvidia-smi's -i takes them.
std::string reset_step(std::size_t gpus, std::string_view places);

/// Where it is read how NVIDIA judges such memory.
inline constexpr std::string_view memory_errors_guide = "NVIDIA GPU memory error management, row remapping";
inline constexpr std::string_view memory_errors_address =  ///< of that guide
    "https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/";

/// "take the GPU out of use" of "Take the GPU out of use.": as a part of a sentence.
std::string clause(std::string_view sentence);

}  // namespace gpugauge::result

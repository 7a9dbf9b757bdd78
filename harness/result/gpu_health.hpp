// Names and wording of a GPU's faults, shared by the doctor and the judge.
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

/// The series is 1 where the fault is there, else 0, and absent where the GPU does not tell. The next two are
/// alike.
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
/// The series counts errors, 0 or more; it is absent where the GPU does not count.
inline constexpr MemoryFault ecc_uncorrected{"ecc_uncorrected_volatile", "",
                                             " met uncorrectable memory errors since the driver was loaded",
                                             "Each of them ended a program or damaged its data."};

/// Series: the errors of ecc_uncorrected that were counted during a run. It is absent where the count was not
/// read at both ends.
inline constexpr std::string_view ecc_meanwhile_series = "ecc_uncorrected_meanwhile";
/// Series: numbers of the errors (Xid) that the driver reported of the GPU during a run, oldest first.
inline constexpr std::string_view xid_series = "xid";

/// Series: memory rows of the GPU that were ever remapped for corrected and for uncorrected errors. Spare rows
/// are few: the counts say how far a card is used up.
inline constexpr std::string_view remapped_correctable_series = "remapped_correctable";
inline constexpr std::string_view remapped_uncorrectable_series = "remapped_uncorrectable";  ///< see above

/// True for the series above, which have a few values per run.
bool is_health_series(std::string_view name);

/// The next step where a GPU cannot repair its memory any more.
inline constexpr std::string_view replace_step =
    "Take the GPU out of use and have it tested for replacement (NVIDIA's field diagnostic)";
/// The step after a reset where the GPU met uncorrectable errors.
inline constexpr std::string_view watch_step =
    "Watch whether they come again (nvidia-smi -q -d ECC), and have the GPU tested if so";
/// The next step where the GPU fell off the bus.
inline constexpr std::string_view power_cycle_step = "Drain the node, then power it off and on";
/// The next step where a reset helps. `gpus` is their number, 1 or more; nvidia-smi's -i takes `places`.
std::string reset_step(std::size_t gpus, std::string_view places);

/// NVIDIA's guide to such faults.
inline constexpr std::string_view memory_errors_guide = "NVIDIA GPU memory error management, row remapping";
inline constexpr std::string_view memory_errors_address =  ///< of that guide
    "https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/";

/// "take the GPU out of use" of "Take the GPU out of use.": as a part of a sentence.
std::string clause(std::string_view sentence);

}  // namespace gpugauge::result

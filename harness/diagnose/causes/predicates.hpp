// Facts that several signatures use.
#pragma once

#include <optional>

#include "diagnose/catalogue.hpp"
#include "diagnose/seen.hpp"
#include "stack/compat/version.hpp"

namespace gpugauge::diagnose {

using Severity = stack::Severity;

/// Classes that stress the multiprocessors.
inline const Words compute_classes{"gemm64", "gemm32", "gemmtf32",  "gemm16",
                                   "gemm8",  "conv",   "attention", "fft"};
/// A user's own work, whose class is unknown.
inline const Words application_classes{"application", "framework_op"};

/// Starting is slow: the start-up, the first launch, or a phase of either.
Fact slow_start(const Seen& seen);
/// All that is slow is a start: of the program, of its first call, of a process.
bool only_starts(const Seen& seen);
/// True when some figure of starting has a factor.
bool start_compared(const Seen& seen);
/// The work is as fast as before once it has started.
Fact warm_is_normal(const Seen& seen);
/// Several GPUs work together, and that is slow or fails.
Fact slow_together(const Seen& seen);
/// The SM clock is clearly below the expected clock, and the power cap at its normal limit does not explain
/// it.
Fact low_clock(const Seen& seen);
/// NVML reports a power draw that the card cannot have. Its power readings, and the power caps derived from
/// them, are then meaningless.
Fact impossible_power(const Seen& seen);
/// The work ran on the processor, or the GPU had nothing to do and nothing in its memory.
Fact gpu_not_used(const Seen& seen);
/// Since another version of the program, less GPU memory is in use while the program is slow.
Fact left_gpu_memory(const Seen& seen);
/// The GPU waits for data that the processors load and prepare.
Fact waits_for_data(const Seen& seen);
/// The program asked for a device number that does not exist; CUDA itself has started.
Fact invalid_ordinal(const Seen& seen);
/// Several GPUs of one machine take more than twice as long as one of them.
Fact slower_together_than_alone(const Seen& seen);
/// A device node is reported missing or refused. A listing that shows the node counts as present.
Fact node_refused(const Seen& seen, std::string_view node);
/// Another shape, size or type of the same work was tried and is fast.
Fact other_shape_recovers(const Seen& seen);
/// Some figures of the class are slower and others are not, so the device as a whole is not the cause.
Fact split_class(const Seen& seen, Words classes);
/// Shapes that do not suit Tensor Cores are slower, and none is that does.
Fact only_misaligned(const Seen& seen);
/// Work with the channels first is slower, and none with the channels last.
Fact only_channels_first(const Seen& seen);
/// Figures of one data type are slower, while those of another type in the same class and of the same library
/// are unchanged.
Fact split_types(const Seen& seen, Words classes, const Where& where = {});
/// The gauge's own products in one of these classes lost at least half as much, in logarithms, as those of
/// this library. The library is then not the cause.
Fact own_products_as_slow(const Seen& seen, Words classes, std::string_view library);
/// Against one reference the work is slower, against another the same work is not: the reference decides.
Fact same_work_normal(const Seen& seen);
/// The first calls of the same work take next to no time and later ones hundreds of times as long: the first
/// only joined the queue, and nothing waited for them.
Fact only_queued_at_first(const Seen& seen);
/// Work on a GPU has a figure: its kernel module is loaded, and CUDA starts.
Fact gpu_computes(const Seen& seen);
/// The SM clock under load was read on both sides and did not fall.
Fact clock_as_expected(const Seen& seen);
/// Two programs are compared that share no name, and not two versions of one. A framework's engine counts as another.
Fact two_programs(const Seen& seen, std::string_view component);
/// The first CUDA toolkit that makes machine code for this GPU: 11.8; nullopt where the GPU is not known.
std::optional<stack::Version> first_toolkit(const Seen& seen);
/// True when a framework is named, or a figure is of work in one.
bool framework_known(const Seen& seen);
/// Three or more components changed at once, and putting one back was not shown to help. No single component
/// can be blamed.
Fact changed_together(const Seen& seen);
/// Limits a cause to `most` when none of the work that it slows is slower. With `compared`, that counts
/// against the cause; otherwise the cause is only unproven.
void without_slowness(Argument& argument, double most, std::string_view work, bool compared);
/// True when some figure of these classes has a factor.
bool is_compared(const Seen& seen, Words classes);
/// Launching, synchronising or allocating is slower, and reading the processor's clock took at least 10 %
/// longer than on the other side. The processor then has a lower clock or a neighbour on the core. Three
/// times as long means another method of reading the clock, and does not count.
Fact slower_processor(const Seen& seen);
/// True when everything that is slower waits for a processor.
bool only_processor_bound(const Seen& seen);
/// The first of the facts that was seen, if any.
Fact either(const Fact& one, const Fact& other);
/// Seen when both facts were seen.
Fact both(const Fact& one, const Fact& other);
/// A sentence on why a figure speaks against a cause: "the memory is hot (memory_temperature_c = 95)".
Fact in_words(std::string_view words, const Fact& fact);

}  // namespace gpugauge::diagnose

// What several signatures ask.
#pragma once

#include "diagnose/catalogue.hpp"
#include "diagnose/seen.hpp"

namespace gpugauge::diagnose {

using Severity = stack::Severity;

/// Classes that stress the multiprocessors.
inline const Words compute_classes{"gemm64", "gemm32", "gemmtf32",  "gemm16",
                                   "gemm8",  "conv",   "attention", "fft"};
/// A user's own work, of which the class is not known.
inline const Words application_classes{"application", "framework_op"};

/// Starting is slow: start-up, the first launch, or a phase of either.
Fact slow_start(const Seen& seen);
/// Some figure of starting has a factor.
bool start_compared(const Seen& seen);
/// Once started, it is as fast as ever.
Fact warm_is_normal(const Seen& seen);
/// Several GPUs work together, and that is slow or fails.
Fact slow_together(const Seen& seen);
/// The SM clock is clearly below what was expected, and not because of the power cap at its own limit.
Fact low_clock(const Seen& seen);
/// NVML tells of a draw that the card cannot have: its power readings, and caps that follow from them, mean
/// nothing.
Fact impossible_power(const Seen& seen);
/// The work ran on the processor, or the GPU had nothing to do and nothing in its memory.
Fact gpu_not_used(const Seen& seen);
/// Since another version of the program, less of the GPU's memory is in use while it is slow.
Fact left_gpu_memory(const Seen& seen);
/// The GPU waits for what the processors load and prepare.
Fact waits_for_data(const Seen& seen);
/// A device was asked for whose number does not exist: CUDA itself has started.
Fact invalid_ordinal(const Seen& seen);
/// Several GPUs of one machine take more than twice as long as one of them.
Fact slower_together_than_alone(const Seen& seen);
/// A device node is told of as missing or refused: a listing that shows it says that it is there.
Fact node_refused(const Seen& seen, std::string_view node);
/// Another shape, size or type of the same work was tried, and that is fast.
Fact other_shape_recovers(const Seen& seen);
/// Some figures of one class are slower and others are not: it is no property of the device.
Fact split_class(const Seen& seen, Words classes);
/// The slow figures with a data type, and unchanged ones of another in the same class.
Fact split_types(const Seen& seen, Words classes, const Where& where = {});
/// The gauge's own products of one of these classes lost at least half as much, in logarithms, as those of
/// this library: what is slower is not the library.
Fact own_products_as_slow(const Seen& seen, Words classes, std::string_view library);
/// The SM clock under load was read on both sides, and did not fall.
Fact clock_as_expected(const Seen& seen);
/// A framework is named, or a figure is of work in one.
bool framework_known(const Seen& seen);
/// Three components or more changed at once, and putting one back was not shown to help: none of them can be
/// blamed alone.
Fact changed_together(const Seen& seen);
/// Bounds a cause that slows this work, none of which is slower. Where it was `compared` that speaks against
/// the cause; else it is only not known.
void without_slowness(Argument& argument, double most, std::string_view work, bool compared);
/// Some figure of these classes has a factor.
bool is_compared(const Seen& seen, Words classes);
/// Launching, synchronising or allocating is slower, and reading the processor's clock beside it took a tenth
/// longer than on the other side: a lower clock, or a neighbour on the core. Three times as long is another
/// way of reading it.
Fact slower_processor(const Seen& seen);
/// What is slower waits for a processor, all of it.
bool only_processor_bound(const Seen& seen);
/// Whether one of the facts was seen: the first one.
Fact either(const Fact& one, const Fact& other);
/// Both were seen.
Fact both(const Fact& one, const Fact& other);
/// "the memory is hot (memory_temperature_c = 95)": why a figure speaks against a cause.
Fact in_words(std::string_view words, const Fact& fact);

}  // namespace gpugauge::diagnose
